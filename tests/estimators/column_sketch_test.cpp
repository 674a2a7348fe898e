#include "tailcoat/estimators/column_sketch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kRows = 20000;
using Random = std::mt19937_64;
using Draw = std::function<double(Random&)>;

struct Sketched {
  std::vector<ColumnSketch> sketches;
  Receipt receipt;
};

// A column per draw; costs all of `budget`.
Sketched sketched(const std::vector<Draw>& draws, std::uint64_t seed, std::size_t rows = kRows,
                  ApproxDp budget = {1, 1e-6}) {
  Random random(seed);
  std::vector<double> cells;
  for (std::size_t i = 0; i < rows; ++i)
    for (const Draw& draw : draws) cells.push_back(draw(random));
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(seed + 1);
  auto meter = open_meter(budget);
  if (!meter) stop_at(meter.error());
  auto data = engine.load_columns(RowsOf<double>{cells.data(), rows, draws.size(), draws.size()});
  if (!data) stop_at(data.error());
  std::vector<std::size_t> all(draws.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  auto found = sketch_columns(engine, *data, all, "columns", meter->share(1), {*meter, noise});
  if (!found) stop_at(found.error());
  return {std::move(*found), meter->receipt()};
}

ColumnSketch sketch_of(const Draw& draw, std::uint64_t seed, std::size_t rows = kRows) {
  return std::move(sketched({draw}, seed, rows).sketches[0]);
}

Draw normal(double mean, double deviation) {
  return [=](Random& random) { return std::normal_distribution<double>(mean, deviation)(random); };
}
Draw always(double value) {
  return [=](Random&) { return value; };
}
Draw with_chance(double chance, const Draw& then, const Draw& otherwise) {
  return [=](Random& random) {
    return std::uniform_real_distribution<double>()(random) < chance ? then(random) : otherwise(random);
  };
}

double deviation(const ColumnSketch& sketch) { return std::sqrt(sketch.spread_within(sketch.quantile(0.5), HUGE_VAL)); }

// Everything that can be asked of a sketch is a number, and its bins are in order and apart.
void expect_sane(const ColumnSketch& sketch, const std::string& what) {
  ASSERT_FALSE(sketch.bins.empty()) << what;
  double before = -HUGE_VAL;
  for (const SketchBin& bin : sketch.bins) {
    EXPECT_TRUE(std::isfinite(bin.low) && std::isfinite(bin.high) && std::isfinite(bin.rows)) << what;
    EXPECT_LE(bin.low, bin.high) << what;
    EXPECT_GE(bin.rows, 0) << what;
    EXPECT_GE(bin.low, before - 1e-9 * std::abs(before)) << what;
    before = bin.high;
  }
  const double centre = sketch.quantile(0.5);
  EXPECT_GE(centre, sketch.low()) << what;
  EXPECT_LE(centre, sketch.high()) << what;
  EXPECT_LE(sketch.quantile(0.1), sketch.quantile(0.9)) << what;
  for (const double limit : {0.0, 1e-30, 1.0, 1e30}) {
    EXPECT_TRUE(std::isfinite(sketch.spread_within(centre, limit))) << what;
    EXPECT_TRUE(std::isfinite(sketch.excess_beyond(centre, limit))) << what;
    EXPECT_GE(sketch.share_beyond(centre, limit), 0) << what;
    EXPECT_LE(sketch.share_beyond(centre, limit), 1 + 1e-12) << what;
  }
}

TEST(ColumnSketch, FindsCentreAndScaleOfNormalColumns) {
  for (const auto& [mean, scale] : {std::pair{1e6, 1e3}, {0.0, 1.0}, {-50.0, 2.0}, {1e-9, 1e-12}, {3e12, 1e12}}) {
    const ColumnSketch sketch = sketch_of(normal(mean, scale), 5);
    expect_sane(sketch, std::to_string(mean));
    EXPECT_NEAR(sketch.quantile(0.5), mean, 0.5 * scale) << mean;
    EXPECT_GT(deviation(sketch), 0.7 * scale) << mean;
    EXPECT_LT(deviation(sketch), 1.6 * scale) << mean;
    EXPECT_NEAR(sketch.rows(), static_cast<double>(kRows), 0.1 * static_cast<double>(kRows)) << mean;
  }
}

TEST(ColumnSketch, FindsYears) {
  const ColumnSketch sketch = sketch_of([](Random& random) { return 1940.0 + static_cast<double>(random() % 61); }, 7);
  EXPECT_NEAR(sketch.quantile(0.5), 1970, 8);
  EXPECT_NEAR(deviation(sketch), 17.6, 6);
  EXPECT_GT(sketch.low(), 1800);
  EXPECT_LT(sketch.high(), 2100);
}

TEST(ColumnSketch, FindsTheBulkAndTheTailOfALogNormalColumn) {
  const ColumnSketch sketch = sketch_of([](Random& random) { return std::exp(normal(7, 1.5)(random)); }, 9);
  expect_sane(sketch, "log-normal");
  const double median = std::exp(7.0);
  EXPECT_GT(sketch.quantile(0.5), 0.3 * median);
  EXPECT_LT(sketch.quantile(0.5), 3 * median);
  EXPECT_GT(sketch.high(), median * std::exp(2 * 1.5));
}

TEST(ColumnSketch, FindsValuesOfBothSigns) {
  const ColumnSketch sketch = sketch_of(with_chance(0.5, normal(-100, 5), normal(100, 5)), 11);
  expect_sane(sketch, "both signs");
  EXPECT_LT(sketch.low(), -90);
  EXPECT_GT(sketch.high(), 90);
  EXPECT_NEAR(deviation(sketch), 140, 60);  // about a median at either side
  EXPECT_NEAR(sketch.share_beyond(0, 50), 1, 0.05);
}

// Too few rows for each sign to show alone, and enough for both: alone they did in 47 of 200 columns, together in 167.
TEST(ColumnSketch, FewRowsAroundZeroAreSeenWithBothSigns) {
  int seen = 0, both = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const ColumnSketch sketch = sketch_of(normal(0, 1), seed, 200);
    seen += sketch.blank ? 0 : 1;
    both += sketch.low() < -0.5 && sketch.high() > 0.5 ? 1 : 0;
  }
  EXPECT_GE(seen, 34);
  EXPECT_GE(both, 26);
  int negative = 0;  // one sign is no reason to think of the other, also where much of it is hidden
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const ColumnSketch sketch = sketch_of([](Random& random) { return std::exp(2 * normal(0, 1)(random)); }, seed, 200);
    negative += sketch.low() < 0 ? 1 : 0;
  }
  EXPECT_LE(negative, 4);
}

