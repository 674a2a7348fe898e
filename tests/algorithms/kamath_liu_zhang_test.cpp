#include "tailcoat/algorithms/kamath_liu_zhang.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "heavy_tails.hpp"

namespace tailcoat {
namespace {

Result<Solution> run(const LinearSamples& samples, const Options& options, std::uint64_t seed) {
  return run_on(samples, kamath_liu_zhang, options, seed);
}

// Their noise is for coordinates that move by 12 tau m / n; 6 tau m / n is what they can move (MATH 5.1, erratum i).
TEST(KamathLiuZhang, ErratumINoiseIsForHalfTheirSensitivity) {
  const LinearSamples samples(4000, 3, 0.5, 3.5, 1);
  for (const Constants constants : {Constants::tight, Constants::paper}) {
    const Options options{.constants = constants, .max_passes = 30};
    const auto solution = run(samples, options, 1);
    ASSERT_TRUE(solution.ok()) << solution.error().message;
    const auto plan = *plan_kamath_liu_zhang(
        {.rows = 4000, .dimension = 3, .diameter = 2, .start_distance = 1, .moments = samples.moments(3)}, Gdp{1},
        options);
    const double tau = plan.clip / 3;  // 6 tau = 2 clip
    for (const ReceiptLine& line : solution->receipt.lines) {
      EXPECT_NEAR(line.release.sensitivity, std::sqrt(3) * 6 * tau, 1e-6 * tau);  // of a group's sum
      EXPECT_NEAR(line.price.mu, 1 / std::sqrt(static_cast<double>(plan.steps)), 1e-6);
    }
    EXPECT_NEAR(solution->receipt.gaussian_spent.mu, 1, 1e-6);
    EXPECT_LE(solution->receipt.gaussian_spent.mu, 1);
  }
}

TEST(KamathLiuZhang, ErratumVStepsAreAtLeastOneAndAtMostMaxPasses) {
  Setting setting{.rows = 100, .dimension = 50, .diameter = 2, .start_distance = 1, .moments = {2, 1.5, 1.5}};
  EXPECT_EQ(plan_kamath_liu_zhang(setting, Gdp{0.1}, {.constants = Constants::paper})->steps, 1u);
  setting = {.rows = 1'000'000, .dimension = 1, .diameter = 2, .start_distance = 1, .moments = {2, 1.5, 1.5}};
  EXPECT_EQ(plan_kamath_liu_zhang(setting, Gdp{1}, {.constants = Constants::paper, .max_passes = 70})->steps, 70u);
}

TEST(KamathLiuZhang, RefusesFewerRowsThanGroups) {
  const Setting setting{.rows = 10, .dimension = 5, .diameter = 2, .start_distance = 1, .moments = {2, 1.5, 1.5}};
  const auto plan = plan_kamath_liu_zhang(setting, Gdp{1}, {});
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.error().message.find("m = 22"), std::string::npos) << plan.error().message;  // 4 ln(10 / 0.05)
}

TEST(KamathLiuZhang, RunIsUseful) {
  double mean = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const LinearSamples samples(20'000, 3, 0.5, 3.5, seed);
    const auto solution = run(samples, {.max_passes = 50}, seed);
    ASSERT_TRUE(solution.ok()) << solution.error().message;
    mean += samples.excess(solution->x) / 5;
  }
  EXPECT_LT(mean, 0.25);  // the start has 0.5
  RecordProperty("excess", std::to_string(mean));
}

}  // namespace
}  // namespace tailcoat
