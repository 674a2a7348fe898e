#include "tailcoat/mechanisms/bounded_laplace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tailcoat {
namespace {

constexpr ApproxDp kCost{.epsilon = 0.5, .delta = 0.2};

SensitiveSum count_of(std::int64_t value, double sensitivity, double unit = 1) {
  return {.units = Sensitive(std::vector<std::int64_t>{value}), .size = 1, .unit = unit, .sensitivity = sensitivity};
}

struct Setting {
  PrivacyMeter meter = *PrivacyMeter::open(ApproxDp{2, 0.4}, {ApproximateEvent{kCost.epsilon, kCost.delta}});
  BitSource noise = BitSource::insecure_seeded(1);
};

// 2,000 runs. The mass that neighbours do not share is delta, not half of it and not twice: released values above
// q + bound - shift are impossible on the neighbour q - shift. Five standard errors of its frequency are 0.045.
TEST(BoundedLaplace, StaysWithinItsBoundAndLeavesDeltaOutsideTheOverlap) {
  constexpr int kRuns = 2'000;
  constexpr double kShift = 10;
  double largest = 0, bound = 0, outside = 0;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    Setting setting;
    setting.noise = BitSource::insecure_seeded(seed);
    const auto release = bounded_laplace_release("count", count_of(700, kShift), kCost, {setting.meter, setting.noise});
    ASSERT_TRUE(release.ok()) << release.error().message;
    bound = release->bound;
    largest = std::max(largest, std::abs(release->value - 700));
    outside += release->value - 700 > bound - kShift;
  }
  EXPECT_LE(largest, bound);
  EXPECT_GT(largest, 0.9 * bound);
  EXPECT_NEAR(outside / kRuns, kCost.delta, 0.045);
}

TEST(BoundedLaplace, NeedsItsReservation) {
  Setting setting;
  const Outlet outlet{setting.meter, setting.noise};
  ASSERT_TRUE(bounded_laplace_release("count", count_of(1, 10), kCost, outlet).ok());
  const auto again = bounded_laplace_release("count", count_of(1, 10), kCost, outlet);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().kind, ErrorKind::refused);
  EXPECT_EQ(setting.meter.receipt().lines.size(), 1u);
}

TEST(BoundedLaplace, RefusesNonsenseAndChargesNothing) {
  Setting setting;
  const Outlet outlet{setting.meter, setting.noise};
  for (double sensitivity : {0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)})
    EXPECT_FALSE(bounded_laplace_release("count", count_of(1, sensitivity), kCost, outlet).ok()) << sensitivity;
  EXPECT_FALSE(bounded_laplace_release("count", count_of(1, 10), {.epsilon = 0, .delta = 0.02}, outlet).ok());
  EXPECT_FALSE(bounded_laplace_release("count", count_of(1, 10), {.epsilon = 0.5, .delta = 1}, outlet).ok());
  SensitiveSum two{.units = Sensitive(std::vector<std::int64_t>{1, 2}), .size = 2, .unit = 1, .sensitivity = 10};
  EXPECT_FALSE(bounded_laplace_release("counts", std::move(two), kCost, outlet).ok());
  EXPECT_TRUE(setting.meter.receipt().lines.empty());
}

}  // namespace
}  // namespace tailcoat
