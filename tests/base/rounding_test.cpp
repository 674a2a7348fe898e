#include "tailcoat/base/rounding.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

namespace tailcoat {
namespace {

// Wide enough to hold the sum of any two doubles of test range exactly, and products always.
using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<2400>>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();

// Every finite double, subnormals included, is as likely as its bit pattern.
rc::Gen<double> finite_double() {
  return rc::gen::suchThat(
      rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t bits) { return std::bit_cast<double>(bits); }),
      [](double x) { return std::isfinite(x); });
}

void expect_tight_bounds(const Wide& exact, double down, double up) {
  if (std::isfinite(down)) RC_ASSERT(Wide(down) <= exact);
  if (std::isfinite(up)) RC_ASSERT(Wide(up) >= exact);
  RC_ASSERT(down != kInfinity);
  RC_ASSERT(up != -kInfinity);
  const bool normal = std::abs(down) > 0x1p-950 && std::abs(up) < kLargest;
  if (normal && std::isfinite(down)) {
    if (Wide(down) == exact) {
      RC_ASSERT(up == down);
    } else {
      RC_ASSERT(std::nextafter(down, kInfinity) == up);
    }
  }
}

TEST(Rounding, BracketsEveryOperationWithinOneUlp) {
  EXPECT_TRUE(rc::check("add, sub, mul, div, sqrt", [] {
    const double a = *finite_double(), b = *finite_double();
    expect_tight_bounds(Wide(a) + Wide(b), add_down(a, b), add_up(a, b));
    expect_tight_bounds(Wide(a) - Wide(b), sub_down(a, b), sub_up(a, b));
    expect_tight_bounds(Wide(a) * Wide(b), mul_down(a, b), mul_up(a, b));
    if (b != 0 && std::abs(a) > 0x1p-950) expect_tight_bounds(Wide(a) / Wide(b), div_down(a, b), div_up(a, b));
    expect_tight_bounds(sqrt(abs(Wide(a))), sqrt_down(std::abs(a)), sqrt_up(std::abs(a)));
  }));
}

TEST(Rounding, BracketsNumbersOfLikeSize) {
  EXPECT_TRUE(rc::check("uniform pairs", [] {
    const double a = 1 + static_cast<double>(*rc::gen::inRange<std::int64_t>(1, 1LL << 52)) * 0x1p-52;
    const double b = 1 + static_cast<double>(*rc::gen::inRange<std::int64_t>(1, 1LL << 52)) * 0x1p-53;
    expect_tight_bounds(Wide(a) + Wide(b), add_down(a, b), add_up(a, b));
    expect_tight_bounds(Wide(a) * Wide(b), mul_down(a, b), mul_up(a, b));
    expect_tight_bounds(Wide(a) / Wide(b), div_down(a, b), div_up(a, b));
    expect_tight_bounds(Wide(a) / Wide(-b), div_down(a, -b), div_up(a, -b));
    expect_tight_bounds(sqrt(Wide(a)), sqrt_down(a), sqrt_up(a));
  }));
}

TEST(Rounding, IsExactWhereTheResultIsADouble) {
  EXPECT_EQ(add_up(0.5, 0.25), 0.75);
  EXPECT_EQ(mul_down(3, 0.125), 0.375);
  EXPECT_EQ(div_up(1, 4), 0.25);
  EXPECT_EQ(sqrt_up(9), 3);
  EXPECT_EQ(sqrt_down(9), 3);
  EXPECT_EQ(mul_up(0, 5), 0);
}

TEST(Rounding, OverflowStaysOnTheSafeSide) {
  EXPECT_EQ(add_up(kLargest, kLargest), kInfinity);
  EXPECT_EQ(add_down(kLargest, kLargest), kLargest);
  EXPECT_EQ(mul_up(-kLargest, 2), -kLargest);
  EXPECT_EQ(mul_down(-kLargest, 2), -kInfinity);
  EXPECT_EQ(div_down(kLargest, 0.5), kLargest);
}

TEST(Rounding, UnderflowStaysOnTheSafeSide) {
  EXPECT_GT(mul_up(0x1p-600, 0x1p-600), 0);
  EXPECT_LE(mul_down(0x1p-600, 0x1p-600), 0);
  EXPECT_GT(div_up(0x1p-1000, 0x1p1000), 0);
}

TEST(Rounding, PassesNotANumberOn) {
  EXPECT_TRUE(std::isnan(sqrt_up(-1)));
  EXPECT_TRUE(std::isnan(add_up(kInfinity, -kInfinity)));
  EXPECT_TRUE(std::isnan(mul_down(0, kInfinity)));
}

}  // namespace
}  // namespace tailcoat
