#include "tailcoat/algorithms/localized.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <set>
#include <string>

#include "heavy_tails.hpp"
#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat {
namespace {

constexpr ApproxDp kBudget{1, 1e-6};

Solution run(const LinearSamples& samples, std::size_t threads, const Options& options, std::uint64_t seed = 7) {
  Engine engine(threads);
  const auto data = *engine.load(samples.features(), samples.labels);
  const Problem problem{.samples = {data, LinearLoss{}}, .domain = unit_ball(samples.columns)};
  BitSource noise = BitSource::insecure_seeded(seed);
  auto solution = localized({engine, noise}, problem, samples.moments(3), kBudget, options);
  EXPECT_TRUE(solution.ok()) << solution.error().message;
  return *std::move(solution);
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

TEST(Localized, ResultDoesNotDependOnThreads) {
  const LinearSamples samples(20'000, 3, 0.5, 3.5, 1);
  for (const Options& options : {Options{}, Options{.failure_probability = 1e-6},
                                 Options{.constants = Constants::paper, .failure_probability = 0.4, .max_passes = 3}}) {
    const Solution one = run(samples, 1, options);
    for (const std::size_t threads : {2u, 3u}) {
      const Solution other = run(samples, threads, options);
      EXPECT_EQ(other.x, one.x);
      EXPECT_EQ(other.receipt.json(), one.receipt.json());
    }
  }
}

TEST(Localized, TheReceiptHasOneLineForEachSolveAtThePriceOfTheBudget) {
  const LinearSamples samples(4000, 3, 0.5, 3.5, 2);
  for (const double failure : {0.0, 1e-4}) {
    const Options options{.failure_probability = failure};
    const Solution solution = run(samples, 2, options);
    const Receipt& receipt = solution.receipt;
    const Setting setting{
        .rows = 4000, .dimension = 3, .diameter = 2, .start_distance = 1, .moments = samples.moments(3)};
    std::size_t solves = 0;
    const auto plan = *tight_plan(setting, kBudget, options);
    for (const LocalizedPhase& phase : plan.phases) solves += phase.copies;
    EXPECT_EQ(receipt.blocks_not_joined, 0u);
    std::set<std::string> blocks;
    std::size_t sampled = 0;
    for (const ReceiptLine& line : receipt.lines) {
      if (line.release.mechanism != "sampled-gaussian") continue;
      ++sampled;
      EXPECT_TRUE(blocks.insert(line.block).second) << "a block is spent twice";
      EXPECT_LE(line.price.epsilon, 1);
      EXPECT_LE(line.price.delta, 1e-6);
      EXPECT_NEAR(line.release.sensitivity / line.release.noise_scale, line.price.ratio, 1e-12);
    }
    EXPECT_EQ(sampled, solves * plan.runs);
  }
}

// What the privacy of parallel blocks rests on: solves read blocks of their own, one after the other.
TEST(Localized, EverySampleIsInOneBlock) {
  const std::size_t n = 6000, d = 2;
  for (const double strong_convexity : {0.0, 5.0}) {
    std::vector<std::size_t> order;  // of the rows as they are read
    const SampleGradient gradient = [&](std::size_t row, std::span<const double> x, std::span<double> g) {
      order.push_back(row);
      for (std::size_t j = 0; j < d; ++j) g[j] = 5 * x[j];
    };
    Engine engine(1);
    const Problem problem{
        .samples = {n, d, {.gradient = gradient}}, .domain = unit_ball(d), .strong_convexity = strong_convexity};
    BitSource noise = BitSource::insecure_seeded(3);
    ASSERT_TRUE(localized({engine, noise}, problem, {3, 5, 5}, kBudget, {}).ok());
    const auto plan = *tight_plan(setting_of(problem, {3, 5, 5}), kBudget, {});
    ASSERT_GT(plan.phases.size(), 1u);
    std::size_t first = 0, at = 0;
    for (const LocalizedPhase& phase : plan.phases) {
      std::size_t reads = 0, lowest = n, highest = 0;
      for (; at < order.size() && order[at] < first + phase.rows; ++at, ++reads) {
        EXPECT_GE(order[at], first) << "a row of an earlier block";
        lowest = std::min(lowest, order[at]);
        highest = std::max(highest, order[at]);
      }
      const auto [rate, ratio, steps] = phase.descent.event;
      const double expected = rate * static_cast<double>(phase.rows * steps);
      EXPECT_NEAR(static_cast<double>(reads), expected, 6 * std::sqrt(expected) + 1);  // false alarms: 2e-9
      first += phase.rows;
    }
    EXPECT_EQ(at, order.size());
  }
}

// Mean of 20 runs; a single one is within a few times its certificate with room to spare.
TEST(Localized, BoundHoldsOnTheMean) {
  double mean = 0, certified = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const LinearSamples samples(4000, 3, 0.5, 3.5, seed);
    const Solution solution = run(samples, 1, {}, seed + 1);
    mean += samples.excess(solution.x) / 20;
    certified = solution.certified.excess_risk;
  }
  EXPECT_LE(mean, certified);
  EXPECT_LT(certified, 0.6 * LinearSamples(1, 3, 0.5, 3.5, 0).moment(2));
}

TEST(Localized, BoundHoldsWithHighProbability) {
  double most = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const LinearSamples samples(4000, 3, 0.5, 3.5, seed);
    const Solution solution = run(samples, 1, {.failure_probability = 0.05}, seed + 1);
    EXPECT_EQ(solution.certified.failure_probability, 0.05);
    most = std::max(most, samples.excess(solution.x) / solution.certified.excess_risk);
  }
  EXPECT_LE(most, 1);
}

// F(x) = (c/2) E |x - s|^2 with samples around (0.2, 0.2).
struct Quadratic {
  static constexpr std::size_t kColumns = 2;
  std::vector<double> values;

