#include "tailcoat/estimators/treatment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>

namespace tailcoat {
namespace {

constexpr double kRows = 20000;

ColumnSketch sketch_of(std::vector<SketchBin> bins, double noise = 10) {
  ColumnSketch sketch;
  sketch.bins = std::move(bins);
  sketch.noise = noise;
  return sketch;
}

// With as many cells of 0 and as many others outside of their main octave.
ColumnSketch with_zeros(ColumnSketch sketch, double zeros, double varied) {
  sketch.zeros = zeros;
  sketch.varied = varied;
  return sketch;
}

bool has_nonzero(const ColumnSketch& sketch, double rows) {
  const auto features = number_features("x", sketch, rows);
  return features.back().kind == FeatureKind::nonzero;
}

// Bins of unit width around 0 that reach to the given number of deviations, as a normal column fills them.
ColumnSketch normal_sketch(double reach) {
  std::vector<SketchBin> bins;
  for (double at = -reach; at < reach; at += 0.25)
    bins.push_back({at, at + 0.25, kRows * 0.1 * std::exp(-(at + 0.125) * (at + 0.125) / 2)});
  return sketch_of(bins);
}

// What the design and the model file need: finite numbers, and no cell further than `reach` units from the centre.
void expect_usable(const std::vector<Feature>& features, double reach = 1e4) {
  ASSERT_FALSE(features.empty());
  for (const Feature& feature : features) {
    const auto checked = check_feature(feature);
    EXPECT_TRUE(checked.ok()) << checked.error().message;
    EXPECT_TRUE(std::isfinite(feature.low) && std::isfinite(feature.high)) << feature_name(feature);
    EXPECT_TRUE(std::isfinite(1 / feature.scale)) << feature.scale;
    for (const double cell : {0.0, 1.0, -1.0, 5e-324, 1e300, -1e300, std::nan("")}) {
      const bool number = is_slope(feature.kind) || feature.kind == FeatureKind::beyond;
      const double value = number ? feature.of_number(cell) : (cell != 0 ? 1 : 0);
      const double most = number ? reach : 1 / feature.scale;
      EXPECT_LE(std::abs((value - feature.centre) / feature.scale), most) << feature_name(feature) << ' ' << cell;
    }
  }
}

// As they come out of sketch_columns: ordered bins that do not overlap, some of them without rows.
ColumnSketch random_sketch(std::mt19937_64& random) {
  const auto uniform = [&] { return std::uniform_real_distribution<double>()(random); };
  std::vector<SketchBin> bins;
  const auto rows = [&] { return uniform() < 0.2 ? 0 : std::exp(12 * uniform()); };
  const bool zoomed = random() % 2 == 0;
  const double unit = std::ldexp(1.0, static_cast<int>(random() % 127) - 63);
  if (random() % 3 == 0)
    for (std::size_t k = 1 + random() % 8; k-- > 0;)
      if (random() % 3 != 0)
        bins.push_back(
            {-unit * std::ldexp(1.0, static_cast<int>(k) + 1), -unit * std::ldexp(1.0, static_cast<int>(k)), rows()});
  if (random() % 3 == 0) bins.push_back({0, 0, rows()});
  double low = unit;
  for (std::size_t k = 0, count = random() % 64; k < count; ++k) {
    const double high = zoomed ? low + unit / 64 : 2 * low;
    if (high > 0x1p64) break;
    if (random() % 4 != 0) bins.push_back({low, high, rows()});
    low = high;
  }
  if (bins.empty()) bins.push_back({0, 0, 1});
  const double noise = std::exp(8 * uniform() - 2);
  for (SketchBin* end : {&bins.front(), &bins.back()}) end->rows = std::max(end->rows, 1.5 * noise);  // or not visible
  return with_zeros(sketch_of(std::move(bins), noise), rows(), rows());
}

// A number is cut at 32 units at most (kLeastRare). The unit of a tail is at least sqrt(p) u, p the share of what is
// sure of the bin that reaches furthest and u = max(e, w / sqrt(24)), e of whose width w is from the knot to its
// middle. Its end is e + w / 2 beyond the knot, at most (1 + sqrt(6)) u = 3.45 u.
double furthest(const ColumnSketch& sketch) {
  const double rows = std::min(sketch.bins.front().rows, sketch.bins.back().rows);
  const double end = std::max(rows - sketch.noise, rows / 8);
  return std::max(32.0, 3.45 * std::sqrt(sketch.rows() / end));
}

TEST(Treatment, EverySketchGivesUsableFeatures) {
  std::mt19937_64 random(31);
  for (int trial = 0; trial < 20000 && !testing::Test::HasFailure(); ++trial) {
    const ColumnSketch sketch = random_sketch(random);
    SCOPED_TRACE(trial);
    for (const double rows : {1.0, 2.0, 3.0, 100.0, 1e9})
      expect_usable(number_features("x", sketch, rows),
                    sketch.only_zeros() ? std::max(2.0, std::sqrt(rows)) : furthest(sketch));
    const Feature unit = target_scale("y", sketch);
    EXPECT_TRUE(check_feature(unit).ok());
    EXPECT_TRUE(std::isfinite(1 / unit.scale));
  }
}

TEST(Treatment, ANormalColumnIsOneFeatureInItsOwnUnits) {
  std::vector<SketchBin> bins;
  for (int k = -32; k < 32; ++k)
    bins.push_back({100 + k / 8.0, 100 + (k + 1) / 8.0, kRows / 8 * std::exp(-k * k / 128.0) / std::sqrt(2 * M_PI)});
  const auto features = number_features("x", sketch_of(bins), kRows);
  ASSERT_EQ(features.size(), 1u);
  EXPECT_NEAR(features[0].centre, 100, 0.2);
  EXPECT_NEAR(features[0].scale, 1, 0.1);
  EXPECT_LT(features[0].low, 96.5);
  EXPECT_GT(features[0].high, 103.5);
  EXPECT_NEAR(target_scale("x", sketch_of(bins)).scale, features[0].scale, 1e-12);
}

TEST(Treatment, ATailThatShowsIsAFeatureOfItsOwn) {
  const auto features =
      number_features("x", sketch_of({{0, 1, 10000}, {1, 2, 9400}, {1024, 2048, 300}, {2048, 4096, 300}}), kRows);
  ASSERT_EQ(features.size(), 2u);
  EXPECT_EQ(features[1].kind, FeatureKind::beyond);
  EXPECT_EQ(features[1].knot_high, features[0].high);
  EXPECT_GE(features[1].high, 4096);
  EXPECT_LT(features[0].high, 2048);
  EXPECT_EQ(number_features("x", sketch_of({{0, 1, 10000}, {1, 2, 9990}, {1024, 2048, 10}}), kRows).size(), 1u);
}

// Most of 12,000 others are in one octave, 3000 are not.
TEST(Treatment, ColumnsOfManyZerosHaveAFeatureForTheOthers) {
  const ColumnSketch counts = sketch_of({{0, 0, 8000}, {1, 2, 9000}, {2, 4, 2000}, {4, 8, 1000}});
  const auto features = number_features("x", with_zeros(counts, 8000, 3000), kRows);
  ASSERT_EQ(features.size(), 2u);
  EXPECT_EQ(features[0].kind, FeatureKind::number);
  EXPECT_EQ(features[1].kind, FeatureKind::nonzero);
  EXPECT_EQ(feature_name(features[1]), "x is not 0");
  EXPECT_NEAR(features[1].centre, 0.6, 1e-12);
  EXPECT_NEAR(features[1].scale, std::sqrt(0.5 * std::sqrt(0.6 * 0.4)), 1e-12) << "as levels have it";
  EXPECT_FALSE(has_nonzero(with_zeros(counts, 5000, 3000), kRows)) << "few zeros";
  EXPECT_FALSE(has_nonzero(with_zeros(counts, 8000, 400), kRows)) << "the others are one number, nearly";
  EXPECT_FALSE(has_nonzero(with_zeros(counts, 19990, 5), kRows)) << "few others";
  ColumnSketch noisy = with_zeros(counts, 8000, 3000);
  noisy.noise = 300;
  EXPECT_FALSE(has_nonzero(noisy, kRows)) << "zeros are 27 deviations of noise, those outside 10";
  ColumnSketch absent = with_zeros(counts, 5000, 3000);
  absent.missing = 5000;
  EXPECT_TRUE(has_nonzero(absent, kRows)) << "a third of the 15,000 that are there";
}

// The bulk may end just below the middle of a bin. What the upper half of it holds was measured by that middle, in a
// unit of nearly nothing, and the weights then left these rows out.
TEST(Treatment, ATailThatBeginsInABinHasAUnitOfItsOwnSize) {
  std::vector<SketchBin> bins;
  for (int k = -9; k <= 9; ++k) bins.push_back({0.2919 + k * 0.01, 0.2937 + k * 0.01, 1000});  // median 0.2928
  bins.push_back({1, 2, 1000});  // 1.5 is the median plus (2 - 0.2928) / sqrt(2) and a little
  const ColumnSketch sketch = sketch_of(bins);
  const auto features = number_features("x", sketch, sketch.rows());
  ASSERT_EQ(features.size(), 2u);
  ASSERT_NEAR(features[1].knot_high, 1.5, 1e-3);
  const double share = (1000 - sketch.noise) / sketch.rows();
  EXPECT_NEAR(features[1].scale, std::sqrt(share / 24), 1e-9);
}

// One octave of noise at the end, 2^5 times further out than the tail, made its unit so large that the tail was lost.
TEST(Treatment, ATailIsNotMeasuredByAFarOctaveOfNoise) {
  const double noise = 100;
  std::vector<SketchBin> bins{{0, 1, 10000}, {1, 2, 8000}, {8, 16, 1000}, {16, 32, 600}};
  const auto near = number_features("x", sketch_of(bins, noise), kRows);
  bins.push_back({512, 1024, 1.2 * noise});
  const auto far = number_features("x", sketch_of(bins, noise), kRows);
  ASSERT_EQ(near.size(), 2u);
  ASSERT_EQ(far.size(), 2u);
  EXPECT_GE(far[1].high, 1024) << "it may be real";
  const double by_all = std::sqrt(1.2 * noise / kRows) * 768;
  EXPECT_LT(far[1].scale, 0.5 * by_all);
  EXPECT_GT(far[1].scale, near[1].scale);
}

// The sketch of public rows has a bin of one row for each value: none of that is noise.
TEST(Treatment, ATailOfSingleValuesIsMeasuredByAllOfThem) {
  std::vector<SketchBin> bins;
  for (int k = 1; k <= 1000; ++k) bins.push_back({k / 1000.0, k / 1000.0, 1});
  for (int k = 0; k < 20; ++k) bins.push_back({50.0 + k, 50.0 + k, 1});
  const auto features = number_features("x", sketch_of(bins, 1), 1020);
  ASSERT_EQ(features.size(), 2u);
  EXPECT_EQ(features[1].scale, number_features("x", sketch_of(bins, 0), 1020)[1].scale);
}

// Zeros with few others: what is not zero must not become a tail beyond a bulk of no width.
TEST(Treatment, RareValuesBesideZerosAreOneFeature) {
  for (const double rare : {20.0, 100.0, 400.0, 2000.0}) {
    const auto features = number_features("x", sketch_of({{0, 0, kRows - rare}, {1, 2, rare}}, 1), kRows);
    ASSERT_EQ(features.size(), 1u) << rare;
    EXPECT_LE(features[0].low, 0) << rare;
    EXPECT_GE(features[0].high, 1) << rare;
    EXPECT_GT(features[0].scale, 0.01) << rare;
  }
}

TEST(Treatment, ColumnsOfZerosKeepAPlaceForRareValues) {
  for (const double rows : {2.0, 100.0, 1e6}) {
    const auto features = number_features("x", sketch_of({{0, 0, rows}}), rows);
    ASSERT_EQ(features.size(), 1u);
    EXPECT_EQ(features[0].of_number(0), 0);
    EXPECT_EQ(features[0].of_number(7), 1);
    expect_usable(features);
  }
}

TEST(Treatment, KnownBoundsAreTheLimits) {
  const auto features = number_features("x", Range{10, 30});
  ASSERT_EQ(features.size(), 1u);
  EXPECT_EQ(features[0].centre, 20);
  EXPECT_EQ(features[0].scale, 5);
  EXPECT_EQ(features[0].of_number(31), 30);
  const double largest = std::numeric_limits<double>::max();
  for (const Range bounds :
       {Range{-largest, largest}, Range{0, 5e-324}, Range{largest / 2, largest}, Range{-1e-310, 0}})
    expect_usable(number_features("x", bounds));
}

// The mix of both halves in their units, as bends are looked for.
double kink(const Halves& halves, double cell) {
  const auto& [below, above, mix_below, mix_above, unit, points] = halves;
  return mix_below * (below.of_number(cell) - below.centre) / below.scale +
         mix_above * (above.of_number(cell) - above.centre) / above.scale;
}

struct KinkMoments {
  double mean = 0, variance = 0, correlation = 0;
};

// Of cells that count as often as `weights` says.
KinkMoments moments_of(const Halves& halves, const Feature& number, const std::vector<double>& cells,
                       const std::vector<double>& weights) {
  double rows = 0, x = 0, k = 0, xx = 0, xk = 0, kk = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double w = weights[i], u = (number.of_number(cells[i]) - number.centre) / number.scale;
    const double v = kink(halves, cells[i]);
    rows += w, x += w * u, k += w * v, xx += w * u * u, xk += w * u * v, kk += w * v * v;
  }
  const double variance = kk / rows - std::pow(k / rows, 2), spread = xx / rows - std::pow(x / rows, 2);
  return {k / rows, variance, (xk / rows - x * k / (rows * rows)) / std::sqrt(variance * spread)};
}

// A histogram of bins as wide as given.
ColumnSketch sketch_of_cells(const std::vector<double>& cells, double width) {
  std::map<double, double> counts;
  for (const double cell : cells) ++counts[std::floor(cell / width)];
  std::vector<SketchBin> bins;
  for (const auto& [k, count] : counts) bins.push_back({k * width, (k + 1) * width, count});
  return sketch_of(std::move(bins), 1);
}

TEST(Halves, MixToAKinkThatIsNotCorrelatedWithTheNumber) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::exponential_distribution<double> exponential;
  std::uniform_real_distribution<double> uniform;
  const std::vector<std::pair<const char*, std::function<double()>>> columns{
      {"normal", [&] { return normal(random); }},
      {"far from zero", [&] { return 1e7 + normal(random); }},
      {"exponential", [&] { return exponential(random); }},
      {"uniform", [&] { return uniform(random) - 3; }}};
  for (const auto& [name, draw] : columns) {
    std::vector<double> cells;
    for (int i = 0; i < 50000; ++i) cells.push_back(draw());
    const ColumnSketch sketch = sketch_of_cells(cells, 1.0 / 128);
    const Feature number = number_features("x", sketch, 50000)[0];
    const auto halves = halves_of(number, sketch);
    ASSERT_TRUE(halves.has_value()) << name;
    const KinkMoments found = moments_of(*halves, number, cells, std::vector<double>(cells.size(), 1));
    EXPECT_NEAR(found.mean, 0, 0.01) << name;
    EXPECT_NEAR(found.variance, 1, 0.02) << name;
    EXPECT_NEAR(found.correlation, 0, 0.01) << name;
    const double knot = number.centre, unit = number.scale;
    const double middle = kink(*halves, knot);
    EXPECT_GT((kink(*halves, knot - 2 * unit) - middle) * (kink(*halves, knot + 2 * unit) - middle), 0)
        << name << " goes straight on";
    for (const Feature& half : {halves->below, halves->above}) {
      double mean = 0, square = 0;
      for (const double cell : cells) mean += (half.of_number(cell) - knot) / 50000;
      for (const double cell : cells) square += std::pow(half.of_number(cell) - knot - mean, 2) / 50000;
      EXPECT_NEAR(half.centre - knot, mean, 0.01) << name;
      EXPECT_NEAR(half.scale, std::sqrt(square), 0.01) << name;
    }
  }
}

