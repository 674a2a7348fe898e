#include "tailcoat/mechanisms/frequent_levels.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "audit.hpp"

namespace tailcoat {
namespace {

constexpr double kDelta = 1e-6;

// A meter with reservations for the thresholds.
struct LevelsOutlet {
  PrivacyMeter meter;
  BitSource noise;

  explicit LevelsOutlet(std::uint64_t seed, double delta = kDelta, std::size_t calls = 1)
      : meter(*PrivacyMeter::open(ApproxDp{2, 0.9}, std::vector<Event>(calls, levels_event(delta)))),
        noise(BitSource::insecure_seeded(seed)) {}
  operator Outlet() { return {meter, noise}; }
};

RowData load(Engine& engine, const std::vector<double>& values, std::size_t columns = 1) {
  return *engine.load_columns(RowsOf<double>{values.data(), values.size() / columns, columns, columns});
}

Result<FrequentLevels> run(const std::vector<double>& cells, const std::vector<std::string>& levels, Gdp cost,
                           double delta, std::uint64_t seed) {
  Engine engine(1);
  LevelsOutlet outlet(seed, delta);
  return frequent_levels(engine, load(engine, cells), 0, levels, "levels", cost, delta, outlet);
}

std::vector<double> repeated(const std::vector<std::pair<double, int>>& cells) {
  std::vector<double> values;
  for (const auto& [cell, times] : cells) values.insert(values.end(), static_cast<std::size_t>(times), cell);
  return values;
}

TEST(FrequentLevels, AreShownSortedWithTheirCounts) {
  const std::vector<double> cells = repeated({{0, 500}, {1, 3}, {2, 400}, {NAN, 700}, {3, 1}});
  const auto found = run(cells, {"pear", "fig", "apple", "kiwi"}, Gdp{0.5}, kDelta, 1);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->levels.size(), 2u);
  EXPECT_EQ(found->levels[0].text, "apple");
  EXPECT_EQ(found->levels[1].text, "pear");
  EXPECT_NEAR(found->noise_scale, std::sqrt(2) / 0.5, 1e-6);
  EXPECT_NEAR(found->threshold, 1 + 4.7534243 * found->noise_scale, 1e-4);  // P[Z > 4.7534243] = 1e-6
  EXPECT_EQ(found->threshold, *levels_threshold(cells.size(), Gdp{0.5}, kDelta));
  EXPECT_NEAR(found->levels[0].count, 400, 6 * found->noise_scale);
  EXPECT_NEAR(found->levels[1].count, 500, 6 * found->noise_scale);
}

// The same rows, with levels that appeared in another order, spelled twice, or that no row has.
TEST(FrequentLevels, DoNotDependOnTheListOfLevels) {
  const auto one = run(repeated({{0, 50}, {1, 60}, {2, 1}}), {"b", "a", "c"}, Gdp{1}, kDelta, 5);
  const auto two =
      run(repeated({{4, 1}, {0, 60}, {2, 30}, {3, 20}}), {"a", "unused", "b", "b", "c", "x"}, Gdp{1}, kDelta, 5);
  ASSERT_TRUE(one.ok() && two.ok());
  ASSERT_EQ(one->levels.size(), two->levels.size());
  for (std::size_t k = 0; k < one->levels.size(); ++k) {
    EXPECT_EQ(one->levels[k].text, two->levels[k].text);
    EXPECT_EQ(one->levels[k].count, two->levels[k].count);
  }
}

// The level of one row: with a large delta it can be seen to be shown as often as that allows, and no more.
TEST(FrequentLevels, ALevelOfOneRowIsShownWithProbabilityDelta) {
  const double delta = 0.05;
  const int runs = 20'000;
  int shown = 0;
  for (int i = 0; i < runs; ++i)
    shown += run({0}, {"alone"}, Gdp{1}, delta, static_cast<std::uint64_t>(i))->levels.empty() ? 0 : 1;
  EXPECT_NEAR(shown, runs * delta, 5 * std::sqrt(runs * delta));
}

TEST(FrequentLevels, NeighboursAreMuApartWhereBothHaveTheLevels) {
  const std::vector<double> sides[2] = {repeated({{0, 101}, {1, 100}}), repeated({{0, 100}, {1, 101}})};
  const Gdp cost{0.8};
  const Shift shift = measured_shift(5000, [&](int side, std::uint64_t seed) {
    const auto found = run(sides[side], {"a", "b"}, cost, kDelta, seed);
    return std::vector<double>{found->levels[0].count, found->levels[1].count};
  });
  EXPECT_NEAR(shift.mu, cost.mu, 6 * shift.error);
}

TEST(FrequentLevels, CellsThatAreNoLevelCountForNothing) {
  const std::vector<double> cells = repeated(
      {{NAN, 500}, {-1, 500}, {2, 500}, {0.5, 500}, {INFINITY, 500}, {-INFINITY, 500}, {1e300, 500}, {1e-300, 500}});
  EXPECT_TRUE(run(cells, {"a", "b"}, Gdp{1}, kDelta, 1)->levels.empty());
  EXPECT_TRUE(run(cells, {}, Gdp{1}, kDelta, 1)->levels.empty());
}

TEST(FrequentLevels, TheReceiptShowsBothPrices) {
  Engine engine(1);
  const std::vector<double> cells = repeated({{0, 100}});
  const std::vector<std::string> levels = {"a"};
  LevelsOutlet outlet(1);
  const auto found = frequent_levels(engine, load(engine, cells), 0, levels, "levels", Gdp{0.3}, kDelta, outlet);
  ASSERT_TRUE(found.ok()) << found.error().message;
  const auto& lines = outlet.meter.receipt().lines;
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].price.delta, kDelta);
  EXPECT_EQ(lines[0].price.epsilon, 0);
  EXPECT_LE(lines[1].price.mu, 0.3);
  EXPECT_GT(lines[1].price.mu, 0.3 * (1 - 1e-6));
  EXPECT_EQ(lines[1].release.noise_scale, found->noise_scale);
  EXPECT_NEAR(lines[1].release.sensitivity, std::sqrt(2), 1e-9);
}

TEST(FrequentLevels, ChargeNothingWhenRefused) {
  Engine engine(1);
  const std::vector<double> cells = {0, 0};
  const std::vector<std::string> levels = {"a"};
  const RowData data = load(engine, cells);
  LevelsOutlet outlet(1);
  EXPECT_FALSE(
      frequent_levels(engine, data, 0, levels, "levels", Gdp{1e3}, kDelta, outlet).ok());  // more than there is
  EXPECT_FALSE(frequent_levels(engine, data, 0, levels, "levels", Gdp{0.5}, 2 * kDelta, outlet).ok());  // not reserved
  EXPECT_FALSE(frequent_levels(engine, data, 1, levels, "levels", Gdp{0.5}, kDelta, outlet).ok());  // no such column
  for (const double delta : {0.0, -1.0, 1.0, static_cast<double>(NAN)})
    EXPECT_FALSE(frequent_levels(engine, data, 0, levels, "levels", Gdp{0.5}, delta, outlet).ok()) << delta;
  EXPECT_TRUE(outlet.meter.receipt().lines.empty());
  EXPECT_TRUE(frequent_levels(engine, data, 0, levels, "levels", Gdp{0.5}, kDelta, outlet).ok());
  EXPECT_FALSE(
      frequent_levels(engine, data, 0, levels, "levels", Gdp{0.1}, kDelta, outlet).ok());  // reserved for one call
}

}  // namespace
}  // namespace tailcoat
