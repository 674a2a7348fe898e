#include "tailcoat/privacy/search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tailcoat {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

TEST(Search, FindsTheBoundaryToTheLastBit) {
  for (const double edge : {5e-324, 1e-310, 1e-12, 0.3, 1.0, 7e200, kLargest}) {
    EXPECT_EQ(largest_where([&](double x) { return x <= edge; }), edge);
    EXPECT_EQ(smallest_where([&](double x) { return x >= edge; }), edge);
  }
}

TEST(Search, SaysWhenNothingHolds) {
  EXPECT_EQ(largest_where([](double) { return false; }), 0);
  EXPECT_EQ(smallest_where([](double) { return false; }), std::numeric_limits<double>::infinity());
}

TEST(Search, SaysWhenEverythingHolds) {
  EXPECT_EQ(largest_where([](double) { return true; }), kLargest);
  EXPECT_EQ(smallest_where([](double) { return true; }), 0);
}

TEST(Search, AnswersWithAPointAtWhichTheConditionHeld) {
  const auto ragged = [](double x) { return std::sin(x * 1e6) / 1e6 + x < 1; };  // not quite monotone around 1
  EXPECT_TRUE(ragged(largest_where(ragged)));
}

}  // namespace
}  // namespace tailcoat