TEST(Halves, JoinAtTheMiddleAndAddUpToTheNumber) {
  const ColumnSketch sketch = sketch_of({{2, 3, 4000}, {3, 4, 8000}, {4, 5, 5000}, {5, 6, 3000}});
  const Feature number = number_features("x", sketch, kRows)[0];
  const auto halves = halves_of(number, sketch);
  ASSERT_TRUE(halves.has_value());
  const auto& [below, above, mix_below, mix_above, unit, points] = *halves;
  EXPECT_EQ(below.kind, FeatureKind::below);
  EXPECT_EQ(above.kind, FeatureKind::above);
  EXPECT_EQ(below.column, "x");
  EXPECT_EQ(above.column, "x");
  EXPECT_EQ(feature_name(below), "x below 3.5");
  EXPECT_EQ(feature_name(above), "x above 3.5");
  EXPECT_EQ(below.low, 0.5);  // twice as far as 2 from 3.5
  EXPECT_EQ(below.high, number.centre);
  EXPECT_EQ(above.low, number.centre);
  EXPECT_EQ(above.high, 8.5);
  for (const double cell : {0.5, 2.0, 3.4, 3.5, 3.6, 6.0, 8.5})
    EXPECT_NEAR(below.of_number(cell) + above.of_number(cell) - number.centre, number.of_number(cell), 1e-12) << cell;
  expect_usable({below, above});
}

