#include "tailcoat/algorithms/rates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tailcoat {
namespace {

TEST(Rates, ErratumE6ClipBiasIsTheLargestThatMomentsAllow) {
  EXPECT_NEAR(clip_bias_constant(2), 0.25, 1e-15);
  EXPECT_NEAR(clip_bias_constant(3), 4.0 / 27, 1e-15);
  for (const double k : {1.25, 1.5, 2.0, 2.5, 3.0, 7.0}) {
    double largest = 0;
    for (double t = 1; t < 50; t *= 1.0005) largest = std::max(largest, (t - 1) / std::pow(t, k));
    EXPECT_NEAR(clip_bias_constant(k), largest, 1e-6);
    if (k >= 2) {
      EXPECT_LT(clip_bias_constant(k), 1 / (k - 1));  // the text's
    }
  }
}

TEST(Rates, RateHasBothOfItsTermsAndIsNeverAboveTheTrivialBound) {
  const Setting setting{.rows = 10'000, .dimension = 4, .diameter = 2, .start_distance = 1, .moments = {2, 3, 5}};
  const double expected = 3 * 2 / 100.0 + 5 * 2 * std::sqrt(2 / (10'000 * std::sqrt(0.5)));
  EXPECT_NEAR(optimal_rate(setting, Gdp{1}), expected, 1e-12);
  EXPECT_EQ(optimal_rate(setting, Gdp{1e-9}), trivial_bound(setting));
  EXPECT_EQ(trivial_bound(setting), 3);
}

TEST(Rates, ABoundIsNeverToldAboveTheTrivialOneAndThenSaysSo) {
  const Setting setting{.rows = 100, .dimension = 1, .diameter = 2, .start_distance = 1, .moments = {2, 3, 5}};
  const Bound better = shown_bound({2.9, 0.05}, setting), worse = shown_bound({3.1, 0.05}, setting);
  EXPECT_EQ(better.excess_risk, 2.9);
  EXPECT_EQ(better.failure_probability, 0.05);
  EXPECT_FALSE(better.trivial);
  EXPECT_EQ(worse.excess_risk, 3);
  EXPECT_EQ(worse.failure_probability, 0) << "the trivial bound always holds";
  EXPECT_TRUE(worse.trivial);
  EXPECT_TRUE(shown_bound({3}, setting).trivial);
  EXPECT_TRUE(std::isinf(shown_bound({}, setting).excess_risk)) << "no certificate stays none";
}

// min(L, C)^2 <= C^(2-k) L^k, with equality at L = C.
TEST(Rates, SecondMomentsOfClippedSlopesAreBoundedByWhatIsKnown) {
  EXPECT_EQ(clipped_second_moment({3, 2, 4}, 5), 4);
  EXPECT_EQ(clipped_second_moment({3, 2, 4}, 1.5), 2.25);
  const Moments heavy = moments_below_two(1.5, 4);
  EXPECT_NEAR(clipped_second_moment(heavy, 9), 3 * 8, 1e-12);
  EXPECT_EQ(clipped_second_moment(heavy, 2), 4);
  for (const double length : {1.0, 4.0, 8.9, 9.0, 100.0}) {
    const double least = std::pow(std::min(length, 9.0), 2),
                 most = clipped_second_moment(moments_below_two(1.5, length), 9);
    EXPECT_LE(least, most * (1 + 1e-12)) << length;
  }
  EXPECT_EQ(mean_slope(heavy), 4);
  EXPECT_EQ(mean_slope({3, 2, 4}), 2);
}

TEST(Rates, RatesOfPureBudgetsAndBelowTwoMoments) {
  Setting setting{.rows = 10'000, .dimension = 4, .diameter = 2, .start_distance = 1, .moments = {2, 3, 5}};
  EXPECT_NEAR(optimal_rate(setting, PureDp{2}), 3 * 2 / 100.0 + 5 * 2 * std::sqrt(4 / 20'000.0), 1e-12);
  setting.moments = moments_below_two(1.5, 5);
  const double expected = 5 * 2 * (std::pow(1e4, -1 / 3.0) + std::pow(2 / (1e4 * std::sqrt(0.5)), 1 / 3.0));
  EXPECT_NEAR(optimal_rate(setting, Gdp{1}), expected, 1e-12);
  EXPECT_EQ(trivial_bound(setting), 5);
}

}  // namespace
}  // namespace tailcoat
