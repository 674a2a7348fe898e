#include "tailcoat/algorithms/localized.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "heavy_tails.hpp"
#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat {
namespace {

Setting large(std::size_t rows) {
  return {.rows = rows, .dimension = 20, .diameter = 2, .start_distance = 1, .moments = {3, 1.6, 2.5}};
}

TEST(Localized, TextHasItsSizesInBothRegimes) {
  const std::size_t n = std::size_t{1} << 22;
  for (const double failure : {1e-3, 0.05}) {
    const auto plan = plan_localized(large(n), Gdp{1}, {.constants = Constants::paper, .failure_probability = failure});
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

// C_sco of Theorem 1: the bound is at most so many times the rate without constants, wherever it says anything.
TEST(Localized, BoundIsWithinAConstantOfTheRate) {
  double most = 0;
  for (const double k : {2.0, 3.0, 4.0}) {
    for (const double mu : {0.1, 0.3, 1.0, 3.0}) {
      for (const std::size_t rows : {1u << 14, 1u << 17, 1u << 20, 1u << 23}) {
        const Setting setting{
            .rows = rows, .dimension = 20, .diameter = 2, .start_distance = 1, .moments = {k, 1.6, 2.5}};
        const double bound = plan_localized(setting, Gdp{mu}, {.max_passes = 1e15})->bound.excess_risk;
        if (bound < trivial_bound(setting)) most = std::max(most, bound / optimal_rate(setting, Gdp{mu}));
      }
    }
  }
  EXPECT_LT(most, 40);
  EXPECT_GT(most, 0);
  RecordProperty("ratio", std::to_string(most));
}

// With passes for one thousandth of the theorem's steps the bound is larger, and falls with n all the same.
TEST(Localized, BoundFallsWithLimitedPasses) {
  const auto bound = [](std::size_t rows, double passes) {
    return plan_localized(large(rows), Gdp{1}, {.max_passes = passes})->bound.excess_risk;
  };
  EXPECT_LT(bound(1 << 22, 200), bound(1 << 16, 200) / 2);
  EXPECT_GT(bound(1 << 22, 200), bound(1 << 22, 1e9));
}

// |y - x*|, x* the minimiser of the regularised population loss and y that of the empirical one: 1, where the text has
// 90 with probability 0.95.
TEST(Localized, E15EmpiricalMinimiserIsCloseInTheMeanSquare) {
  const std::size_t n = 50, d = 3;
  const double lambda = 4;
  double mean = 0, certified = 0;
  constexpr int kRuns = 2000;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const LinearSamples samples(n, d, 0.5, 3.5, seed);
    std::vector<double> y(d, 0.0);
    for (std::size_t i = 0; i < n * d; ++i) y[i % d] -= samples.values[i] / (n * lambda);
    ASSERT_TRUE(unit_ball(d).project(y).ok());
    mean += squared_distance(y, std::vector<double>{-0.5 / lambda, 0, 0}) / kRuns;
    certified = std::pow(samples.moment(2) / lambda, 2) / n;
  }
  EXPECT_LE(mean, certified);
  EXPECT_GT(mean, certified / 4);
}

TEST(Localized, TextIsRefusedWhereItsSolvesHaveNoRows) {
  const auto plan = plan_localized(large(3000), Gdp{1}, {.constants = Constants::paper});
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().kind, ErrorKind::refused);
  EXPECT_NE(plan.error().message.find("3000"), std::string::npos);
}

TEST(Localized, TightConstantsCertifyFarLess) {
  for (const double failure : {1e-6, 0.05}) {
    Options options{.failure_probability = failure, .max_passes = 1e7};
    const auto tight = plan_localized(large(1 << 22), Gdp{1}, options);
    options.constants = Constants::paper;
    const auto paper = plan_localized(large(1 << 22), Gdp{1}, options);
    ASSERT_TRUE(tight.ok() && paper.ok());
    EXPECT_LT(tight->bound.excess_risk, paper->bound.excess_risk / 30);
    EXPECT_LT(tight->bound.excess_risk, 0.5 * trivial_bound(large(1 << 22)));
  }
}

TEST(Localized, SmallFailureProbabilitiesNeedMoreCopies) {
  std::size_t before = 0;
  for (const double failure : {0.05, 1e-4, 1e-9}) {
    const auto plan = plan_localized(large(1 << 20), Gdp{1}, {.failure_probability = failure});
    ASSERT_TRUE(plan.ok());
    EXPECT_GT(plan->stages[0].phases[0].copies, before);
    before = plan->stages[0].phases[0].copies;
  }
}

Solution run(const LinearSamples& samples, std::size_t threads, const Options& options, double strong_convexity = 0) {
  Engine engine(threads);
  const auto data = *engine.load(samples.features(), samples.labels);
  const Problem problem{
      .samples = {data, LinearLoss{}}, .domain = unit_ball(samples.columns), .strong_convexity = strong_convexity};
  BitSource noise = BitSource::insecure_seeded(7);
  auto solution = localized({engine, noise}, problem, samples.moments(3), ApproxDp{1, 1e-6}, options);
  EXPECT_TRUE(solution.ok()) << solution.error().message;
  return *std::move(solution);
}

TEST(Localized, ResultDoesNotDependOnThreads) {
  const LinearSamples samples(30'000, 3, 0.5, 3.5, 1);
  for (const Options& options : {Options{.failure_probability = 1e-6, .max_passes = 8},
                                 Options{.constants = Constants::paper, .failure_probability = 0.4, .max_passes = 3}}) {
    const Solution one = run(samples, 1, options);
    for (const std::size_t threads : {2u, 3u}) {
      const Solution other = run(samples, threads, options);
      EXPECT_EQ(other.x, one.x);
      EXPECT_EQ(other.receipt.json(), one.receipt.json());
    }
  }
}

TEST(Localized, EveryBlockSpendsTheBudgetAndAllTogetherNoMore) {
  const LinearSamples samples(4000, 3, 0.5, 3.5, 2);
  const Options options{.failure_probability = 1e-4, .max_passes = 1e5};
  const Solution solution = run(samples, 2, options);
  const Receipt& receipt = solution.receipt;
  EXPECT_EQ(receipt.blocks_not_joined, 0u);
  EXPECT_LE(receipt.gaussian_spent.mu, receipt.gaussian_budget.mu * (1 + 1e-15));
  EXPECT_GT(receipt.gaussian_spent.mu, receipt.gaussian_budget.mu * (1 - 1e-6));
  std::map<std::string, double> spent;
  for (const ReceiptLine& line : receipt.lines)
    if (!line.block.empty()) spent[line.block] += line.price.mu * line.price.mu;
  EXPECT_GT(spent.size(), 2u);
  for (const auto& [block, squares] : spent) {
    EXPECT_LE(std::sqrt(squares), receipt.gaussian_budget.mu) << block;
    EXPECT_GT(std::sqrt(squares), receipt.gaussian_budget.mu * (1 - 1e-6)) << block;
  }
}

// What the privacy of parallel blocks rests on: a sample is read by one solve, once in each of its steps.
TEST(Localized, EverySampleIsInOneBlock) {
  const std::size_t n = 8000, d = 2;
  for (const Constants constants : {Constants::tight, Constants::paper}) {
    for (const double strong_convexity : {0.0, 5.0}) {
      if (constants == Constants::paper && strong_convexity > 0) continue;  // takes more rows: below
      std::vector<std::atomic<std::size_t>> reads(n);
      const SampleGradient gradient = [&](std::size_t row, std::span<const double> x, std::span<double> g) {
        ++reads[row];
        std::ranges::copy(x, g.begin());
      };
      Engine engine(2);
      const Problem problem{
          .samples = {n, d, {.gradient = gradient}}, .domain = unit_ball(d), .strong_convexity = strong_convexity};
      const Options options{
          .constants = constants, .failure_probability = constants == Constants::paper ? 0.4 : 1e-4, .max_passes = 9};
      BitSource noise = BitSource::insecure_seeded(3);
      ASSERT_TRUE(localized({engine, noise}, problem, {3, 2, 2}, Gdp{2}, options).ok());
      const auto plan = plan_localized(setting_of(problem, {3, 2, 2}), Gdp{2}, options);
      std::size_t row = 0;
      for (const auto& stage : plan->stages) {
        for (const auto& phase : stage.phases) {
          for (std::size_t j = 0; j < phase.copies; ++j, row += phase.rows) {
            std::size_t most = 0;
            for (std::size_t i = 0; i < phase.rows; ++i) most = std::max(most, reads[row + i].load());
            EXPECT_LE(most, phase.descent.uses);
            if (phase.descent.batches == 1) {
              EXPECT_EQ(most, phase.descent.steps);
            }
          }
        }
      }
      for (; row < n; ++row) EXPECT_EQ(reads[row], 0u);
    }
  }
}

TEST(Localized, BoundHolds) {
  double most = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const LinearSamples samples(4000, 3, 0.5, 3.5, seed);
    const Solution solution = run(samples, 1, {.failure_probability = 0.05, .max_passes = 50});
    EXPECT_EQ(solution.certified.failure_probability, 0.05);
    most = std::max(most, samples.excess(solution.x) / solution.certified.excess_risk);
  }
  EXPECT_LE(most, 1);
}

// F is strongly convex: (1/2) E |x - s|^2, with samples in the ball.
TEST(Localized, StronglyConvexStagesCloseIn) {
  Setting setting = large(std::size_t{1} << 30);
  setting.generalised_linear = false;
  const Options options{.max_passes = 1e12};
  const auto convex = plan_localized(setting, Gdp{1}, options);
  setting.strong_convexity = 1;
  for (const Constants constants : {Constants::tight, Constants::paper}) {
    Options with = options;
    with.constants = constants;
    const auto plan = plan_localized(setting, Gdp{1}, with);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    if (constants == Constants::tight) {
      EXPECT_GT(plan->stages.size(), 1u);
      EXPECT_LT(plan->bound.excess_risk, convex->bound.excess_risk / 3);
      EXPECT_LT(plan->stages.back().radius, 0.2);
    } else {
      EXPECT_EQ(plan->stages.size(), 5u);  // ceil(log2(30))
    }
    std::size_t used = 0;
    for (const auto& stage : plan->stages)
      for (const auto& phase : stage.phases) used += phase.copies * phase.rows;
    EXPECT_LE(used, setting.rows);
  }
}

TEST(Localized, StronglyConvexModeRunsWithinTheBound) {
  Engine engine(2);
  const std::size_t n = 3000, d = 2;
  std::mt19937_64 random(5);
  std::vector<double> values(n * d);
  for (double& value : values) value = std::uniform_real_distribution<>(0, 0.4)(random);
  const SampleGradient gradient = [&](std::size_t row, std::span<const double> x, std::span<double> g) {
    for (std::size_t j = 0; j < d; ++j) g[j] = 20 * (x[j] - values[row * d + j]);
  };
  const Problem problem{
      .samples = {n, d, {.gradient = gradient}}, .domain = unit_ball(d), .smoothness = 20, .strong_convexity = 20};
  BitSource noise = BitSource::insecure_seeded(3);
  const auto solution = localized({engine, noise}, problem, {4, 32, 32}, Gdp{2}, {.max_passes = 100});
  ASSERT_TRUE(solution.ok()) << solution.error().message;
  const double excess = 10 * squared_distance(solution->x, std::vector<double>{0.2, 0.2});
  EXPECT_LE(excess, solution->certified.excess_risk);
  EXPECT_LT(excess, 1);
  EXPECT_TRUE(problem.domain.contains(solution->x, 1e-9));
}

// The fewest rows, up to a factor 2, that the text's numbers of copies leave any for: 37,000 solves on 2 to 45 samples.
TEST(Localized, StronglyConvexTextRunsAndSpendsItsBudgetInEveryBlock) {
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
  const auto solution = localized({engine, noise}, problem, {4, 32, 32}, Gdp{2}, options);
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
