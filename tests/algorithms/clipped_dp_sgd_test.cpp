#include "tailcoat/algorithms/clipped_dp_sgd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>

#include "../mechanisms/audit.hpp"
#include "heavy_tails.hpp"
#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat {
namespace {

// One step on three records, of which one is huge and points either way: the result is an affine function of the
// release, so it shows all of its cost and no more.
TEST(ClippedDpSgd, OppositeRecordsShiftTheReleaseByTheWholeBudget) {
  Engine engine(1);
  const Gdp budget{0.7};
  const std::vector<double> labels(3, 1.0);
  const std::vector<double> sides[2] = {{1e9, 0, 0.1, 0.2, 0, 0.3}, {-1e9, 0, 0.1, 0.2, 0, 0.3}};
  const Domain domain = *Domain::ball({0, 0}, 1e6);
  const auto release = [&](int side, std::uint64_t seed) {
    const auto data = *engine.load(RowsOf<double>{sides[side].data(), 3, 2, 2}, labels);
    TestOutlet outlet(budget, seed);
    const ClippedDescent descent{.clip = 0.5, .lambda = 1, .steps = 1, .uses = 1};
    return *solve_clipped(engine, {data, LinearLoss{}}, domain, domain.centre(), descent, outlet);
  };
  const Shift shift = measured_shift(6000, release);
  EXPECT_NEAR(shift.mu, budget.mu, 5 * shift.error);
}

TEST(ClippedDpSgd, ReleasesShareTheBudgetEqually) {
  Engine engine(2);
  const LinearSamples samples(200, 3, 0.5, 3.5, 1);
  const auto data = *engine.load(samples.features(), samples.labels);
  const Problem problem{.samples = {data, LinearLoss{}}, .domain = unit_ball(3)};
  const Options all{.max_passes = 1e6}, parts{.max_passes = 9}, paper{.constants = Constants::paper, .max_passes = 37};
  for (const Options& options : {all, parts, paper}) {
    BitSource noise = BitSource::insecure_seeded(1);
    const auto solution = clipped_dp_sgd({engine, noise}, problem, samples.moments(3), Gdp{0.5}, options);
    ASSERT_TRUE(solution.ok()) << solution.error().message;
    const auto plan = plan_clipped_dp_sgd(setting_of(problem, samples.moments(3)), Gdp{0.5}, options);
    const ClippedDescent& descent = plan->descent;
    EXPECT_EQ(descent.batches > 1, options.max_passes == 9);
    EXPECT_LE(solution->work.passes, options.max_passes);

    const Receipt& receipt = solution->receipt;
    EXPECT_LE(receipt.gaussian_spent.mu, 0.5 * (1 + 1e-15));
    EXPECT_GT(receipt.gaussian_spent.mu, 0.5 * (1 - 1e-6));
    EXPECT_EQ(receipt.blocks_not_joined, 0u);
    std::size_t releases = 0;
    std::map<std::string, double> spent;
    for (const ReceiptLine& line : receipt.lines) {
      if (line.release.mechanism != "gaussian") continue;
      ++releases;
      spent[line.block] += line.price.mu * line.price.mu;
      EXPECT_NEAR(line.price.mu, 0.5 / std::sqrt(static_cast<double>(descent.uses)), 1e-6);
      EXPECT_NEAR(line.release.sensitivity, 2 * descent.clip, 1e-4 * descent.clip);
      EXPECT_NEAR(line.release.sensitivity / line.release.noise_scale, line.price.mu, 1e-9);
    }
    EXPECT_EQ(releases, descent.steps);
    for (const auto& [block, squares] : spent) EXPECT_LE(std::sqrt(squares), 0.5) << block;
    EXPECT_LE(spent.size(), descent.batches);
  }
}

// Mean squared distance from the exact minimiser of the clipped loss, which is known for linear losses.
double measured_distance(Engine& engine, const LinearSamples& samples, const ClippedDescent& descent, Gdp budget) {
  const auto data = *engine.load(samples.features(), samples.labels);
  std::vector<double> y(samples.columns, 0.0);
  for (std::size_t i = 0; i < samples.rows; ++i) {
    const std::span<const double> a(samples.values.data() + i * samples.columns, samples.columns);
    const double norm = std::sqrt(squared_distance(a, std::vector<double>(a.size())));
    for (std::size_t j = 0; j < a.size(); ++j)
      y[j] -= a[j] * std::min(1.0, descent.clip / norm) / (static_cast<double>(samples.rows) * descent.lambda);
  }
  const Domain domain = unit_ball(samples.columns);
  EXPECT_TRUE(domain.project(y).ok());
  double mean = 0;
  constexpr int kRuns = 60;
  for (int run = 0; run < kRuns; ++run) {
    TestOutlet outlet(budget, static_cast<std::uint64_t>(run));
    mean +=
        squared_distance(*solve_clipped(engine, {data, LinearLoss{}}, domain, domain.centre(), descent, outlet), y) /
        kRuns;
  }
  return std::sqrt(mean);
}

TEST(ClippedDpSgd, SolverIsAsCloseAsCertifiedAndNotMuchCloser) {
  Engine engine(1);
  const Gdp budget{0.5};
  const LinearSamples samples(300, 5, 0.5, 3.5, 2);
  const Setting setting{.rows = 300, .dimension = 5, .diameter = 2, .start_distance = 1, .moments = samples.moments(3)};
  for (const Constants rule : {Constants::tight, Constants::paper}) {
    for (const std::size_t steps : {5u, 50u, 400u}) {
      const ClippedDescent descent{.rule = rule, .clip = 2, .lambda = 3, .steps = steps, .uses = steps};
      const double certified = solver_distance(setting, 300, 1, budget, descent);
      const double measured = measured_distance(engine, samples, descent, budget);
      EXPECT_LE(measured, certified) << steps;
      if (steps == 400) {
        EXPECT_GT(measured, certified / 12) << static_cast<int>(rule);
      }
    }
  }
}

TEST(ClippedDpSgd, SolverInPartsIsAsCloseAsCertified) {
  Engine engine(1);
  const LinearSamples samples(300, 5, 0.5, 3.5, 2);
  const Setting setting{.rows = 300, .dimension = 5, .diameter = 2, .start_distance = 1, .moments = samples.moments(3)};
  for (ClippedDescent descent : schedules(1e9, {.max_passes = 20})) {
    if (descent.batches > 32) break;
    descent.clip = 2;
    descent.lambda = 3;
    const double certified = solver_distance(setting, 300, 1, Gdp{2}, descent);
    const double measured = measured_distance(engine, samples, descent, Gdp{2});
    EXPECT_LE(measured, certified) << descent.batches;
    if (descent.batches == 32) {
      EXPECT_GT(measured, certified / 12);
    }
  }
}

TEST(ClippedDpSgd, E16LastIterateIsCertifiedFarCloserThanTheAverage) {
  const Setting setting{.rows = 1000, .dimension = 10, .diameter = 2, .start_distance = 1, .moments = {3, 1.6, 2.5}};
  const Gdp budget{std::sqrt(2 * 0.1)};
  const double clip = text_clip(setting, 1000, budget);
  const auto steps = static_cast<std::size_t>(text_steps(setting, 1000, budget));
  const auto distance = [&](Constants rule) {
    return solver_distance(setting, 1000, 1, budget,
                           {.rule = rule, .clip = clip, .lambda = 5, .steps = steps, .uses = steps});
  };
  const double stated =
      std::sqrt(2 / 5.0 * (32 * clip * clip * 10 / (5 * 1e6 * 0.1) + 7 * 5.0 / 1000));  // Prop. dp-erm
  EXPECT_LT(distance(Constants::tight) * distance(Constants::tight), stated * stated / 10.7);
  EXPECT_LT(distance(Constants::paper), stated);
}

// E b_D^2 <= (E (L - C)_+)^2 + E (L - C)_+^2 / n: what Appendix C looks for, without its decomposition.
TEST(ClippedDpSgd, SquaredBiasDecays) {
  std::mt19937_64 random(3);
  const double tail = 2.6, clip = 4;
  const Moments moments{2.5, std::sqrt(tail / (tail - 2)), std::pow(tail / (tail - 2.5), 1 / 2.5)};
  for (const int n : {4, 64, 1024}) {
    double mean_square = 0;
    const int runs = 400'000 / n;
    for (int run = 0; run < runs; ++run) {
      double bias = 0;
      for (int i = 0; i < n; ++i) {
        const double length = std::pow(std::uniform_real_distribution<>(0x1p-53, 1)(random), -1 / tail);
        bias += std::max(0.0, length - clip) / n;
      }
      mean_square += bias * bias / runs;
    }
    const double bias = clip_bias(moments, clip);
    EXPECT_LE(mean_square, bias * bias + clip_variance(moments, clip) / n) << n;
  }
  EXPECT_DOUBLE_EQ(clip_variance({2, 3, 3}, 5), 9);
  EXPECT_NEAR(clip_variance({4, 100, 1}, 1), 4 * 4 / 256.0, 1e-12);  // (t - 1)^2 / t^4 is largest at t = 2
}

TEST(ClippedDpSgd, BoundHoldsForAGlmAndForALossOfTheUsersOwn) {
  Engine engine(1);
  for (const bool glm : {true, false}) {
    double mean = 0, certified = 0;
    constexpr int kRuns = 5;
    for (int run = 0; run < kRuns; ++run) {
      const LinearSamples samples(1000, 4, 0.5, 3.5, static_cast<std::uint64_t>(run));
      const auto data = *engine.load(samples.features(), samples.labels);
      const SampleGradient gradient = [&](std::size_t row, std::span<const double>, std::span<double> g) {
        std::copy_n(samples.values.data() + row * 4, 4, g.data());
      };
      const Problem problem{.samples = glm ? Samples{data, LinearLoss{}} : Samples{1000, 4, {.gradient = gradient}},
                            .domain = unit_ball(4)};
      BitSource noise = BitSource::insecure_seeded(static_cast<std::uint64_t>(run));
      const auto solution =
          clipped_dp_sgd({engine, noise}, problem, samples.moments(3), ApproxDp{1, 1e-6}, {.max_passes = 100});
      ASSERT_TRUE(solution.ok()) << solution.error().message;
      mean += samples.excess(solution->x) / kRuns;
      certified = solution->certified.excess_risk;
    }
    EXPECT_LE(mean, certified);
    RecordProperty(glm ? "glm" : "own", std::to_string(mean) + " of " + std::to_string(certified));
  }
}

// Ten million releases would exhaust the noise source, which ends the program.
TEST(ClippedDpSgd, RefusesMoreReleasesThanThereIsNoiseFor) {
  Engine engine(1);
  const SampleGradient gradient = [](std::size_t, auto, std::span<double> g) { g[0] = 1; };
  const Problem problem{.samples = {100'000, 1, {.gradient = gradient}}, .domain = unit_ball(1)};
  BitSource noise = BitSource::insecure_seeded(1);
  const auto solution = clipped_dp_sgd({engine, noise}, problem, {2, 1, 1}, Gdp{1}, {.max_passes = 1e9});
  ASSERT_FALSE(solution.ok());
  EXPECT_EQ(solution.error().kind, ErrorKind::refused);
  EXPECT_NE(solution.error().message.find("max-passes"), std::string::npos);
}

TEST(ClippedDpSgd, FewerPassesWeakenTheCertificate) {
  const Setting setting{.rows = 100'000, .dimension = 20, .diameter = 2, .start_distance = 1, .moments = {3, 1.6, 2.5}};
  double before = 0;
  for (const double passes : {1e9, 1e5, 1e3, 10.0}) {
    const auto plan = plan_clipped_dp_sgd(setting, ApproxDp{1, 1e-6}, {.max_passes = passes});
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    EXPECT_LE(plan->work.passes, passes);
    EXPECT_GT(plan->bound.excess_risk, before);
    before = plan->bound.excess_risk;
  }
}

}  // namespace
}  // namespace tailcoat
