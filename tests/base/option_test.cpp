#include "tailcoat/base/option.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tailcoat {
namespace {

constexpr NumberOption kLevel{
    .name = "level", .meaning = "quantile level", .lowest = 0, .highest = 1, .open_below = true, .open_above = true};
constexpr NumberOption kCount{.name = "count", .meaning = "how many", .lowest = 1};

TEST(Option, AcceptsWhatIsInRange) {
  EXPECT_EQ(*check(kLevel, 0.5), 0.5);
  EXPECT_EQ(*check(kCount, 1), 1);
}

TEST(Option, NamesValueAndRangeOfWhatIsNot) {
  const auto result = check(kLevel, 1);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "level = 1 is not in (0, 1): quantile level");
  EXPECT_EQ(check(kCount, 0.5).error().message, "count = 0.5 is not in [1, inf): how many");
}

TEST(Option, RefusesNaNAndInfinity) {
  EXPECT_FALSE(check(kLevel, std::nan("")).ok());
  EXPECT_FALSE(check(kCount, std::nan("")).ok());
  EXPECT_FALSE(check(kCount, INFINITY).ok());
}

}  // namespace
}  // namespace tailcoat