TEST(Halves, NeedRowsOnEitherSide) {
  const auto has = [](const ColumnSketch& sketch) {
    return halves_of(number_features("x", sketch, kRows)[0], sketch).has_value();
  };
  EXPECT_FALSE(has(sketch_of({{0, 0, 10000}, {1, 1.01, 10000}}))) << "two values";
  EXPECT_FALSE(has(sketch_of({{5, 5.01, 9000}, {7, 7.01, 11000}}))) << "two values";
  EXPECT_FALSE(has(sketch_of({{0, 0, 11000}, {1, 2, 5000}, {2, 4, 4000}}))) << "the median is the minimum";
  EXPECT_FALSE(has(sketch_of({{1, 2, 4000}, {2, 4, 5000}, {4, 4.1, 11000}}))) << "the median is the maximum";
  EXPECT_FALSE(has(sketch_of({{0, 1, 1800}, {1, 2, 9000}, {2, 3, 9200}}))) << "9 % below";
  EXPECT_FALSE(has(sketch_of({{0, 1, 9200}, {1, 2, 9000}, {2, 3, 1800}}))) << "9 % above";
  EXPECT_TRUE(has(sketch_of({{0, 1, 2200}, {1, 2, 8800}, {2, 3, 9000}}))) << "11 % below";
  ColumnSketch blank = sketch_of({{0, 0, 0}});
  blank.blank = true;
  EXPECT_FALSE(has(blank));
  EXPECT_FALSE(has(sketch_of({{0, 0, kRows}})));
  EXPECT_FALSE(has(sketch_of({{3, 4, kRows}})));
}

