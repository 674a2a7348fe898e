#include "tailcoat/algorithms/localized_as_stated.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>

#include "heavy_tails.hpp"

namespace tailcoat {
namespace {

Setting large(std::size_t rows) {
  return {.rows = rows, .dimension = 20, .diameter = 2, .start_distance = 1, .moments = {3, 1.6, 2.5}};
}

Options paper(double failure, double passes = 1000) {
  return {.constants = Constants::paper, .failure_probability = failure, .max_passes = passes};
}

// (1) of localization.md, from the plan's own numbers.
double bound_of(const Setting& setting, const StatedStage& stage) {
  double bound = 0, away = setting.start_distance;
  for (const StatedPhase& phase : stage.phases) {
    bound += phase.descent.lambda * away * away / 4;
    away = phase.spread / phase.descent.lambda;
  }
  return bound + setting.moments.g2 * away;
}

TEST(LocalizedAsStated, HasItsSizesInBothRegimes) {
  const std::size_t n = std::size_t{1} << 22;
  for (const double failure : {1e-3, 0.05}) {
    const auto plan =
        plan_localized_as_stated(large(n), Gdp{1}, {.constants = Constants::paper, .failure_probability = failure});
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    const auto& phases = plan->stages.at(0).phases;
    const bool one_size = 1 / failure > std::pow(std::log(static_cast<double>(n)), 2);
    EXPECT_EQ(one_size, failure == 1e-3);
    std::size_t used = 0;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      used += phases[i].copies * phases[i].rows;
      EXPECT_GE(phases[i].rows, 2u) << "E19, E20";
      if (i > 0) {
        EXPECT_NEAR(phases[i].descent.lambda / phases[i - 1].descent.lambda, 32, 1e-9);
      }
      const auto copies = static_cast<double>(phases[i].copies);
      if (one_size) {
        const double log = std::log((static_cast<double>(phases.size()) + 1) / failure);  // the phase of one row is cut
        EXPECT_TRUE(copies >= 400 * log && copies <= 500 * log) << copies / log;
        if (i > 0) {
          EXPECT_EQ(phases[i].rows * 2, phases[i - 1].rows);
        }
      } else {
        EXPECT_NEAR(copies, 400 * std::log(22 * std::exp2(i + 1) / failure), 1);
        EXPECT_EQ(phases[i].rows, n / ((std::size_t{2} << i) * phases[i].copies));
      }
    }
    EXPECT_LE(used, n);
    EXPECT_GT(phases.size(), 5u);
  }
}

TEST(LocalizedAsStated, IsRefusedWhereItsSolvesHaveNoRows) {
  const auto plan = plan_localized_as_stated(large(3000), Gdp{1}, {.constants = Constants::paper});
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().kind, ErrorKind::refused);
  EXPECT_NE(plan.error().message.find("3000"), std::string::npos);
}

TEST(LocalizedAsStated, HasItsWeightsAndItsSpreads) {
  const Setting setting = large(1 << 22);
  for (const double failure : {0.05, 1e-3}) {
    const auto plan = plan_localized_as_stated(setting, Gdp{1}, paper(failure, 1e15));
    ASSERT_TRUE(plan.ok());
    const auto& phases = plan->stages[0].phases;
    const double m = 2 * static_cast<double>(phases[0].rows), rho = 0.5;
    const double delta =
        3 * std::sqrt(640) * (2.5 * std::pow(std::sqrt(20 / rho) / m, 1 - 1 / 3.0) + 1.6 / std::sqrt(m));
    const double count = static_cast<double>(phases.size());
    const double lambda = std::sqrt(2 * 1.6 * delta / std::pow(8, count) + delta * delta / 2) / 2;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      const auto phase = static_cast<double>(i + 1), rows = static_cast<double>(phases[i].rows);
      EXPECT_NEAR(phases[i].descent.lambda / (std::pow(32, phase) * lambda), 1, 1e-12);
      EXPECT_GE(phases[i].spread, std::pow(4, phase) * delta * (1 - 1e-12));
      EXPECT_EQ(phases[i].descent.rule, Constants::paper);
      EXPECT_NEAR(phases[i].descent.clip, 2.5 * std::pow(25 * rows * rows * rho / (32 * 20), 1 / 6.0), 1e-9);
      EXPECT_EQ(static_cast<double>(phases[i].descent.steps), std::ceil(std::max(rows, rows * rows * rho / 20)));
    }
    // With all the steps that the text wants, its own R is large enough in the first phase.
    EXPECT_NEAR(phases[0].spread / (4 * delta), 1, 1e-12);
    EXPECT_NEAR(plan->bound.excess_risk / bound_of(setting, plan->stages[0]), 1, 1e-12);
  }
}

