#include "tailcoat/mechanisms/clipped_gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "audit.hpp"

namespace tailcoat {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

LabelledData load(Engine& engine, const std::vector<double>& values, const std::vector<double>& labels) {
  const std::size_t columns = values.size() / labels.size();
  return *engine.load(RowsOf<double>{values.data(), labels.size(), columns, columns}, labels);
}

// The gradient of the squared loss at 0 is minus label times row: -(300, 400, 0) and its opposite.
TEST(ClippedGradient, OppositeGradientsAreExactlyMuApart) {
  Engine engine(1);
  const std::vector<double> row{300, 400, 0}, x{0, 0, 0};
  const std::vector<double> sides[2] = {{1}, {-1}};
  const Gdp cost{0.8};
  const Shift shift = measured_shift(20'000, [&](int side, std::uint64_t seed) {
    TestOutlet outlet(cost, seed);
    const LabelledData data = load(engine, row, sides[side]);
    return clipped_gradient(engine, {data, SquaredLoss{}}, x, 5, "test", cost, outlet)->mean;
  });
  EXPECT_NEAR(shift.mu, cost.mu, 6 * shift.error);
}

// Replacing one of four rows moves the mean by 2 * clip / 4 at most.
TEST(ClippedGradient, SaysTheDeviationOfItsCoordinates) {
  Engine engine(1);
  const std::vector<double> rows(12), labels(4), x(3);
  const LabelledData data = load(engine, rows, labels);
  const Gdp cost{0.8};
  const double clip = 5;
  constexpr int kRuns = 20'000;
  double squares = 0, said = 0;
  for (int i = 0; i < kRuns; ++i) {
    TestOutlet outlet(cost, static_cast<std::uint64_t>(i));
    const auto gradient = clipped_gradient(engine, {data, SquaredLoss{}}, x, clip, "test", cost, outlet);
    ASSERT_TRUE(gradient.ok()) << gradient.error().message;
    for (const double part : gradient->mean) squares += part * part / (3 * kRuns);
    said = gradient->noise;
    ASSERT_EQ(said, outlet.meter.receipt().lines[0].release.noise_scale / 4);
  }
  EXPECT_NEAR(std::sqrt(squares) / said, 1, 6 / std::sqrt(6.0 * kRuns));
  EXPECT_NEAR(said, 2 * clip / (4 * cost.mu), 1e-3 * said);
}

// Margins -1.5 and 2.5, residuals 2.5 and -0.5.
TEST(ClippedGradient, IsTheGradientWhenNothingIsClipped) {
  Engine engine(1);
  const std::vector<double> rows{1, 2, 3, -1}, labels{1, 2}, x{0.5, -1};
  const LabelledData data = load(engine, rows, labels);
  const Gdp cost{1e5};
  TestOutlet outlet(cost, 1);
  const auto gradient = clipped_gradient(engine, {data, SquaredLoss{}}, x, 100, "slopes", cost, outlet);
  ASSERT_TRUE(gradient.ok()) << gradient.error().message;
  EXPECT_NEAR(gradient->mean[0], (-2.5 * 1 + 0.5 * 3) / 2, 0.02);
  EXPECT_NEAR(gradient->mean[1], (-2.5 * 2 - 0.5 * 1) / 2, 0.02);
  ASSERT_EQ(outlet.meter.receipt().lines.size(), 1u);
  EXPECT_EQ(outlet.meter.receipt().lines[0].release.what, "slopes");
  EXPECT_EQ(outlet.meter.receipt().lines[0].release.values, 2u);
}

TEST(ClippedGradient, KeepsTheDirectionOfWhatIsClipped) {
  Engine engine(1);
  const std::vector<double> rows{30, 40, 0.5, 0}, labels{-7, -1}, x{0, 0};
  const LabelledData data = load(engine, rows, labels);
  const Gdp cost{1e5};
  TestOutlet outlet(cost, 1);
  const auto gradient = clipped_gradient(engine, {data, SquaredLoss{}}, x, 5, "test", cost, outlet);
  ASSERT_TRUE(gradient.ok()) << gradient.error().message;
  EXPECT_NEAR(gradient->mean[0], (3 + 0.5) / 2, 0.01);
  EXPECT_NEAR(gradient->mean[1], 4.0 / 2, 0.01);
}

TEST(ClippedGradient, CountsBrokenRowsAsZeroAndKeepsN) {
  Engine engine(1);
  const std::vector<double> rows{2, INFINITY, kNaN, 2, 2}, labels{0, 0, 0, kNaN, 0}, x{1};
  const LabelledData data = load(engine, rows, labels);
  const Gdp cost{1e4};
  TestOutlet outlet(cost, 1);
  const auto gradient = clipped_gradient(engine, {data, SquaredLoss{}}, x, 10, "test", cost, outlet);
  ASSERT_TRUE(gradient.ok()) << gradient.error().message;
  EXPECT_NEAR(gradient->mean[0], (4 + 4) / 5.0, 0.01);
}

TEST(ClippedGradient, RefusesAClipThatIsNoPositiveNumberAndWhatTheMeterDoesNotHave) {
  Engine engine(1);
  const std::vector<double> rows{1}, labels{1}, x{0};
  const LabelledData data = load(engine, rows, labels);
  for (const double clip : {0.0, -1.0, kNaN, static_cast<double>(INFINITY)}) {
    TestOutlet outlet(Gdp{1}, 1);
    EXPECT_FALSE(clipped_gradient(engine, {data, SquaredLoss{}}, x, clip, "test", Gdp{1}, outlet).ok()) << clip;
    EXPECT_TRUE(outlet.meter.receipt().lines.empty()) << clip;
  }
  TestOutlet poor(Gdp{0.1}, 1);
  EXPECT_FALSE(clipped_gradient(engine, {data, SquaredLoss{}}, x, 1, "test", Gdp{1}, poor).ok());
  EXPECT_TRUE(poor.meter.receipt().lines.empty());
}

}  // namespace
}  // namespace tailcoat
