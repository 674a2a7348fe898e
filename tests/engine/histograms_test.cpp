// Bins of a grid, and histograms of columns: every value is in one bin, every row moves each column by two counts at
// most, and nothing depends on threads or storage.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "helpers.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {
namespace {

const std::vector<double> kHostile = {kNaN,        -kNaN,   kInf,     -kInf,  kHuge,   -kHuge, 0,    -0.0,  kSubnormal,
                                      -kSubnormal, 0x1p-64, -0x1p-64, 0x1p64, -0x1p64, 1e308,  1,    -1,    0x1p-1022,
                                      0.1,         1.5,     -2.5,     7,      1e16,    -1e16,  1e-9, 3e-300};

std::vector<BinGrid> grids_to_try() {
  std::vector<BinGrid> grids;
  for (const int per_octave : {1, 2, 4, 8}) grids.push_back(magnitude_bins(per_octave));
  for (const std::size_t count : {1, 2, 3, 10, 1000}) {
    grids.push_back(linear_bins(0, 1, count));
    grids.push_back(linear_bins(-0.1, 0.7, count));
    grids.push_back(linear_bins(-8e307, 8e307, count));
    grids.push_back(linear_bins(0, 0x1p-1000, count));
    grids.push_back(linear_bins(1e16, 1e16 + 2, count));
    grids.push_back(linear_bins(-kHuge, -1e300, count));
  }
  return grids;
}

TEST(BinGrid, PutsEveryNumberInRange) {
  std::mt19937_64 random(1);
  for (const BinGrid& grid : grids_to_try()) {
    ASSERT_TRUE(check(grid).ok());
    std::vector<double> values = kHostile;
    for (int i = 0; i < 3000; ++i) {
      values.push_back(std::bit_cast<double>(random()));
      values.push_back(hostile_number(random));
      const double edge = lower_edge(grid, 1 + random() % (bin_count(grid) - 1));
      values.insert(values.end(), {edge, std::nextafter(edge, kInf), std::nextafter(edge, -kInf)});
    }
    for (const double value : values) ASSERT_LT(bin_of(grid, value), bin_count(grid)) << value;
  }
}

TEST(BinGrid, MagnitudeBinsHoldWhatTheirEdgesSay) {
  std::mt19937_64 random(2);
  for (const int per_octave : {1, 2, 4, 8}) {
    const BinGrid grid = magnitude_bins(per_octave);
    for (int i = 0; i < 100'000; ++i) {
      const double value = hostile_number(random);
      const std::size_t bin = bin_of(grid, value);
      if (std::isnan(value)) {
        ASSERT_EQ(bin, 0u);
        continue;
      }
      ASSERT_LE(lower_edge(grid, bin), value);
      ASSERT_GE(upper_edge(grid, bin), value);
    }
    // An edge belongs to the magnitudes above it, on both sides of zero.
    for (std::size_t bin = 1; bin < bin_count(grid); ++bin) {
      const double low = lower_edge(grid, bin), high = upper_edge(grid, bin);
      EXPECT_TRUE(!(low > 0) || bin_of(grid, low) == bin) << bin;
      EXPECT_TRUE(!(high < 0) || bin_of(grid, high) == bin) << bin;
      if (low > 0 && std::isfinite(high)) {
        EXPECT_EQ(bin_of(grid, std::nextafter(high, 0)), bin);
        EXPECT_LE(high / low, 1 + 1.0 / per_octave + 1e-12);
      }
      EXPECT_TRUE(bin == 1 || low == upper_edge(grid, bin - 1)) << bin;
    }
    EXPECT_EQ(bin_count(grid), static_cast<std::size_t>(256 * per_octave + 2));
  }
}

TEST(BinGrid, MagnitudesBeyondTheGridCountWithItsEnds) {
  const BinGrid grid = magnitude_bins(2);
  const std::size_t last = bin_count(grid) - 1, zero = bin_of(grid, 0);
  EXPECT_EQ(bin_of(grid, -0.0), zero);
  for (const double huge : {0x1.8p63, 0x1p64, 1e300, kHuge, kInf}) {
    EXPECT_EQ(bin_of(grid, huge), last);
    EXPECT_EQ(bin_of(grid, -huge), 1u);
  }
  for (const double tiny : {0x1.4p-64, 0x1p-64, 1e-300, kSubnormal}) {
    EXPECT_EQ(bin_of(grid, tiny), zero + 1);
    EXPECT_EQ(bin_of(grid, -tiny), zero - 1);
  }
  EXPECT_EQ(upper_edge(grid, last), kInf);
  EXPECT_EQ(lower_edge(grid, 1), -kInf);
  EXPECT_TRUE(std::isnan(lower_edge(grid, 0)));
}

TEST(BinGrid, LinearBinsHoldWhatTheirEdgesSay) {
  const BinGrid grid = linear_bins(-1, 3, 8);
  EXPECT_EQ(bin_count(grid), 11u);
  EXPECT_EQ(bin_of(grid, kNaN), 0u);
  EXPECT_EQ(bin_of(grid, std::nextafter(-1, -2)), 1u);
  EXPECT_EQ(bin_of(grid, -kInf), 1u);
  EXPECT_EQ(bin_of(grid, -1), 2u);
  EXPECT_EQ(bin_of(grid, 3), 9u);
  EXPECT_EQ(bin_of(grid, std::nextafter(3, 4)), 10u);
  EXPECT_EQ(bin_of(grid, kInf), 10u);
  for (std::size_t bin = 2; bin < 10; ++bin) {
    EXPECT_EQ(bin_of(grid, lower_edge(grid, bin)), bin);
    EXPECT_EQ(bin_of(grid, upper_edge(grid, bin) - 1e-12), bin);
    EXPECT_EQ(upper_edge(grid, bin) - lower_edge(grid, bin), 0.5);
  }
}

TEST(BinGrid, GivesEveryLevelABin) {
  for (const std::size_t levels : {1, 2, 3, 49, 1000, 65537}) {
    const BinGrid grid = level_bins(levels);
    for (std::size_t k = 0; k < levels; ++k) ASSERT_EQ(bin_of(grid, static_cast<double>(k)), k + 2);
    EXPECT_EQ(bin_of(grid, kNaN), 0u);
    EXPECT_EQ(bin_of(grid, -1), 1u);
    EXPECT_EQ(bin_of(grid, static_cast<double>(levels)), levels + 2);
  }
}

TEST(BinGrid, RefusesGridsWithoutBins) {
  for (const int per_octave : {-4, 0, 3, 5, 16}) EXPECT_FALSE(check(magnitude_bins(per_octave)).ok());
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{
           {1, 1}, {1, 0}, {kNaN, 1}, {0, kNaN}, {-kInf, 1}, {0, kInf}, {-kHuge, kHuge}, {0, kSubnormal}})
    EXPECT_FALSE(check(linear_bins(low, high, 4)).ok()) << low << " " << high;
  EXPECT_FALSE(check(linear_bins(0, 1, 0)).ok());
  EXPECT_FALSE(check(linear_bins(0, 1, kMostLinearBins + 1)).ok());
  EXPECT_FALSE(check(level_bins(0)).ok());
  EXPECT_TRUE(check(no_bins()).ok());
  EXPECT_EQ(bin_count(no_bins()), 0u);
}

