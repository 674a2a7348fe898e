#include "tailcoat/algorithms/noisy_gradients.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "../mechanisms/audit.hpp"
#include "heavy_tails.hpp"
#include "tailcoat/algorithms/binomial.hpp"
#include "tailcoat/algorithms/clipped_dp_sgd.hpp"

namespace tailcoat {
namespace {

// Four gradients of three records, of which one is huge and points either way: together they show the whole budget.
TEST(NoisyGradients, OppositeRecordsShiftTheReleasesByTheWholeBudget) {
  Engine engine(1);
  const std::vector<double> labels(3, 1.0);
  const std::vector<double> sides[2] = {{1e9, 0.1, 0.2}, {-1e9, 0.1, 0.2}};
  const auto release = [&](int side, std::uint64_t seed) {
    const auto data = *engine.load(RowsOf<double>{sides[side].data(), 3, 1, 1}, labels);
    TestOutlet outlet(Gdp{0.7}, seed);
    NoisyGradients gradients = *NoisyGradients::open(engine, {data, LinearLoss{}}, 0.5, 4, outlet);
    std::vector<double> sum(1);
    for (int t = 0; t < 4; ++t) sum[0] += (*gradients.at(sum))[0];
    return sum;
  };
  const Shift shift = measured_shift(6000, release);
  EXPECT_NEAR(shift.mu, 0.7, 5 * shift.error);
}

TEST(NoisyGradients, NoiseIsThatOfTheReceipt) {
  Engine engine(1);
  const std::vector<double> rows(8, 1.0), labels(8, 1.0);
  const auto data = *engine.load(RowsOf<double>{rows.data(), 8, 1, 1}, labels);
  TestOutlet outlet(Gdp{0.5}, 1);
  NoisyGradients gradients = *NoisyGradients::open(engine, {data, LinearLoss{}}, 2, 9, outlet);
  ASSERT_TRUE(gradients.at(std::vector<double>(1)).ok());
  const Setting setting{.rows = 8, .dimension = 1, .diameter = 2, .start_distance = 1, .moments = {2, 1, 1}};
  const double noise = outlet.meter.receipt().lines.back().release.noise_scale / 8;
  EXPECT_NEAR(gradient_noise(setting, 8, Gdp{0.5}, 2, 9) / noise, 1, 1e-6);
}

TEST(NoisyGradients, PartsAreReadNoMoreOftenThanTheyMay) {
  const std::size_t n = 100, d = 2;
  for (const ClippedDescent& schedule : schedules(1e9, {.max_passes = 20})) {
    if (schedule.batches > 16) break;
    const auto parts = static_cast<double>(schedule.batches);
    EXPECT_EQ(schedule.passes(), 20);
    if (schedule.batches > 1) {
      EXPECT_LE(parts * binomial_tail(schedule.steps, schedule.uses + 1, 1 / parts), 1e-12);
      EXPECT_LE(schedule.uses, 80u);
    }
    std::vector<std::size_t> reads(n, 0);
    const SampleGradient gradient = [&](std::size_t row, auto, std::span<double> g) {
      ++reads[row];
      g[0] = 1;
    };
    Engine engine(1);
    TestOutlet outlet(Gdp{1}, 4);
    ClippedDescent descent = schedule;
    descent.clip = descent.lambda = 1;
    const Domain domain = unit_ball(d);
    ASSERT_TRUE(solve_clipped(engine, {n, d, {.gradient = gradient}}, domain, domain.centre(), descent, outlet).ok());
    const std::size_t rows = n / schedule.batches;
    std::size_t steps = 0;
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_LE(reads[i], schedule.uses);
      EXPECT_EQ(reads[i], i / rows < schedule.batches ? reads[i / rows * rows] : 0);
      if (i % rows == 0 && i / rows < schedule.batches) steps += reads[i];
    }
    EXPECT_EQ(steps, schedule.steps);
  }
}

// A part that is drawn more often than it may be is passed over, and the budget holds.
TEST(NoisyGradients, OverdrawnPartsArePassedOver) {
  Engine engine(1);
  const SampleGradient gradient = [](std::size_t, auto, std::span<double> g) { g[0] = 1; };
  TestOutlet outlet(Gdp{1}, 5);
  const ClippedDescent descent{.clip = 1, .lambda = 1, .steps = 12, .batches = 4, .uses = 3};  // no room at all
  const Domain domain = unit_ball(1);
  ASSERT_TRUE(solve_clipped(engine, {8, 1, {.gradient = gradient}}, domain, domain.centre(), descent, outlet).ok());
  std::map<std::string, int> releases;
  for (const ReceiptLine& line : outlet.meter.receipt().lines)
    if (line.release.mechanism == "gaussian") ++releases[line.block];
  EXPECT_EQ(releases.size(), 4u);
  for (const auto& [block, count] : releases) EXPECT_EQ(count, 3) << block;
}

}  // namespace
}  // namespace tailcoat
