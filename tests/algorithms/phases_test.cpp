#include "tailcoat/algorithms/phases.hpp"

#include <gtest/gtest.h>

#include "problems.hpp"

namespace tailcoat {
namespace {

TEST(Phases, SizesAddUp) {
  for (const std::size_t rows : {2u, 7u, 1000u}) {
    for (const std::size_t count : {1u, 3u, 8u}) {
      std::size_t sum = 0;
      for (const std::size_t size : phase_sizes(rows, count, 0.5)) sum += size;
      EXPECT_EQ(sum, rows);
    }
  }
  EXPECT_EQ(phase_sizes(100, 3, 0.5), (std::vector<std::size_t>{50, 25, 25}));
}

// Two phases, summed by hand: v_0 / (2 eta_1 n_1) + eta_1 G^2/2 + v_1 / (2 eta_2 n_2) + eta_2 G^2/2 + G sqrt(v_2) + b
// D.
TEST(Phases, BoundIsTheSumOfTheProof) {
  const Setting setting{.rows = 30, .dimension = 4, .diameter = 2, .start_distance = 1.5, .moments = {2, 3, 3}};
  const std::vector<Phase> phases = {{20, {.step = 0.1, .clip = 5}}, {10, {.step = 0.02, .clip = 5}}};
  const double v1 = 4 * std::pow(2 * 0.1 * 5 / 0.5, 2), v2 = 4 * std::pow(2 * 0.02 * 5 / 0.5, 2);
  const double expected =
      2.25 / (0.2 * 20) + 0.1 * 9 / 2 + v1 / (0.04 * 10) + 0.02 * 9 / 2 + 3 * std::sqrt(v2) + 0.7 * 2;
  EXPECT_NEAR(phased_bound(setting, Gdp{0.5}, phases, 0.7), expected, 1e-12);
}

// k = 1.5: C^(1/2) G_k^(3/2) in place of G_2^2, and G_k in place of G_2.
TEST(Phases, BoundBelowTwoMomentsIsTheSumOfTheProof) {
  const Setting setting{
      .rows = 30, .dimension = 4, .diameter = 2, .start_distance = 1.5, .moments = moments_below_two(1.5, 4)};
  const std::vector<Phase> phases = {{20, {.step = 0.1, .clip = 9}}, {10, {.step = 0.02, .clip = 9}}};
  const double v1 = 4 * std::pow(2 * 0.1 * 9 / 0.5, 2), v2 = 4 * std::pow(2 * 0.02 * 9 / 0.5, 2);
  const double expected =
      2.25 / (0.2 * 20) + 0.1 * 24 / 2 + v1 / (0.04 * 10) + 0.02 * 24 / 2 + 4 * std::sqrt(v2) + 0.7 * 2;
  EXPECT_NEAR(phased_bound(setting, Gdp{0.5}, phases, 0.7), expected, 1e-12);
}

// What a phase releases has the noise of its receipt: sensitivity 2 eta C (1 - 1/n) and little more.
TEST(Phases, NoiseIsThatOfTheProof) {
  Engine engine(1);
  const TestData data = heavy_tailed_data(100, 3, 1);
  const LabelledData loaded = data.load(engine);
  BitSource noise = BitSource::insecure_seeded(1);
  PrivacyMeter meter = *PrivacyMeter::open(Gdp{0.5});
  const std::vector<Phase> phases = {{60, {.step = 0.1, .clip = 2}}, {40, {.step = 0.05, .clip = 1}}};
  ASSERT_TRUE(
      run_phases({engine, noise}, {Samples(loaded, AbsoluteLoss{}), ball(3, 1)}, phases, meter.total(), meter).ok());
  std::vector<double> sensitivities;
  for (const ReceiptLine& line : meter.receipt().lines)
    if (line.release.mechanism == "gaussian") sensitivities.push_back(line.release.sensitivity);
  ASSERT_EQ(sensitivities.size(), 2u);
  EXPECT_NEAR(sensitivities[0] / (2 * 0.1 * 2 * (1 - 1 / 60.0)), 1, 1e-5);
  EXPECT_NEAR(sensitivities[1] / (2 * 0.05 * 1 * (1 - 1 / 40.0)), 1, 1e-5);
  EXPECT_GE(sensitivities[0], 2 * 0.1 * 2 * (1 - 1 / 60.0));
  EXPECT_TRUE(adds_up(meter.receipt(), 0.5));
}

}  // namespace
}  // namespace tailcoat
