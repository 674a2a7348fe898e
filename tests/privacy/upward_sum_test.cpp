#include "tailcoat/privacy/upward_sum.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <vector>

namespace tailcoat {
namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<2400>>;

UpwardSum sum_of_squares(const std::vector<double>& roots) {
  UpwardSum sum;
  for (const double root : roots) sum.add_square(root);
  return sum;
}

rc::Gen<double> root() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange(-300, 300), rc::gen::inRange<std::int64_t>(1, 1LL << 53)),
      [](const auto& parts) { return std::ldexp(static_cast<double>(parts.second), parts.first - 53); });
}

TEST(UpwardSum, IsNeverBelowTheExactSumAndHardlyAboveIt) {
  EXPECT_TRUE(rc::check("squares of any size", [] {
    const auto roots = *rc::gen::container<std::vector<double>>(root());
    Wide exact = 0;
    for (const double x : roots) exact += Wide(x) * Wide(x);
    const double above = sum_of_squares(roots).above();
    RC_ASSERT(Wide(above) >= exact);
    RC_ASSERT(Wide(above) <= exact * (1 + Wide(0x1p-52)) + Wide(0x1p-1000));
  }));
}

TEST(UpwardSum, DoesNotDriftOverAMillionTinyTerms) {
  UpwardSum sum;
  sum.add_square(0.3);
  for (int i = 0; i < 1'000'000; ++i) sum.add_square(1e-12);
  EXPECT_DOUBLE_EQ(sum.above(), 0.09 + 1e-18);
  UpwardSum limit;
  limit.add_square(0.3);
  EXPECT_FALSE(sum.at_most(limit));  // 1e-18 is less than half an ulp of 0.09, and still counts
}

TEST(UpwardSum, ComparesExactly) {
  UpwardSum a = sum_of_squares({0.3});
  UpwardSum b = sum_of_squares({std::nextafter(0.3, 1)});
  EXPECT_TRUE(a.at_most(a));
  EXPECT_TRUE(a.at_most(b));
  EXPECT_FALSE(b.at_most(a));
}

TEST(UpwardSum, TinySquaresAreNotLost) {
  UpwardSum sum;
  sum.add_square(1e-300);
  EXPECT_GT(sum.above(), 0);
}

TEST(UpwardSum, OverflowsToInfinityAndStaysThere) {
  UpwardSum sum = sum_of_squares({1e200, 1});
  EXPECT_EQ(sum.above(), INFINITY);
  sum.add(1);
  EXPECT_EQ(sum.above(), INFINITY);
  EXPECT_FALSE(sum.at_most(sum_of_squares({1e100})));
}

}  // namespace
}  // namespace tailcoat
