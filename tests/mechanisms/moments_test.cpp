#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "audit.hpp"
#include "tailcoat/mechanisms/clipped_mean.hpp"
#include "tailcoat/mechanisms/second_moment.hpp"

namespace tailcoat {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

RowData load(Engine& engine, const std::vector<double>& values, std::size_t columns) {
  return *engine.load(RowsOf<double>{values.data(), values.size() / columns, columns, columns});
}

// Worst neighbours of a clipped mean are opposite vectors beyond the radius: the audit has to see all of mu, no more.
TEST(ClippedMean, OppositeRowsAreExactlyMuApart) {
  Engine engine(1);
  const std::vector<double> sides[2] = {{300, 400, 0}, {-300, -400, 0}};
  const Gdp cost{0.8};
  const Shift shift = measured_shift(20'000, [&](int side, std::uint64_t seed) {
    TestOutlet outlet(cost, seed);
    return *clipped_mean(engine, load(engine, sides[side], 3), 5.0, "test", cost, outlet);
  });
  EXPECT_NEAR(shift.mu, cost.mu, 6 * shift.error);
}

TEST(ClippedMean, IsTheMeanWhenNothingIsClipped) {
  Engine engine(1);
  const std::vector<double> rows = {1, 2, 3, 4, 5, 6};
  const Gdp cost{1e4};
  TestOutlet outlet(cost, 1);
  const auto mean = clipped_mean(engine, load(engine, rows, 2), 100, "test", cost, outlet);
  ASSERT_TRUE(mean.ok()) << mean.error().message;
  EXPECT_NEAR((*mean)[0], 3, 0.05);
  EXPECT_NEAR((*mean)[1], 4, 0.05);
}

TEST(ClippedMean, CountsBrokenRowsAsZeroAndKeepsN) {
  Engine engine(1);
  const std::vector<double> rows = {2, INFINITY, kNaN, 2};
  const Gdp cost{1e4};
  TestOutlet outlet(cost, 1);
  const auto mean = clipped_mean(engine, load(engine, rows, 1), 10, "test", cost, outlet);
  ASSERT_TRUE(mean.ok()) << mean.error().message;
  EXPECT_NEAR((*mean)[0], 1, 0.01);
}

TEST(ClippedMean, RefusesARadiusThatIsNoPositiveNumber) {
  Engine engine(1);
  const std::vector<double> rows = {1};
  for (double radius : {0.0, -1.0, kNaN, static_cast<double>(INFINITY)}) {
    TestOutlet outlet(Gdp{1}, 1);
    EXPECT_FALSE(clipped_mean(engine, load(engine, rows, 1), radius, "test", Gdp{1}, outlet).ok()) << radius;
    EXPECT_TRUE(outlet.meter.receipt().lines.empty());
  }
}

// Orthogonal rows at the radius attain the Frobenius bound sqrt(2) R^2.
TEST(SecondMoment, OrthogonalRowsAreExactlyMuApart) {
  Engine engine(1);
  const std::vector<double> sides[2] = {{30, 0, 0}, {0, 0, 40}};
  const Gdp cost{0.8};
  const Shift shift = measured_shift(20'000, [&](int side, std::uint64_t seed) {
    TestOutlet outlet(cost, seed);
    return second_moment(engine, load(engine, sides[side], 3), 2.0, cost, outlet)->matrix;
  });
  EXPECT_NEAR(shift.mu, cost.mu, 6 * shift.error);
}

// Rows at 45 degrees differ off the diagonal too, where the noise is smaller by sqrt(2): the packed norm must cover it.
// In the matrix each off-diagonal entry stands twice, so the audit looks at the upper triangle.
TEST(SecondMoment, NoPairOfRowsIsMoreThanMuApart) {
  Engine engine(1);
  const Gdp cost{0.8};
  const std::vector<std::vector<double>> pairs[] = {
      {{1, 1}, {1, -1}}, {{1, 1}, {-1, 1}}, {{2, 1}, {-1, 2}}, {{9, 9}, {0, 0}}};
  for (const auto& sides : pairs) {
    const Shift shift = measured_shift(5'000, [&](int side, std::uint64_t seed) {
      TestOutlet outlet(cost, seed);
      const auto matrix =
          second_moment(engine, load(engine, sides[static_cast<std::size_t>(side)], 2), 1.0, cost, outlet)->matrix;
      return std::vector<double>{matrix[0], matrix[1] * std::sqrt(2.0), matrix[3]};
    });
    EXPECT_LT(shift.mu, cost.mu + 6 * shift.error);
  }
}

TEST(SecondMoment, IsSymmetricAndCloseWhenTheBudgetIsLarge) {
  Engine engine(1);
  const std::vector<double> rows = {1, 2, 3, -1};  // (1/2) sum = [[5, -0.5], [-0.5, 2.5]]
  const Gdp cost{1e5};
  TestOutlet outlet(cost, 1);
  const auto moment = second_moment(engine, load(engine, rows, 2), 10, cost, outlet);
  ASSERT_TRUE(moment.ok()) << moment.error().message;
  EXPECT_NEAR(moment->matrix[0], 5, 0.05);
  EXPECT_NEAR(moment->matrix[1], -0.5, 0.05);
  EXPECT_NEAR(moment->matrix[3], 2.5, 0.05);
  EXPECT_EQ(moment->matrix[1], moment->matrix[2]);
}

// Two gradients at a right angle, both beyond the clip: all of mu.
TEST(GradientSecondMoment, OrthogonalGradientsAreExactlyMuApart) {
  Engine engine(1);
  const std::vector<double> sides[2] = {{30, 0}, {0, -40}}, labels = {1}, weights = {2}, x = {0, 0};
  const Gdp cost{0.8};
  const Shift shift = measured_shift(5000, [&](int side, std::uint64_t seed) {
    TestOutlet outlet(cost, seed);
    const auto data = *engine.load(RowsOf<double>{sides[side].data(), 1, 2, 2}, labels, weights);
    const auto moment = *gradient_second_moment(engine, {data, SquaredLoss{}}, x, 0.5, cost, outlet);
    EXPECT_EQ(outlet.meter.receipt().lines[0].release.noise_scale, moment.noise_scale);
    return std::vector<double>{moment.matrix[0], moment.matrix[3]};
  });
  EXPECT_NEAR(shift.mu, cost.mu, 6 * shift.error);
  TestOutlet poor(Gdp{0.1}, 1);
  const auto data = *engine.load(RowsOf<double>{sides[0].data(), 1, 2, 2}, labels);
  EXPECT_FALSE(gradient_second_moment(engine, {data, SquaredLoss{}}, x, 0.5, cost, poor).ok());
  EXPECT_TRUE(poor.meter.receipt().lines.empty());
}

}  // namespace
}  // namespace tailcoat
