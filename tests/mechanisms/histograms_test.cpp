#include "tailcoat/mechanisms/histograms.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "audit.hpp"

namespace tailcoat {
namespace {

RowData load(Engine& engine, const std::vector<double>& values, std::size_t columns) {
  return *engine.load_columns(RowsOf<double>{values.data(), values.size() / columns, columns, columns});
}

TEST(ColumnHistograms, AreTheCountsWithNoiseOfTheStatedScale) {
  const std::size_t n = 1000;
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.insert(values.end(), {i < 300 ? 1.0 : NAN, 5.0});
  const std::vector<BinGrid> grids = {magnitude_bins(4), level_bins(7)};
  Engine engine(1);
  const Gdp cost{0.5};
  double squares = 0, most = 0;
  std::size_t total = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    TestOutlet outlet(cost, seed);
    const auto found = column_histograms(engine, load(engine, values, 2), grids, "test", cost, outlet);
    ASSERT_TRUE(found.ok()) << found.error().message;
    ASSERT_EQ(found->counts.size(), 2u);
    EXPECT_NEAR(found->noise_scale, 2 / cost.mu, 1e-6);
    for (std::size_t j = 0; j < 2; ++j) {
      std::vector<double> expected(bin_count(grids[j]));
      for (std::size_t i = 0; i < n; ++i) ++expected[bin_of(grids[j], values[i * 2 + j])];
      ASSERT_EQ(found->counts[j].size(), expected.size());
      for (std::size_t b = 0; b < expected.size(); ++b) {
        const double noise = (found->counts[j][b] - expected[b]) / found->noise_scale;
        squares += noise * noise;
        most = std::max(most, std::abs(noise));
        ++total;
      }
    }
    const Receipt& receipt = outlet.meter.receipt();
    ASSERT_EQ(receipt.lines.size(), 1u);
    EXPECT_EQ(receipt.lines[0].release.noise_scale, found->noise_scale);
    EXPECT_EQ(receipt.lines[0].release.values, total / (seed + 1));
    EXPECT_NEAR(receipt.lines[0].release.sensitivity, 2, 1e-6);
    EXPECT_LE(receipt.gaussian_spent.mu, cost.mu);
    EXPECT_GT(receipt.gaussian_spent.mu, cost.mu * (1 - 1e-6));
  }
  EXPECT_NEAR(squares / static_cast<double>(total), 1, 6 * std::sqrt(2 / static_cast<double>(total)));
  EXPECT_LT(most, 7);
}

// One row, in other bins of every column on the other side.
TEST(ColumnHistograms, NeighboursAreMuApart) {
  const std::vector<double> sides[2] = {{1, 1, 1}, {-1, 0, NAN}};
  const std::vector<BinGrid> grids = {linear_bins(-2, 2, 2), magnitude_bins(1), linear_bins(0, 5, 1)};
  Engine engine(1);
  const Gdp cost{0.8};
  const Shift shift = measured_shift(1000, [&](int side, std::uint64_t seed) {
    TestOutlet outlet(cost, seed);
    const auto found = column_histograms(engine, load(engine, sides[side], 3), grids, "test", cost, outlet);
    const auto at = [&](std::size_t j, double value) { return found->counts[j][bin_of(grids[j], value)]; };
    return std::vector<double>{at(0, 1), at(0, -1), at(1, 1), at(1, 0), at(2, 1), at(2, NAN)};
  });
  EXPECT_NEAR(shift.mu, cost.mu, 6 * shift.error);
}

// The same with a column between that has no bins: it takes no noise and no budget.
TEST(ColumnHistograms, ColumnsWithoutBinsAreNeitherReleasedNorPaidFor) {
  const std::vector<double> values = {1, 7, 2, 3, -1, NAN};
  const std::vector<BinGrid> grids = {magnitude_bins(1), no_bins(), linear_bins(0, 5, 4)};
  Engine engine(1);
  TestOutlet outlet(Gdp{0.5}, 1);
  const auto found = column_histograms(engine, load(engine, values, 3), grids, "test", Gdp{0.5}, outlet);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->counts.size(), 3u);
  EXPECT_TRUE(found->counts[1].empty());
  EXPECT_EQ(found->counts[2].size(), bin_count(grids[2]));
  EXPECT_NEAR(found->noise_scale, std::sqrt(2 * 2) / 0.5, 1e-6);
  EXPECT_NEAR(outlet.meter.receipt().lines[0].release.sensitivity, std::sqrt(2 * 2), 1e-6);
}

TEST(ColumnHistograms, ChargeNothingWhenRefused) {
  Engine engine(1);
  const std::vector<double> values = {1, 2};
  const std::vector<BinGrid> good(1), bad = {magnitude_bins(3)};
  TestOutlet outlet(Gdp{1}, 1);
  EXPECT_FALSE(column_histograms(engine, load(engine, values, 1), good, "test", Gdp{2}, outlet).ok());
  EXPECT_FALSE(column_histograms(engine, load(engine, values, 1), good, "test", Gdp{0}, outlet).ok());
  EXPECT_FALSE(column_histograms(engine, load(engine, values, 1), bad, "test", Gdp{1}, outlet).ok());
  EXPECT_FALSE(column_histograms(engine, load(engine, values, 2), good, "test", Gdp{1}, outlet).ok());
  EXPECT_TRUE(outlet.meter.receipt().lines.empty());
}

}  // namespace
}  // namespace tailcoat