// A third of them has no bins; at least one has.
std::vector<BinGrid> random_grids(std::size_t columns, std::mt19937_64& random) {
  const std::vector<BinGrid> all = grids_to_try();
  std::vector<BinGrid> grids(columns);
  for (BinGrid& grid : grids) grid = random() % 3 == 0 ? no_bins() : all[random() % all.size()];
  if (std::ranges::all_of(grids, [](const BinGrid& grid) { return grid == no_bins(); }))
    grids[random() % columns] = all[random() % all.size()];
  return grids;
}

std::size_t counted(const std::vector<BinGrid>& grids) {
  return grids.size() - static_cast<std::size_t>(std::ranges::count(grids, no_bins()));
}

TEST(Histograms, CountEachRowOnceInEachColumn) {
  std::mt19937_64 random(3);
  Engine engine(2);
  for (const std::size_t d : {1, 3, 20}) {
    const std::size_t n = 5000, stride = d + 2;
    std::vector<double> values(n * stride);
    for (double& value : values) value = hostile_number(random);
    const std::vector<BinGrid> grids = random_grids(d, random);
    const auto sum = *engine.histograms(*engine.load_columns(rows_of(values, d, stride)), grids, Gdp{1});
    std::vector<std::int64_t> expected;
    for (std::size_t j = 0; j < d; ++j) {
      const std::size_t start = expected.size();
      expected.resize(start + bin_count(grids[j]));
      for (std::size_t i = 0; i < n && grids[j] != no_bins(); ++i)
        ++expected[start + bin_of(grids[j], values[i * stride + j])];
    }
    ASSERT_EQ(opened(sum).size(), expected.size());
    EXPECT_EQ(sum.size, expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(opened(sum)[i], expected[i] * std::llround(1 / sum.unit));
  }
}

TEST(Histograms, AreTheSameOnAnyNumberOfThreadsAndInFloat) {
  std::mt19937_64 random(4);
  const std::size_t d = 7, n = 200'000;
  std::vector<float> floats(n * d);
  for (float& value : floats) value = static_cast<float>(std::clamp(hostile_number(random), -1e30, 1e30));
  const std::vector<double> doubles(floats.begin(), floats.end());
  const std::vector<BinGrid> grids = random_grids(d, random);
  Engine one(1);
  const auto expected = opened(*one.histograms(*one.load_columns(rows_of(doubles, d)), grids, Gdp{1}));
  for (const std::size_t threads : {1, 2, 3, 7}) {
    Engine engine(threads);
    EXPECT_EQ(opened(*engine.histograms(*engine.load_columns(rows_of(doubles, d)), grids, Gdp{1})), expected);
    EXPECT_EQ(opened(*engine.histograms(*engine.load(rows_of(floats, d)), grids, Gdp{1})), expected);
  }
}

TEST(Histograms, NeighboursAreWithinTheSensitivityAndReachIt) {
  Engine engine(1);
  std::mt19937_64 random(5);
  double most = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const std::size_t d = std::array<std::size_t, 5>{1, 2, 3, 8, 17}[random() % 5], n = 3;
    std::vector<BinGrid> grids = random_grids(d, random);
    const std::vector<double> values = hostile_rows(n, d, random);
    std::vector<double> other = values;
    const std::size_t replaced = random() % n;
    const auto row = hostile_row(d, random);
    for (std::size_t j = 0; j < d; ++j) other[replaced * d + j] = random() % 2 ? row[j] : kNaN;
    const double moved = std::sqrt(2 * static_cast<double>(counted(grids))), least = 2 * moved / kGaussianScale;
    const Gdp cost{least * std::exp2(std::uniform_real_distribution<>(0, 24)(random))};
    const auto one = *engine.histograms(*engine.load_columns(rows_of(values, d)), grids, cost);
    const auto two = *engine.histograms(*engine.load_columns(rows_of(other, d)), grids, cost);
    EXPECT_EQ(one.sensitivity, two.sensitivity);
    EXPECT_LE(exact(one.sensitivity), exact(kGaussianScale) * exact(cost.mu));
    EXPECT_NEAR(one.sensitivity * one.unit / moved, 1, 1e-12) << "columns without bins cost nothing";
    const Rational share = moved_share(one, two);
    ASSERT_LE(share, 1);
    most = std::max(most, static_cast<double>(share));
  }
  EXPECT_GT(most, 0.999);
}

