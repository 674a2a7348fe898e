#include "tailcoat/algorithms/lowy_razaviyayn.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "heavy_tails.hpp"

namespace tailcoat {
namespace {

Result<Solution> run(const LinearSamples& samples, const Options& options, std::uint64_t seed) {
  return run_on(samples, lowy_razaviyayn, options, seed);
}

TEST(LowyRazaviyayn, EveryPhaseSpendsTheBudgetOnItsOwnSamples) {
  const auto solution = run(LinearSamples(512, 3, 0.5, 3.5, 1), {.constants = Constants::paper, .max_passes = 10}, 1);
  ASSERT_TRUE(solution.ok()) << solution.error().message;
  std::map<std::string, double> spent;
  for (const ReceiptLine& line : solution->receipt.lines)
    if (!line.block.empty()) spent[line.block] += line.price.mu * line.price.mu;
  EXPECT_EQ(spent.size(), 8u);  // 256, 128, ..., 2
  for (const auto& [block, squares] : spent) EXPECT_NEAR(squares, 1, 1e-6) << block;
  EXPECT_LE(solution->receipt.gaussian_spent.mu, 1 + 1e-15);
}

TEST(LowyRazaviyayn, EverySampleIsInOnePhase) {
  std::vector<std::size_t> reads(300, 0);
  const SampleGradient gradient = [&](std::size_t row, auto, std::span<double> g) {
    ++reads[row];
    g[0] = 1;
  };
  Engine engine(1);
  const Problem problem{.samples = {300, 2, {.gradient = gradient}}, .domain = unit_ball(2)};
  BitSource noise = BitSource::insecure_seeded(1);
  ASSERT_TRUE(lowy_razaviyayn({engine, noise}, problem, {2, 1, 1}, Gdp{1}, {.max_passes = 7}).ok());
  for (const std::size_t count : reads) EXPECT_LE(count, 7u);
  EXPECT_EQ(reads[0], 7u);
}

TEST(LowyRazaviyayn, TextHasItsParameters) {
  const Setting setting{.rows = 1024, .dimension = 5, .diameter = 2, .start_distance = 1, .moments = {2, 1.5, 1.5}};
  const auto plan = plan_lowy_razaviyayn(setting, Gdp{1}, {.constants = Constants::paper, .max_passes = 1e9});
  ASSERT_TRUE(plan.ok());
  const auto& phases = plan->phases;
  for (std::size_t i = 0; i + 1 < phases.size(); ++i) {
    const auto n = static_cast<double>(phases[i].rows);
    EXPECT_EQ(phases[i].rows, 512u >> i);
    EXPECT_NEAR(phases[i + 1].step * 4, phases[i].step, 1e-12);
    EXPECT_NEAR(phases[i].lambda * phases[i].step * n, 1, 1e-9);
    EXPECT_NEAR(static_cast<double>(phases[i].steps), n * std::log(1024), 1);
    EXPECT_NEAR(phases[i].clip, 1.5 * std::sqrt(n / std::sqrt(5 * std::log(1024))), 1e-9);
  }
}

TEST(LowyRazaviyayn, CappedStepsStillConverge) {
  const Setting setting{.rows = 100'000, .dimension = 5, .diameter = 2, .start_distance = 1, .moments = {2, 1.5, 1.5}};
  const auto plan = plan_lowy_razaviyayn(setting, Gdp{1}, {.max_passes = 100});
  ASSERT_TRUE(plan.ok());
  for (const auto& phase : plan->phases)
    EXPECT_GE(phase.lambda * phase.step * static_cast<double>(phase.steps), 0.999 * std::log(1e5));
  EXPECT_LE(plan->work.passes, 100);
  EXPECT_GT(plan->work.wanted_passes, 10'000);
}

TEST(LowyRazaviyayn, BoundHoldsAndTheRunIsUseful) {
  double mean = 0, certified = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const LinearSamples samples(5000, 4, 0.5, 3.5, seed);
    const auto solution = run(samples, {.max_passes = 200}, seed);
    ASSERT_TRUE(solution.ok()) << solution.error().message;
    mean += samples.excess(solution->x) / 10;
    certified = solution->certified.excess_risk;
  }
  EXPECT_LE(mean, certified);
  EXPECT_LT(mean, 0.3);  // the start has 0.5
  RecordProperty("excess", std::to_string(mean) + " of " + std::to_string(certified));
}

}  // namespace
}  // namespace tailcoat
