#include "tailcoat/estimators/tail_pace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tailcoat {
namespace {

using Point = std::vector<double>;

// Tails whose coefficients are coordinates of a plane.
TailPace paced(std::vector<Point> units) {
  std::vector<TailDirection> tails;
  for (const Point& unit : units) tails.push_back({unit, unit});
  return TailPace(std::move(tails));
}

double sign(double x) { return x > 0 ? 1 : (x < 0 ? -1 : 0); }

constexpr double kLength = 0.5;

// Plain steps against a gradient, with the pace; says where that led.
template <class Gradient>
Point walk(TailPace pace, int steps, const Gradient& gradient, double noise = 1e-9) {
  Point x{0, 0};
  for (int t = 0; t < steps; ++t) {
    const Point g = gradient(x, t);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] -= kLength * g[j];
    if (2 * t == steps) pace.slow_down();
    pace.hurry(g, noise, kLength, x);
  }
  return x;
}

// A slope of 300 away whose gradient is bounded by 1: 24 steps of 0.5 get 12 far.
TEST(TailPace, GetsToAFarSlope) {
  const auto gradient = [](const Point& x, int) { return Point{sign(x[0] - 300), x[1] - 1}; };
  EXPECT_NEAR(walk(paced({}), 24, gradient)[0], 12, 1e-9);
  const Point found = walk(paced({{1, 0}}), 24, gradient);
  EXPECT_NEAR(found[0], 300, 10);
  EXPECT_NEAR(found[1], 1, 1e-6) << "others go as they do";
}

TEST(TailPace, LeavesAloneWhatGetsThere) {
  const auto gradient = [](const Point& x, int) { return Point{x[0] - 3, x[1] + 2}; };
  EXPECT_EQ(walk(paced({{1, 0}, {0, 1}}), 20, gradient), walk(paced({}), 20, gradient));
}

TEST(TailPace, DoesNotRunAfterNoise) {
  std::mt19937_64 random(3);
  int same = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Point> noise(16);
    for (Point& g : noise) g = {std::normal_distribution<>()(random), std::normal_distribution<>()(random)};
    const auto gradient = [&](const Point&, int t) { return noise[static_cast<std::size_t>(t)]; };
    same += walk(paced({{1, 0}, {0, 1}}), 16, gradient, 1) == walk(paced({}), 16, gradient, 1) ? 1 : 0;
  }
  // In seven steps, of two slopes: beyond 3 deviations, with chance 0.0027, on the side of the one before. 3.8 of 200.
  EXPECT_GE(same, 188);
}

// The same slope twice, as of two columns that say the same: steps along both add up.
TEST(TailPace, SharesAStepAmongSlopesThatGoTogether) {
  const auto gradient = [](const Point& x, int) {
    const double g = std::clamp(x[0] + x[1] - 300, -1.0, 1.0);
    return Point{g, g};
  };
  const Point found = walk(paced({{1, 1}, {1, 1}}), 24, gradient);
  EXPECT_NEAR(found[0] + found[1], 300, 10);
}

TEST(TailPace, ShortensStepsThatTurn) {
  TailPace pace = paced({{1, 0}});
  Point x{0, 0};
  const auto moved = [&](double derivative) {
    const double before = x[0];
    pace.hurry(Point{derivative, 0}, 1e-9, 1, x);
    return before - x[0] + derivative;  // with the plain step
  };
  EXPECT_EQ(moved(1), 1);
  EXPECT_EQ(moved(1), 2);
  EXPECT_EQ(moved(1), 4);
  EXPECT_EQ(moved(0.5), 2) << "it is getting there";
  EXPECT_NEAR(moved(-1), -1.6, 1e-12);
  EXPECT_NEAR(moved(1), 1, 1e-12);
  EXPECT_TRUE(pace.unfinished().empty());
  pace.slow_down();
  EXPECT_NEAR(moved(1), 1, 1e-12);
  EXPECT_EQ(pace.unfinished(), std::vector<std::size_t>{0}) << "it would go on";
}

}  // namespace
}  // namespace tailcoat