// One step in place of the text's many leaves solves further off: R has to grow with what they may be off.
TEST(LocalizedAsStated, WithFewStepsHasALargerRadius) {
  const Setting setting = large(std::size_t{1} << 34);
  const auto few = plan_localized_as_stated(setting, Gdp{1}, paper(0.05, 1)),
             all = plan_localized_as_stated(setting, Gdp{1}, paper(0.05, 1e15));
  ASSERT_TRUE(few.ok() && all.ok());
  EXPECT_EQ(few->stages[0].phases[0].descent.steps, 1u);
  EXPECT_GT(few->stages[0].phases[0].spread, all->stages[0].phases[0].spread);
  Setting own = setting;
  own.generalised_linear = false;
  const StatedPhase& first = few->stages[0].phases[0];
  const double lambda = first.descent.lambda;
  const double solver = lambda * solver_distance(own, first.rows, 2 * 1.6 / lambda, {1}, first.descent);
  const double near = std::sqrt(5) * solver + std::sqrt(20) * 1.6 / std::sqrt(static_cast<double>(first.rows));
  EXPECT_NEAR(first.spread / (3 * near), 1, 1e-2);  // the text rounds sqrt(20) to 4.48
  EXPECT_GT(few->bound.excess_risk, all->bound.excess_risk);
}

// The message names the number of solves, the rows that they take, and the rows there are: with those it takes the text
// runs, with one less it does not.
TEST(LocalizedAsStated, SaysHowManyRowsItTakes) {
  for (const double failure : {0.5, 0.05, 1e-3, 1e-9}) {
    std::size_t least = 2;
    while (!plan_localized_as_stated(large(least), Gdp{1}, paper(failure)).ok()) least += 4;  // 4 J
    least -= 3;
    while (!plan_localized_as_stated(large(least), Gdp{1}, paper(failure)).ok()) ++least;
    for (const std::size_t rows : {std::size_t{2}, std::size_t{3000}, least - 1}) {
      const auto refused = plan_localized_as_stated(large(rows), Gdp{1}, paper(failure));
      ASSERT_FALSE(refused.ok());
      EXPECT_EQ(refused.error().kind, ErrorKind::refused);
      const std::string& message = refused.error().message;
      EXPECT_NE(message.find(fmt::format("n >= {}, and there are {} rows", least, rows)), std::string::npos) << message;
      EXPECT_NE(message.find(fmt::format("makes {} solves", least / 4)), std::string::npos) << message;
    }
  }
}

// F - F* >= (mu / 2) |x - x*|^2: a stage that ends within e has x* within sqrt(2 e / mu), and no less will do.
TEST(LocalizedAsStated, AStageIsAsWideAsWhatTheOneBeforeProves) {
  Setting setting = large(std::size_t{1} << 44);
  setting.strong_convexity = 1.5;
  const StatedPlan plan = *plan_localized_as_stated(setting, Gdp{1}, paper(0.05, 1e15));
  ASSERT_GT(plan.stages.size(), 2u);
  EXPECT_EQ(plan.stages[0].radius, 1) << "the start distance; the slopes alone would say 1.6 / 1.5";
  for (std::size_t j = 0; j < plan.stages.size(); ++j) {
    Setting part = setting;
    part.start_distance = plan.stages[j].radius;
    const double error = bound_of(part, plan.stages[j]), next = std::min(2.0, std::sqrt(2 * error / 1.5));
    if (j + 1 < plan.stages.size()) {
      EXPECT_NEAR(plan.stages[j + 1].radius / next, 1, 1e-12);
    } else {
      EXPECT_NEAR(plan.bound.excess_risk / error, 1, 1e-12);
    }
  }
  EXPECT_LT(plan.stages.back().radius, 0.5) << "not the domain's";
}

// The fewest rows, up to a factor 2, that the text's numbers of copies leave any for: 37,000 solves on 2 to 45 samples.
TEST(LocalizedAsStated, StronglyConvexModeRunsAndSpendsItsBudgetInEveryBlock) {
  Engine engine(2);
  const std::size_t n = std::size_t{1} << 19, d = 2;
  std::vector<std::atomic<std::uint8_t>> reads(n);
  const SampleGradient gradient = [&](std::size_t row, std::span<const double> x, std::span<double> g) {
    ++reads[row];
    const double sample = 0.2 + (row % 2 == 0 ? 0.1 : -0.1);
    for (std::size_t j = 0; j < d; ++j) g[j] = 20 * (x[j] - sample);
  };
  const Problem problem{
      .samples = {n, d, {.gradient = gradient}}, .domain = unit_ball(d), .smoothness = 20, .strong_convexity = 20};
  const Options options{.constants = Constants::paper, .failure_probability = 0.4, .max_passes = 1};
  BitSource noise = BitSource::insecure_seeded(4);
  const auto solution = localized_as_stated({engine, noise}, problem, {4, 32, 32}, Gdp{2}, options);
  ASSERT_TRUE(solution.ok()) << solution.error().message;
  const double excess = 10 * squared_distance(solution->x, std::vector<double>{0.2, 0.2});
  EXPECT_LE(excess, solution->certified.excess_risk);
  EXPECT_TRUE(problem.domain.contains(solution->x, 1e-9));
  EXPECT_EQ(solution->receipt.blocks_not_joined, 0u);
  EXPECT_LE(solution->receipt.gaussian_spent.mu, 2);
  EXPECT_GT(solution->receipt.gaussian_spent.mu, 2 * (1 - 1e-6));
  std::size_t used = 0;
  for (const auto& count : reads) {
    EXPECT_LE(count, 1);
    used += count;
  }
  EXPECT_NEAR(static_cast<double>(used), solution->work.sample_gradients, 0.5);
}

}  // namespace
}  // namespace tailcoat