TEST(ColumnSketch, SeesRareOnes) {
  for (const double chance : {0.3, 0.05, 0.02, 0.008}) {
    const ColumnSketch sketch = sketch_of(with_chance(chance, always(1), always(0)), 13);
    expect_sane(sketch, "rare");
    EXPECT_NEAR(sketch.quantile(0.1), 0, 0.07) << chance;
    EXPECT_NEAR(sketch.share_beyond(0, 0.5), chance, 0.1 * chance + 0.003) << chance;
    EXPECT_GE(sketch.high(), 1) << chance;
    EXPECT_LE(sketch.high(), 2.1) << chance;
  }
}

TEST(ColumnSketch, CountsZerosAndHowTheOthersDiffer) {
  const auto rows = static_cast<double>(kRows);
  const ColumnSketch amounts =
      sketch_of(with_chance(
                    0.4, [](Random& random) { return std::exp(normal(7, 1.5)(random)); }, always(0)),
                14);
  EXPECT_NEAR(amounts.zeros, 0.6 * rows, 0.03 * rows);
  EXPECT_GT(amounts.varied, 0.2 * rows) << "of the octaves of a log-normal law with sigma = 1.5 none holds a third";
  EXPECT_LT(amounts.varied, 0.4 * rows);
  const ColumnSketch flags = sketch_of(with_chance(0.4, always(1), always(0)), 15);
  EXPECT_NEAR(flags.zeros, 0.6 * rows, 0.03 * rows);
  EXPECT_LT(flags.varied, 5 * flags.noise) << "noise, if anything";
  EXPECT_NEAR(sketch_of(normal(100, 5), 16).zeros, 0, 5 * flags.noise);
}

// The bulk is always narrow. Octaves beside it that hold nothing but noise are kept if k of them have more than 1.5 k
// deviations, and widen the sketch: on either side with probability at most 0.091 (the sum over k of normal tails at
// 1.5 sqrt(k)). So of 90 sketches more than 32 are wide with a chance below 3e-5.
TEST(ColumnSketch, ZoomsInOnConstantColumns) {
  int wide = 0;
  for (const double value : {5.0, -3e-7, 1e15}) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      const ColumnSketch sketch = sketch_of(always(value), 15 + 2 * seed);
      expect_sane(sketch, "constant");
      for (const double below : {0.01, 0.5, 0.99}) EXPECT_NEAR(sketch.quantile(below) / value, 1, 0.01) << value;
      if (deviation(sketch) >= 0.02 * std::abs(value)) ++wide;
    }
  }
  EXPECT_LE(wide, 32);
  RecordProperty("wide", wide);
}

TEST(ColumnSketch, OfNothingButZerosOrMissingCellsSaysSo) {
  EXPECT_TRUE(sketch_of(always(0), 17).only_zeros());
  EXPECT_TRUE(sketch_of(always(-0.0), 17).only_zeros());
  EXPECT_TRUE(sketch_of(always(kMissing), 17).only_zeros());
  EXPECT_FALSE(sketch_of(always(1), 17).only_zeros());
}