TEST(Halves, OfEverySketchAreUsableAndMixToAKink) {
  std::mt19937_64 random(32);
  int with_halves = 0;
  for (int trial = 0; trial < 20000 && !testing::Test::HasFailure(); ++trial) {
    const ColumnSketch sketch = random_sketch(random);
    const Feature number = number_features("x", sketch, 1e6)[0];
    const auto halves = halves_of(number, sketch);
    if (!halves) continue;
    ++with_halves;
    SCOPED_TRACE(trial);
    expect_usable({halves->below, halves->above});
    std::vector<double> cells, rows;
    for (const SketchBin& bin : sketch.bins) {
      cells.push_back(bin.low + (bin.high - bin.low) / 2);
      rows.push_back(bin.rows);
    }
    const KinkMoments found = moments_of(*halves, number, cells, rows);
    EXPECT_NEAR(found.mean, 0, 1e-6);
    EXPECT_NEAR(found.variance, 1, 1e-6);
    EXPECT_NEAR(found.correlation, 0, 1e-6);
  }
  EXPECT_GT(with_halves, 5000);
}

TEST(Treatment, LevelsOfAnyShareAreUsable) {
  const std::vector<Level> levels{{"none", 0}, {"few", 1e-9}, {"half", 0.5}, {"most", 1 - 1e-12}, {"all", 1}};
  const auto features = level_features("city", levels);
  ASSERT_EQ(features.size(), levels.size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    EXPECT_EQ(features[i].level, levels[i].text);
    EXPECT_EQ(features[i].centre, levels[i].share);
  }
  expect_usable(features);
  expect_usable({missing_feature("x")});
  EXPECT_TRUE(level_features("city", {}).empty());
}