// The counts, their lattice and so their noise are those of the other columns alone.
TEST(Histograms, ColumnsWithoutBinsAreAsIfTheyWereNotThere) {
  Engine engine(2);
  std::mt19937_64 random(6);
  const std::size_t d = 9, n = 500;
  std::vector<double> values(n * d), kept;
  for (double& value : values) value = hostile_number(random);
  const std::vector<BinGrid> grids = random_grids(d, random);
  std::vector<BinGrid> grids_kept;
  for (std::size_t j = 0; j < d; ++j)
    if (grids[j] != no_bins()) grids_kept.push_back(grids[j]);
  ASSERT_LT(grids_kept.size(), d);
  for (std::size_t i = 0; i < n * d; ++i)
    if (grids[i % d] != no_bins()) kept.push_back(values[i]);
  const auto all = *engine.histograms(*engine.load_columns(rows_of(values, d)), grids, Gdp{1});
  const auto part = *engine.histograms(*engine.load_columns(rows_of(kept, grids_kept.size())), grids_kept, Gdp{1});
  EXPECT_EQ(opened(all), opened(part));
  EXPECT_EQ(all.sensitivity, part.sensitivity);
  EXPECT_EQ(all.unit, part.unit);
  EXPECT_EQ(all.size, part.size);
}

