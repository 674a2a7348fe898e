#include "tailcoat/algorithms/aggregate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "heavy_tails.hpp"

namespace tailcoat {
namespace {

using Point = std::vector<double>;
using Points = std::vector<Point>;

double away(std::span<const double> x, std::span<const double> z) { return std::sqrt(squared_distance(x, z)); }

// The smallest r such that more than half of the points are within r of z.
double majority_radius(const Points& points, std::span<const double> z) {
  std::vector<double> distances;
  for (const auto& point : points) distances.push_back(away(point, z));
  std::ranges::sort(distances);
  return distances[points.size() / 2];
}

// A majority in a ball around 0, of which many sit on its boundary, and the rest where it may mislead: together, on a
// line with the good ones, or far away.
Points hostile_points(std::mt19937_64& random) {
  const std::size_t k = 1 + random() % 15, d = 1 + random() % 3, good = k / 2 + 1;
  std::normal_distribution<> normal;
  const double lure = std::uniform_real_distribution<>(1, 4)(random);
  Points points;
  for (std::size_t i = 0; i < k; ++i) {
    std::vector<double> point(d);
    double squares = 0;
    for (double& part : point) {
      part = normal(random);
      squares += part * part;
    }
    double length = i < good ? (random() % 2 == 0 ? 1 : std::uniform_real_distribution<>(0, 1)(random)) : lure;
    if (i >= good && random() % 4 == 0) length = 1e8;
    for (double& part : point) part *= length / std::sqrt(squares);
    if (i >= good && random() % 2 == 0) {
      point.assign(d, 0.0);
      point[0] = lure;
    }
    points.push_back(std::move(point));
  }
  std::ranges::shuffle(points, random);
  return points;
}

TEST(Aggregate, IsWithinThreeTimesTheRadiusOfEveryMajority) {
  std::mt19937_64 random(1);
  double most = 0;
  for (int trial = 0; trial < 200'000; ++trial) {
    const Points points = hostile_points(random);
    const std::vector<double>& x = points[aggregate(points)];
    const std::vector<double> zero(x.size());
    const double radius = majority_radius(points, zero);
    EXPECT_LE(away(x, zero), 3 * radius * (1 + 1e-12));
    if (radius > 0) most = std::max(most, away(x, zero) / radius);
  }
  EXPECT_GT(most, 2.5);  // 3 is nearly reached: a smaller factor would not do
}

// The first and the last are far, and so is the mean of all: a point of the three near 0 it must be.
TEST(Aggregate, LeavesFarPointsFirstAndLastAside) {
  const Points points = {{1e6, 0}, {0.1, 0}, {0, 0.1}, {-0.1, 0}, {0, -1e3}};
  EXPECT_LE(away(points[aggregate(points)], Point(2)), 0.1);
  const auto within = aggregate_within(points, 0.3);
  ASSERT_TRUE(within.has_value());
  EXPECT_LE(away(points[*within], Point(2)), 0.1);
  EXPECT_EQ(aggregate(Points{{7.0}, {1.0}, {1.5}, {2.0}, {-9.0}}), 2u) << "the middle of the majority";
}

TEST(Aggregate, NeedsNoMoreThanOnePoint) { EXPECT_EQ(aggregate(Points{{1.0, 2.0}}), 0u); }

TEST(Aggregate, E18RadiusIsThatOfTheResult) {
  std::mt19937_64 random(2);
  int found = 0;
  for (int trial = 0; trial < 50'000; ++trial) {
    const Points points = hostile_points(random);
    const std::vector<double> zero(points[0].size());
    const double radius = std::uniform_real_distribution<>(0.5, 6)(random);
    std::size_t good = 0;
    for (const auto& point : points) good += away(point, zero) <= radius / 3;
    const auto chosen = aggregate_within(points, radius);
    if (static_cast<double>(good) < 0.51 * static_cast<double>(points.size())) continue;
    ++found;
    ASSERT_TRUE(chosen.has_value());
    EXPECT_LE(away(points[*chosen], zero), radius * (1 + 1e-12));
  }
  EXPECT_GT(found, 1000);
  EXPECT_FALSE(aggregate_within(Points{{0.0}, {10.0}, {20.0}}, 3).has_value());
}

TEST(Aggregate, FarProbabilityIsThatOfTheBinomial) {
  EXPECT_EQ(far_probability(1, 0.01), 0.01);
  const double q = far_probability(3, 0.01);
  EXPECT_NEAR(3 * q * q - 2 * q * q * q, 0.01, 1e-8);
  const double two = far_probability(2, 0.01);  // both of two must be near
  EXPECT_NEAR(1 - (1 - two) * (1 - two), 0.01, 1e-8);
  // The table of majorities for p = 0.9: about 1.96 ln(1/delta) copies.
  EXPECT_GT(far_probability(27, 1e-6), 0.09);
  EXPECT_LT(far_probability(15, 1e-6), 0.1);
}

TEST(Aggregate, MajoritiesFailNoMoreOftenThanPlanned) {
  std::mt19937_64 random(3);
  for (const std::size_t copies : {3u, 5u, 9u}) {
    const double failure = 0.02, q = far_probability(copies, failure);
    int failures = 0;
    constexpr int kRuns = 200'000;
    for (int run = 0; run < kRuns; ++run) {
      std::size_t near = 0;
      for (std::size_t j = 0; j < copies; ++j) near += !std::bernoulli_distribution(q)(random);
      failures += near < copies / 2 + 1;
    }
    const double error = std::sqrt(failure / kRuns);
    EXPECT_NEAR(static_cast<double>(failures) / kRuns, failure, 5 * error);  // false alarm below 1e-6
  }
}

}  // namespace
}  // namespace tailcoat
