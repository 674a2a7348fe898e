#include "tailcoat/mechanisms/quantile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "audit.hpp"
#include "tailcoat/mechanisms/gaussian_release.hpp"

namespace tailcoat {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

RowData load(Engine& engine, const std::vector<double>& values, std::size_t columns) {
  return *engine.load(RowsOf<double>{values.data(), values.size() / columns, columns, columns});
}

std::vector<double> quantiles(const std::vector<double>& values, std::size_t columns, QuantileSearch search, Gdp cost,
                              std::uint64_t seed = 1) {
  Engine engine(1);
  TestOutlet outlet(cost, seed);
  const auto found = column_quantiles(engine, load(engine, values, columns), search, cost, outlet);
  EXPECT_TRUE(found.ok()) << found.error().message;
  return *found;
}

TEST(Quantile, FindsTheMedianOfAnyMagnitude) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (double magnitude : {1e-12, 1e-3, 1.0, 1e6, 1e15}) {
    std::vector<double> values(10'001);
    for (double& value : values) value = magnitude * (5 + normal(random));
    EXPECT_NEAR(quantiles(values, 1, {}, Gdp{0.5})[0] / magnitude, 5, 0.05) << magnitude;
    for (double& value : values) value = -value;
    EXPECT_NEAR(quantiles(values, 1, {}, Gdp{0.5})[0] / magnitude, -5, 0.05) << magnitude;
  }
}

TEST(Quantile, FindsAYearToWithinOne) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(1970, 30);
  std::vector<double> years(10'001);
  for (double& year : years) year = std::round(normal(random));
  EXPECT_NEAR(quantiles(years, 1, {}, Gdp{0.5})[0], 1970, 2);
}

TEST(Quantile, FindsEveryColumnInOneSearch) {
  std::vector<double> values;
  for (int i = 0; i < 20'001; ++i) {
    const double rank = (i * 7919 % 20'001) / 20'001.0;
    values.insert(values.end(), {rank, 1000 * rank, -rank, 3.0});
  }
  const auto found = quantiles(values, 4, {.share_above = 0.1}, Gdp{1});
  EXPECT_NEAR(found[0], 0.9, 0.01);
  EXPECT_NEAR(found[1], 900, 10);
  EXPECT_NEAR(found[2], -0.1, 0.01);
  EXPECT_NEAR(found[3], 3, 0.01);
}

TEST(Quantile, SurvivesZerosHugeAndBrokenValues) {
  EXPECT_EQ(quantiles(std::vector<double>(1000, 0.0), 1, {}, Gdp{1})[0], 0);
  EXPECT_GT(quantiles(std::vector<double>(1000, 1e308), 1, {}, Gdp{1})[0], 1.8e19);
  EXPECT_GT(quantiles(std::vector<double>(1000, INFINITY), 1, {}, Gdp{1})[0], 1.8e19);
  EXPECT_LT(quantiles(std::vector<double>(1000, kNaN), 1, {}, Gdp{1})[0], -1.8e19);  // above nothing
  EXPECT_TRUE(std::isfinite(quantiles({42}, 1, {}, Gdp{1})[0]));
}

TEST(Quantile, SpendsItsPriceAndNoMore) {
  Engine engine(1);
  const std::vector<double> values = {1, 2, 3, 4};
  TestOutlet outlet(Gdp{1}, 1);
  ASSERT_TRUE(column_quantiles(engine, load(engine, values, 2), {}, Gdp{0.6}, outlet).ok());
  const double spent = outlet.meter.receipt().gaussian_spent.mu;
  EXPECT_LE(spent, 0.6);
  EXPECT_GT(spent, 0.6 * (1 - 1e-4));
}

TEST(Quantile, StepsDoNotDependOnTheData) {
  Engine engine(1);
  for (double value : {0.0, 1.0, 1e300, -1e-300}) {
    const std::vector<double> values(10, value);
    TestOutlet outlet(Gdp{1}, 1);
    ASSERT_TRUE(column_quantiles(engine, load(engine, values, 2), {}, Gdp{1}, outlet).ok());
    EXPECT_EQ(outlet.meter.receipt().lines.size(), 19u);
  }
}

// One row above every threshold against one below: each of the d counts moves by 1. The audit looks at the first step,
// whose threshold is 0 on both sides.
TEST(Quantile, NeighboursAreStepMuApart) {
  constexpr std::size_t kColumns = 4;
  const std::vector<double> sides[2] = {std::vector<double>(kColumns, 1.0), std::vector<double>(kColumns, -1.0)};
  Engine engine(1);
  const Gdp cost{0.8};
  std::vector<double> lower(kColumns, -INFINITY), upper(kColumns, 0);
  const Shift shift = measured_shift(20'000, [&](int side, std::uint64_t seed) {
    TestOutlet outlet(cost, seed);
    const RowData data = load(engine, sides[side], kColumns);
    return *gaussian_release("counts", *engine.counts_outside(data, lower, upper, cost), outlet);
  });
  EXPECT_NEAR(shift.mu, cost.mu, 6 * shift.error);
}

TEST(Quantile, RankErrorIsWithinAFewRankNoises) {
  std::vector<double> values(50'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i + 1);
  const Gdp cost{0.1};
  const QuantileSearch search{.share_above = 0.3, .precision = 16};
  const double noise = quantile_rank_noise(1, search, cost);
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    EXPECT_NEAR(quantiles(values, 1, search, cost, seed)[0], 35'000, 6 * noise);
}

TEST(Spread, FindsTheDistanceFromTheCentre) {
  Engine engine(1);
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(1970, 30);
  std::vector<double> years(20'001);
  for (double& year : years) year = normal(random);
  TestOutlet outlet(Gdp{1}, 1);
  const std::vector<double> centre = {1970};
  const auto spread = column_spreads(engine, load(engine, years, 1), centre, {.share_above = 0.05}, Gdp{1}, outlet);
  ASSERT_TRUE(spread.ok()) << spread.error().message;
  EXPECT_NEAR((*spread)[0], 1.96 * 30, 1.5);
}

TEST(Spread, OfAConstantColumnIsZero) {
  Engine engine(1);
  const std::vector<double> values(1000, 7.0), centre = {7.0};
  TestOutlet outlet(Gdp{1}, 1);
  EXPECT_EQ((*column_spreads(engine, load(engine, values, 1), centre, {}, Gdp{1}, outlet))[0], 0);
}

TEST(Quantile, RefusesNonsense) {
  Engine engine(1);
  const std::vector<double> values = {1, 2};
  const RowData data = load(engine, values, 1);
  TestOutlet outlet(Gdp{1}, 1);
  for (double share : {0.0, 1.0, -0.5, kNaN}) {
    const auto refused = column_quantiles(engine, data, {.share_above = share}, Gdp{1}, outlet);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("share-above"), std::string::npos);
  }
  EXPECT_FALSE(column_quantiles(engine, data, {.precision = -1}, Gdp{1}, outlet).ok());
  EXPECT_FALSE(column_quantiles(engine, data, {.precision = 99}, Gdp{1}, outlet).ok());
  EXPECT_FALSE(column_quantiles(engine, data, {}, Gdp{0}, outlet).ok());
  EXPECT_FALSE(column_quantiles(engine, data, {}, Gdp{kNaN}, outlet).ok());
  EXPECT_FALSE(column_quantiles(engine, data, {}, Gdp{2}, outlet).ok());  // more than there is
  const std::vector<double> centres = {kNaN}, too_many = {1, 2};
  EXPECT_FALSE(column_spreads(engine, data, centres, {}, Gdp{1}, outlet).ok());
  EXPECT_FALSE(column_spreads(engine, data, too_many, {}, Gdp{1}, outlet).ok());
  EXPECT_TRUE(outlet.meter.receipt().lines.empty());
}

}  // namespace
}  // namespace tailcoat