TEST(Histograms, RefuseWrongGridsAndBudgets) {
  Engine engine(1);
  const std::vector<double> values = {1, 2, 3, 4};
  const auto data = *engine.load_columns(rows_of(values, 2));
  const std::vector<BinGrid> one(1), two(2), bad = {magnitude_bins(4), linear_bins(1, 0, 3)};
  EXPECT_FALSE(engine.histograms(data, one, Gdp{1}).ok());
  EXPECT_FALSE(engine.histograms(data, bad, Gdp{1}).ok());
  const auto nothing = engine.histograms(data, std::vector<BinGrid>(2, no_bins()), Gdp{1});
  ASSERT_FALSE(nothing.ok());
  EXPECT_NE(nothing.error().message.find("no column has bins"), std::string::npos) << nothing.error().message;
  for (const double mu : {0.0, -1.0, kNaN, kInf, 1e-9, 1e30}) EXPECT_FALSE(engine.histograms(data, two, Gdp{mu}).ok());
  EXPECT_TRUE(engine.histograms(data, two, Gdp{1}).ok());
}

// Before noise: within sqrt(2) for any replaced cell, and a level that only one side has, has one row there.
TEST(LevelCounts, NeighboursMoveTwoCountsByOne) {
  Engine engine(2);
  std::mt19937_64 random(7);
  const auto cell = [&] {
    const std::vector<double> bad = {kNaN, kInf, -kInf, -1, 5, 0.25, -0.0, 1e300, 4.999999999, kSubnormal};
    return random() % 4 == 0 ? bad[random() % bad.size()] : static_cast<double>(random() % 5);
  };
  Rational most = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<double> cells(12);
    for (double& value : cells) value = cell();
    std::vector<double> other = cells;
    other[2 * (random() % 6) + 1] = cell();
    const auto one = SensitiveKey::take(*engine.level_counts(*engine.load_columns(rows_of(cells, 2)), 1, 5));
    const auto two = SensitiveKey::take(*engine.level_counts(*engine.load_columns(rows_of(other, 2)), 1, 5));
    most = std::max(most, squared_distance(one, two));
    for (std::size_t k = 0; k < 5; ++k) {
      std::int64_t expected = 0;
      for (std::size_t i = 0; i < 6; ++i) expected += cells[2 * i + 1] == static_cast<double>(k) ? 1 : 0;
      ASSERT_EQ(one[k], expected);
      ASSERT_TRUE((one[k] > 0 && two[k] > 0) || std::max(one[k], two[k]) <= 1);
    }
  }
  EXPECT_EQ(most, 2);
}

TEST(LoadColumns, IsForCountsOnly) {
  Engine engine(1);
  const std::vector<double> values = {1, 2, 3, 4}, lower = {0, 0}, upper = {2, 2};
  const auto data = *engine.load_columns(rows_of(values, 2));
  EXPECT_TRUE(engine.counts_outside(data, lower, upper, Gdp{1}).ok());
  const auto refused = engine.clipped_row_sum(data, *clip_lattice(1, 2, Gdp{1}));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("use load()"), std::string::npos);
  EXPECT_FALSE(engine.second_moment_sum(data, 1, Gdp{1}).ok());
  EXPECT_FALSE(engine.load_columns(RowsOf<double>{values.data(), 0, 2, 2}).ok());
}

}  // namespace
}  // namespace tailcoat
