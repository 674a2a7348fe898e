#include "tailcoat/algorithms/high_probability_sco.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "heavy_tails.hpp"

namespace tailcoat {
namespace {

// f(x) = |x_1 - 0.3| + |x_2 + 0.2| with a noise of infinite third moment, psi(x) = c (|x_1| + |x_2|), on [-1, 1]^2.
struct HeavyOracle {
  std::mt19937_64 random;
  double weight;  // c

  // Pareto of exponent 2.2 with a random sign: second moment 2.2 / 0.2 = 11.
  double noise() {
    const double size = std::pow(std::uniform_real_distribution<>(0x1p-53, 1)(random), -1 / 2.2);
    return random() % 2 == 0 ? size : -size;
  }

  StochasticProblem problem() {
    StochasticProblem result{.domain = *Domain::box({-1, -1}, {1, 1}),
                             .oracle =
                                 [this](std::span<const double> x, std::span<double> g) {
                                   g[0] = (x[0] > 0.3 ? 1 : -1) + noise() / 4;
                                   g[1] = (x[1] > -0.2 ? 1 : -1) + noise() / 4;
                                 },
                             .oracle_norm = std::sqrt(2 + 2 * 11.0 / 16)};
    if (weight > 0) {
      result.psi_slope = weight * std::sqrt(2);
      result.proximal = [c = weight](std::span<double> v, double step) {
        for (double& part : v)
          part = std::clamp(std::copysign(std::max(0.0, std::abs(part) - c * step), part), -1.0, 1.0);
      };
    }
    return result;
  }

  double value(std::span<const double> x) const {
    return std::abs(x[0] - 0.3) + std::abs(x[1] + 0.2) + weight * (std::abs(x[0]) + std::abs(x[1]));
  }
  double least() const { return weight < 1 ? weight * 0.5 : 0.5; }
};

TEST(HighProbabilitySco, FailsNoMoreOftenThanDelta) {
  for (const double weight : {0.0, 0.5, 2.0}) {
    for (const Constants constants : {Constants::tight, Constants::paper}) {
      HeavyOracle heavy{std::mt19937_64(11), weight};
      int failures = 0;
      constexpr int kRuns = 40;
      for (int run = 0; run < kRuns; ++run) {
        const auto solution =
            high_probability_sco(heavy.problem(), 20'000, {.constants = constants, .failure_probability = 0.05});
        ASSERT_TRUE(solution.ok()) << solution.error().message;
        EXPECT_LE(solution->queries, 20'000u);
        failures += heavy.value(solution->x) - heavy.least() > solution->certified.excess_risk;
      }
      EXPECT_LE(failures, 10);  // 2 expected at most: false alarm below 1e-4 if the bound were that sharp
    }
  }
}

TEST(HighProbabilitySco, TightBoundIsUsefulAndThePapersIsFarAbove) {
  HeavyOracle heavy{std::mt19937_64(1), 0};
  for (const double failure : {1e-9, 0.05}) {
    const auto tight = plan_high_probability_sco(heavy.problem(), 1'000'000, {.failure_probability = failure});
    const auto paper = plan_high_probability_sco(heavy.problem(), 1'000'000,
                                                 {.constants = Constants::paper, .failure_probability = failure});
    ASSERT_TRUE(tight.ok() && paper.ok());
    EXPECT_LT(tight->bound.excess_risk, 0.25 * heavy.problem().oracle_norm * std::sqrt(8));
    EXPECT_GT(paper->bound.excess_risk, 20 * tight->bound.excess_risk);
    EXPECT_EQ(tight->bound.failure_probability, failure);
  }
}

TEST(HighProbabilitySco, BoundGrowsWithTheSquareRootOfTheLogarithmOfOneOverDelta) {
  HeavyOracle heavy{std::mt19937_64(1), 0};
  const auto bound = [&](double failure) {
    return plan_high_probability_sco(heavy.problem(), 10'000'000, {.failure_probability = failure})->bound.excess_risk;
  };
  EXPECT_LT(bound(1e-24) / bound(1e-12), 1.1 * std::sqrt(2));
  EXPECT_LT(bound(1e-12) / bound(1e-6), 1.1 * std::sqrt(2));
}

TEST(HighProbabilitySco, OdcIsAsCloseAsCertified) {
  HeavyOracle heavy{std::mt19937_64(2), 0.5};
  const StochasticProblem problem = heavy.problem();
  const double lambda = 4;
  // psi + (lambda / 2) |x - c|^2 + f with c = (0.9, -0.9): |x_1 - 0.3| and 0.5 |x_1| pull 0.9 by 1.5 / 4 to 0.525.
  const std::vector<double> centre = {0.9, -0.9}, minimiser = {0.525, -0.525};
  for (const std::size_t queries : {10u, 100u, 1000u}) {
    double mean = 0;
    constexpr int kRuns = 300;
    for (int run = 0; run < kRuns; ++run)
      mean += squared_distance(*odc(problem, centre, lambda, queries), minimiser) / kRuns;
    const double certified = 4 * std::pow(problem.oracle_norm / lambda, 2) / static_cast<double>(queries);
    EXPECT_LE(mean, certified);
    EXPECT_GT(mean, certified / 100);
  }
}

// A psi without Lipschitz constant has no bound: the last phase is only known to be near a minimiser.
TEST(HighProbabilitySco, E23SlopeOfPsiEntersTheBound) {
  HeavyOracle heavy{std::mt19937_64(3), 0.5};
  StochasticProblem problem = heavy.problem();
  const auto bound = [&](double psi_slope) {
    problem.psi_slope = psi_slope;
    return plan_high_probability_sco(problem, 10'000, {})->bound.excess_risk;
  };
  EXPECT_GT(bound(10), bound(1));
  problem.psi_slope = HUGE_VAL;
  EXPECT_FALSE(plan_high_probability_sco(problem, 10'000, {}).ok());
}

}  // namespace
}  // namespace tailcoat
