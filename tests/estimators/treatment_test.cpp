#include "tailcoat/estimators/treatment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
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

// What the design and the model file need: finite numbers, and no cell further than `reach` units from the centre.
void expect_usable(const std::vector<Feature>& features, double reach = 1e4) {
  ASSERT_FALSE(features.empty());
  for (const Feature& feature : features) {
    const auto checked = check_feature(feature);
    EXPECT_TRUE(checked.ok()) << checked.error().message;
    EXPECT_TRUE(std::isfinite(feature.low) && std::isfinite(feature.high)) << feature_name(feature);
    EXPECT_TRUE(std::isfinite(1 / feature.scale)) << feature.scale;
    for (const double cell : {0.0, 1.0, -1.0, 5e-324, 1e300, -1e300, std::nan("")}) {
      const bool number = feature.kind == FeatureKind::number || feature.kind == FeatureKind::beyond;
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

}  // namespace
}  // namespace tailcoat