TEST(Feature, ATailIsNamedByTheEndsItHas) {
  Feature tail{.column = "x", .kind = FeatureKind::beyond, .low = -2, .high = 90, .knot_low = -2, .knot_high = 30};
  EXPECT_EQ(feature_name(tail), "x beyond 30");
  tail.low = -50;
  EXPECT_EQ(feature_name(tail), "x beyond -2 to 30");
  tail.high = 30;
  EXPECT_EQ(feature_name(tail), "x beyond -2");
}

TEST(Treatment, OtherTextsMayBeALevel) {
  const std::vector<Level> levels{{"Graz", 0.6}, {.text = "", .share = 0.4, .other = true}};
  const auto features = level_features("city", levels);
  expect_usable(features);
  ASSERT_EQ(features.size(), 2u);
  EXPECT_EQ(features[0].kind, FeatureKind::level);
  EXPECT_EQ(features[1].kind, FeatureKind::other);
  EXPECT_EQ(features[1].centre, 0.4);
  EXPECT_EQ(feature_name(features[1]), "city is other");
}

TEST(Treatment, ATailIsSuspectedWhereTheBulkIsSeenToNearlyEnd) {
  const ColumnSketch sketch = normal_sketch(3.5);
  EXPECT_EQ(number_features("x", sketch, kRows).size(), 1u);
  const auto features = number_features("x", sketch, kRows, Tails::suspected);
  ASSERT_EQ(features.size(), 2u);
  const Feature &number = features[0], &tail = features[1];
  EXPECT_EQ(tail.kind, FeatureKind::beyond);
  // The bulk ends sqrt(20) deviations out, the tail three times as far.
  EXPECT_NEAR(number.high, std::sqrt(20.0), 0.1);
  EXPECT_EQ(tail.knot_high, number.high);
  EXPECT_NEAR(tail.high, 3 * number.high, 0.5);
  EXPECT_NEAR(tail.low, 3 * number.low, 0.5);
  // As many rows as noise may hide, 20, half as far out again as the bulk ends.
  EXPECT_NEAR(tail.scale, std::sqrt(20 / kRows) * number.high / 2, 0.01);
  expect_usable(features);
}

TEST(Treatment, NoTailIsSuspectedOfNumbersThatEndBefore) {
  EXPECT_EQ(number_features("x", sketch_of({{0, 1, 10000}, {1, 2, 10000}}), kRows, Tails::suspected).size(), 1u);
  // Nearly all are 0: the others are no tail of theirs.
  EXPECT_EQ(number_features("x", sketch_of({{0, 0, 19000}, {1, 1.1, 1000}}), kRows, Tails::suspected).size(), 1u);
}

TEST(Treatment, SuspectedTailsAreUsableWhateverTheSketch) {
  std::mt19937_64 random(12);
  for (int trial = 0; trial < 5000 && !testing::Test::HasFailure(); ++trial) {
    const ColumnSketch sketch = random_sketch(random);
    // A suspected tail of one row in `rows` is 4 sqrt(rows) units long.
    for (const double rows : {1.0, 100.0, 1e6})
      expect_usable(number_features("x", sketch, rows, Tails::suspected),
                    std::max({furthest(sketch), 4.001 * std::sqrt(rows)}));
  }
}

}  // namespace
}  // namespace tailcoat
