#include "tailcoat/losses/exp.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tailcoat/losses/wright_omega.hpp"

namespace tailcoat {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// |computed - exact| in units in the last place of exact. The exact value is a long double: 11 bits to spare.
double error_in_ulps(double computed, long double exact) {
  const long double ulp = std::ldexp(1.0L, std::ilogb(exact) - 52);
  return static_cast<double>(std::abs(computed - exact) / ulp);
}

TEST(SaturatingExp, IsWithinElevenTenthsOfAnUlpOnTwoMillionPoints) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> wide(-kExpLimit, kExpLimit), narrow(-1, 1);
  double worst = 0;
  const auto check = [&](double x) {
    worst = std::max(worst, error_in_ulps(saturating_exp(x), std::exp(static_cast<long double>(x))));
  };
  for (int i = 0; i < 1'000'000; ++i) {
    check(wide(bits));
    check(narrow(bits));
  }
  for (int n = -1009; n <= 1009; ++n) {  // the seams of the range reduction
    for (int step = -20; step <= 20; ++step) check((n + 0.5) * 0.69314718055994531 * (1 + step * 1.1e-16));
  }
  EXPECT_LT(worst, 1.1);
  RecordProperty("worst_ulps", std::to_string(worst));
}

TEST(SaturatingExp, IsExactAtZeroAndTinyArguments) {
  for (const double x : {0.0, -0.0, 5e-324, -5e-324, 1e-300, -1e-17}) EXPECT_EQ(saturating_exp(x), 1) << x;
}

TEST(SaturatingExp, StaysAtTheValueOfItsLimit) {
  EXPECT_EQ(saturating_exp(kExpLimit), kExpLargest);
  for (const double x : {700.5, 1e10, 1e308, kInfinity}) {
    EXPECT_EQ(saturating_exp(x), kExpLargest);
    EXPECT_EQ(saturating_exp(-x), saturating_exp(-kExpLimit));
  }
  EXPECT_TRUE(std::isnormal(saturating_exp(-kExpLimit)));
  EXPECT_TRUE(std::isnan(saturating_exp(kNan)));
  EXPECT_TRUE(std::isnan(saturating_exp(-kNan)));
}

TEST(WrightOmega, SolvesItsEquation) {
  for (double c = -35.9; c < 1e18; c += 0.0137 * (1 + std::abs(c))) {
    const long double w = wright_omega(c);
    const long double relative = (w + std::log(w) - c) / (1 + w);
    ASSERT_LT(std::abs(relative), (1 + (c < 0 ? -c : 0)) * 2.3e-16L) << c;
  }
  EXPECT_EQ(wright_omega(1), 1);
}

TEST(WrightOmega, ServesEveryArgument) {
  EXPECT_EQ(wright_omega(-kInfinity), 0);
  EXPECT_EQ(wright_omega(-1e308), 0);
  EXPECT_EQ(wright_omega(-700), std::exp(-700.0));
  EXPECT_EQ(wright_omega(1e300), 1e300);
  EXPECT_EQ(wright_omega(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(wright_omega(kNan)));
}

}  // namespace
}  // namespace tailcoat