  explicit Quadratic(std::size_t rows) : values(rows * kColumns) {
    std::mt19937_64 random(5);
    for (double& value : values) value = std::uniform_real_distribution<>(0, 0.4)(random);
  }
  [[nodiscard]] Problem problem(double curvature) const {
    const SampleGradient gradient = [this, curvature](std::size_t row, std::span<const double> x, std::span<double> g) {
      for (std::size_t j = 0; j < kColumns; ++j) g[j] = curvature * (x[j] - values[row * kColumns + j]);
    };
    return {.samples = {values.size() / kColumns, kColumns, {.gradient = gradient}}, .domain = unit_ball(kColumns)};
  }
  static double excess(double curvature, std::span<const double> x) {
    return curvature / 2 * squared_distance(x, std::vector<double>{0.2, 0.2});
  }
};

TEST(Localized, StrongConvexityAndGrowthRunWithinTheirBoundsAndGainByThem) {
  const Quadratic quadratic(20'000);
  Engine engine(2);
  const auto run_with = [&](double strong_convexity, Growth growth) {
    Problem problem = quadratic.problem(20);
    problem.strong_convexity = strong_convexity;
    problem.growth = growth;
    BitSource noise = BitSource::insecure_seeded(3);
    const auto solution = localized({engine, noise}, problem, {4, 32, 32}, kBudget, {});
    EXPECT_TRUE(solution.ok()) << solution.error().message;
    EXPECT_LE(Quadratic::excess(20, solution->x), solution->certified.excess_risk);
    EXPECT_TRUE(problem.domain.contains(solution->x, 1e-9));
    return solution->certified.excess_risk;
  };
  const double convex = run_with(0, {}), strongly = run_with(20, {}), growing = run_with(0, {2, 10});
  EXPECT_LT(strongly, convex / 3);
  EXPECT_LT(growing, convex / 1.5);
}

// Nothing of a GLM's loss is taken away by the steps: there is no quadratic in any of its samples.
TEST(Localized, GlmsRunWithStrongConvexityAndMomentsBelowTwo) {
  const LinearSamples samples(4000, 3, 0.5, 3.5, 1);
  Engine engine(2);
  const auto data = *engine.load(samples.features(), samples.labels);
  const Problem problem{.samples = {data, LinearLoss{}}, .domain = unit_ball(3), .strong_convexity = 1};
  for (const double failure : {0.0, 0.05}) {
    BitSource noise = BitSource::insecure_seeded(7);
    const auto solution =
        localized({engine, noise}, problem, moments_below_two(1.5, 3), kBudget, {.failure_probability = failure});
    ASSERT_TRUE(solution.ok()) << solution.error().message;
    EXPECT_TRUE(problem.domain.contains(solution->x, 1e-9));
  }
}

// The steps know the quadratic exactly: a loss that is nothing else is solved without a sample's help.
TEST(Localized, TheQuadraticOfAStronglyConvexLossIsNotClipped) {
  const std::size_t n = 3000;
  const SampleGradient gradient = [](std::size_t, std::span<const double> x, std::span<double> g) {
    for (std::size_t j = 0; j < x.size(); ++j) g[j] = 1000 * x[j];  // (1000 / 2) |x|^2, least at the centre
  };
  Engine engine(1);
  const Problem problem{.samples = {n, 2, {.gradient = gradient}}, .domain = unit_ball(2), .strong_convexity = 1000};
  BitSource noise = BitSource::insecure_seeded(1);
  const auto solution = localized({engine, noise}, problem, {4, 1000, 1000}, kBudget, {});
  ASSERT_TRUE(solution.ok()) << solution.error().message;
  EXPECT_LT(squared_distance(solution->x, std::vector<double>{0, 0}), 0.01);
}

TEST(Localized, ALossOfTheUsersOwnIsBoostedIfItsValuesAreGiven) {
  const std::size_t n = 400'000;
  const Quadratic quadratic(n);
  Problem problem = quadratic.problem(1);
  SampleFunctions functions = *problem.samples.functions();
  std::vector<std::atomic<bool>> trained(n), scored(n);
  functions.gradient = [&, own = functions.gradient](std::size_t row, std::span<const double> x, std::span<double> g) {
    trained[row] = true;
    own(row, x, g);
  };
  functions.value = [&](std::size_t row, std::span<const double> x) {
    scored[row] = true;
    return squared_distance(x, std::span(quadratic.values).subspan(row * 2, 2)) / 2;
  };
  problem.samples = {n, 2, functions};
  Engine engine(2);
  BitSource noise = BitSource::insecure_seeded(2);
  const Options options{.failure_probability = 0.05, .max_passes = 3};
  const ApproxDp budget{8, 1e-6};
  const auto plan = *tight_plan(setting_of(problem, {3, 1.3, 1.3}), budget, options);
  ASSERT_GT(plan.runs, 1u);
  const auto solution = localized({engine, noise}, problem, {3, 1.3, 1.3}, budget, options);
  ASSERT_TRUE(solution.ok()) << solution.error().message;
  EXPECT_LE(Quadratic::excess(1, solution->x), solution->certified.excess_risk);
  std::size_t scores = 0;
  for (const ReceiptLine& line : solution->receipt.lines) scores += line.release.what.starts_with("score of run");
  EXPECT_EQ(scores, plan.runs);
  std::size_t held_out = 0, both = 0;
  for (std::size_t row = 0; row < n; ++row) {
    held_out += scored[row];
    both += scored[row] && trained[row];
  }
  EXPECT_EQ(held_out, plan.selection.rows);
  EXPECT_EQ(both, 0u) << "rows that made a candidate do not judge it";
}

TEST(Localized, ACallbackThatThrowsEndsTheRun) {
  const SampleGradient gradient = [](std::size_t row, std::span<const double>, std::span<double>) {
    if (row == 17) throw std::runtime_error("row 17 is odd");
  };
  Engine engine(1);
  const Problem problem{.samples = {500, 2, {.gradient = gradient}}, .domain = unit_ball(2)};
  BitSource noise = BitSource::insecure_seeded(1);
  const auto solution = localized({engine, noise}, problem, {3, 1, 1}, kBudget, {});
  ASSERT_FALSE(solution.ok());
  EXPECT_NE(solution.error().message.find("row 17 is odd"), std::string::npos);
}

}  // namespace
}  // namespace tailcoat