TEST(ColumnSketch, LeavesMissingCellsOut) {
  const ColumnSketch sketch = sketch_of(with_chance(0.5, always(kMissing), normal(40, 4)), 19);
  EXPECT_NEAR(sketch.quantile(0.5), 40, 2);
  EXPECT_NEAR(deviation(sketch), 4, 2);
  EXPECT_NEAR(sketch.rows(), 1e4, 1e3);
}

TEST(ColumnSketch, SentinelsDoNotHideTheBulk) {
  for (const double sentinel : {-999.0, 1e9, -1e300, 99999.0}) {
    const ColumnSketch sketch = sketch_of(with_chance(0.03, always(sentinel), normal(50, 5)), 21);
    expect_sane(sketch, "sentinel");
    EXPECT_NEAR(sketch.quantile(0.5), 50, 32) << sentinel;
    EXPECT_NEAR(sketch.share_beyond(50, 100), 0.03, 0.02) << sentinel;
  }
}

TEST(ColumnSketch, HostileColumnsGiveNumbers) {
  const std::vector<Draw> hostile = {
      always(5e-324),
      always(-5e-324),
      always(1e300),
      always(-1.7976931348623157e308),
      with_chance(0.5, always(1e300), always(-1e300)),
      with_chance(0.5, always(1e-310), always(1e308)),
      with_chance(0.5, always(0), always(5e-324)),
      with_chance(0.5, always(kMissing), always(1e308)),
      with_chance(0.999, always(0), always(1e300)),
      [](Random& random) { return std::bit_cast<double>(random() & ~(std::uint64_t{1} << 62)); },  // below 2
      [](Random& random) { return std::exp(std::cauchy_distribution<double>(0, 20)(random)); },
      [](Random& random) { return std::ldexp(1.0, static_cast<int>(random() % 2040) - 1020); },
  };
  for (std::size_t i = 0; i < hostile.size(); ++i) {
    for (const std::size_t rows : {std::size_t{2}, std::size_t{50}, kRows})
      expect_sane(sketch_of(hostile[i], 23, rows), std::to_string(i) + " of " + std::to_string(rows));
  }
  for (const ApproxDp budget : {ApproxDp{1e-4, 1e-9}, ApproxDp{100, 1e-3}}) {
    for (const ColumnSketch& sketch : sketched(hostile, 25, 3000, budget).sketches) expect_sane(sketch, "together");
  }
}

TEST(ColumnSketch, NeverSpendsMoreThanItsCost) {
  const std::vector<std::vector<Draw>> tables = {
      {normal(1e6, 1)}, {always(0)}, {always(5), always(0), normal(0, 1), with_chance(0.01, always(1), always(0))}};
  for (const auto& draws : tables) {
    const Receipt receipt = sketched(draws, 27).receipt;
    EXPECT_LE(receipt.gaussian_spent.mu, receipt.gaussian_budget.mu);
    double squares = 0;
    for (const ReceiptLine& line : receipt.lines) squares += line.price.mu * line.price.mu;
    EXPECT_NEAR(std::sqrt(squares), receipt.gaussian_spent.mu, 1e-9);
  }
}

TEST(ColumnSketch, ColumnsThatNeedNoCloserLookCostNothing) {
  const Receipt zeros = sketched({always(0), always(kMissing)}, 29).receipt;
  ASSERT_EQ(zeros.lines.size(), 1u);
  EXPECT_NEAR(std::pow(zeros.gaussian_spent.mu / zeros.gaussian_budget.mu, 2), 0.4, 1e-6);
  // Beside zeros a column is looked at as closely as alone.
  const Receipt mixed = sketched({always(0), normal(1e6, 1), always(0)}, 29).receipt;
  const Receipt alone = sketched({normal(1e6, 1)}, 29).receipt;
  ASSERT_GE(mixed.lines.size(), 2u);
  ASSERT_GE(alone.lines.size(), 2u);
  EXPECT_NEAR(mixed.lines[1].release.noise_scale / alone.lines[1].release.noise_scale, 1, 1e-3);
  EXPECT_GT(mixed.lines[0].release.noise_scale, 1.5 * alone.lines[0].release.noise_scale);
}

TEST(ColumnSketch, RefusesWhatTheMeterCannotPay) {
  const std::vector<double> cells(100, 1.0);
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(1);
  auto meter = PrivacyMeter::open(Gdp{1});
  auto data = engine.load_columns(RowsOf<double>{cells.data(), 100, 1, 1});
  const std::size_t which = 0;
  EXPECT_FALSE(sketch_columns(engine, *data, std::span(&which, 1), "columns", Gdp{1.1}, {*meter, noise}).ok());
  EXPECT_TRUE(meter->receipt().lines.empty());
}

}  // namespace
}  // namespace tailcoat
