#include "tailcoat/report/scale.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tailcoat::report {
namespace {

TEST(Scale, MapsItsEndsInsideThePixels) {
  const Scale scale({1, 1000}, true, 0, 100);
  EXPECT_NEAR(scale.pixel(std::sqrt(1000)), 50, 1e-9);
  EXPECT_GT(scale.pixel(1), 0);
  EXPECT_LT(scale.pixel(1000), 100);
  EXPECT_EQ(scale.ticks(), (std::vector<double>{1, 10, 100, 1000}));
  EXPECT_EQ(scale.tick_label(1000), "10³");
  EXPECT_EQ(scale.tick_label(0.01), "0.01");
  const Scale narrow({200, 900}, true, 0, 100);
  EXPECT_EQ(narrow.ticks(), (std::vector<double>{200, 500}));
  const Scale linear({0, 10}, false, 0, 100);
  EXPECT_EQ(linear.ticks(), (std::vector<double>{0, 2, 4, 6, 8, 10}));
}

}  // namespace
}  // namespace tailcoat::report
