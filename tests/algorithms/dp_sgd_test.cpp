#include "tailcoat/algorithms/dp_sgd.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "heavy_tails.hpp"
#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat {
namespace {

Result<Solution> run(const LinearSamples& samples, const Options& options, Gdp budget, std::uint64_t seed) {
  Engine engine(1);
  const auto data = *engine.load(samples.features(), samples.labels);
  const Problem problem{.samples = {data, LinearLoss{}}, .domain = unit_ball(samples.columns)};
  BitSource noise = BitSource::insecure_seeded(seed);
  return dp_sgd({engine, noise}, problem, samples.moments(3), budget, options);
}

TEST(DpSgd, ReleasesShareTheBudgetEqually) {
  const auto solution = run(LinearSamples(500, 3, 0.5, 3.5, 1), {.max_passes = 40}, Gdp{0.5}, 1);
  ASSERT_TRUE(solution.ok()) << solution.error().message;
  ASSERT_EQ(solution->receipt.lines.size(), 40u);
  EXPECT_LE(solution->receipt.gaussian_spent.mu, 0.5);
  EXPECT_GT(solution->receipt.gaussian_spent.mu, 0.5 * (1 - 1e-6));
  for (const ReceiptLine& line : solution->receipt.lines) EXPECT_NEAR(line.price.mu, 0.5 / std::sqrt(40), 1e-6);
}

TEST(DpSgd, BoundHoldsAndTheRunIsUseful) {
  double mean = 0, certified = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const LinearSamples samples(5000, 4, 0.5, 3.5, seed);
    const auto solution = run(samples, {.max_passes = 200}, Gdp{1}, seed);
    ASSERT_TRUE(solution.ok()) << solution.error().message;
    mean += samples.excess(solution->x) / 10;
    certified = solution->certified.excess_risk;
  }
  EXPECT_LE(mean, certified);
  EXPECT_LT(mean, 0.1);  // the start has 0.5
}

TEST(DpSgd, SmoothLossesGeneraliseAfterFewSteps) {
  Setting setting{.rows = 100'000, .dimension = 20, .diameter = 2, .start_distance = 1, .moments = {3, 1.6, 2.5}};
  const auto rough = plan_dp_sgd(setting, Gdp{1}, {});
  setting.smoothness = 1;
  const auto smooth = plan_dp_sgd(setting, Gdp{1}, {});
  ASSERT_TRUE(rough.ok() && smooth.ok());
  EXPECT_LT(smooth->bound.excess_risk, rough->bound.excess_risk / 5);
  EXPECT_LE(smooth->step, 2);
  EXPECT_GT(rough->work.wanted_passes, rough->work.passes);
}

TEST(DpSgd, CertifiesNothingBeyondTheDomainForALossThatIsNoGlm) {
  const Setting setting{.rows = 1000,
                        .dimension = 5,
                        .diameter = 2,
                        .start_distance = 1,
                        .moments = {3, 1.6, 2.5},
                        .generalised_linear = false};
  EXPECT_EQ(plan_dp_sgd(setting, Gdp{1}, {})->bound.excess_risk, 2 * 1.6);
  EXPECT_FALSE(plan_dp_sgd(setting, Gdp{1}, {.constants = Constants::paper}).ok());
}

}  // namespace
}  // namespace tailcoat
