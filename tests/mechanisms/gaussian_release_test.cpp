#include "tailcoat/mechanisms/gaussian_release.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "audit.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {
namespace {

SensitiveSum sum_of(std::vector<std::int64_t> units, double sensitivity, double unit = 1) {
  const std::size_t size = units.size();
  return {.units = Sensitive(std::move(units)), .size = size, .unit = unit, .sensitivity = sensitivity};
}

TEST(GaussianRelease, ChargesSensitivityOverTwoToTheTwentySix) {
  TestOutlet outlet(Gdp{1}, 1);
  ASSERT_TRUE(gaussian_release("a sum", sum_of({5, 6}, 0x1p24), outlet).ok());
  ASSERT_EQ(outlet.meter.receipt().lines.size(), 1u);
  EXPECT_EQ(outlet.meter.receipt().lines[0].price.mu, 0.25);
  EXPECT_EQ(outlet.meter.receipt().lines[0].release.values, 2u);
}

TEST(GaussianRelease, SpendsABudgetToTheLastBit) {
  TestOutlet outlet(Gdp{1}, 1);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(gaussian_release("quarter", sum_of({0}, 0x1p25), outlet).ok());
  EXPECT_EQ(outlet.meter.remaining().mu, 0);
  const auto refused = gaussian_release("one too many", sum_of({0}, 1), outlet);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
}

TEST(GaussianRelease, RefusedReleasesDrawNothingAndLeaveTheMeterAlone) {
  TestOutlet outlet(Gdp{0.5}, 1);
  ASSERT_FALSE(gaussian_release("too dear", sum_of({0}, 0x1p26), outlet).ok());
  EXPECT_EQ(outlet.noise.next_release(), 0u);
  EXPECT_TRUE(outlet.meter.receipt().lines.empty());
  EXPECT_EQ(outlet.meter.remaining().mu, 0.5);
}

TEST(GaussianRelease, AddsNoiseOfTheScaleTheReceiptStates) {
  TestOutlet outlet(Gdp{1}, 7);
  constexpr std::size_t kDraws = 200'000;
  const auto released = gaussian_release("zeros", sum_of(std::vector<std::int64_t>(kDraws, 0), 0x1p26, 0.01), outlet);
  double square = 0;
  for (double value : *released) square += value * value / kDraws;
  const Release& line = outlet.meter.receipt().lines[0].release;
  EXPECT_NEAR(std::sqrt(square) / line.noise_scale, 1, 5 / std::sqrt(2.0 * kDraws));
  EXPECT_DOUBLE_EQ(line.sensitivity / line.noise_scale, outlet.meter.receipt().lines[0].price.mu);
}

TEST(GaussianRelease, SeededRunsAreMarkedAsNotSecure) {
  TestOutlet seeded(Gdp{1}, 1);
  ASSERT_TRUE(gaussian_release("seeded", sum_of({0}, 1), seeded).ok());
  EXPECT_FALSE(nlohmann::json::parse(seeded.meter.receipt().json())["secure"]);

  PrivacyMeter meter = *PrivacyMeter::open(Gdp{1});
  BitSource kernel = *BitSource::from_kernel();
  ASSERT_TRUE(gaussian_release("kernel", sum_of({0}, 1), {meter, kernel}).ok());
  EXPECT_TRUE(nlohmann::json::parse(meter.receipt().json())["secure"]);
}

TEST(GaussianRelease, NeverRepeatsItsNoise) {
  TestOutlet outlet(Gdp{1}, 1);
  const auto first = gaussian_release("zero", sum_of({0}, 1), outlet);
  const auto second = gaussian_release("zero", sum_of({0}, 1), outlet);
  EXPECT_NE((*first)[0], (*second)[0]);
}

TEST(GaussianRelease, RefusesASensitivityThatIsNoNumber) {
  TestOutlet outlet(Gdp{1}, 1);
  EXPECT_FALSE(gaussian_release("nan", sum_of({0}, std::nan("")), outlet).ok());
  EXPECT_FALSE(gaussian_release("inf", sum_of({0}, INFINITY), outlet).ok());
  EXPECT_FALSE(gaussian_release("negative", sum_of({0}, -1), outlet).ok());
}

}  // namespace
}  // namespace tailcoat
