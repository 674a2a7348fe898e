#include "tailcoat/estimators/encoder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <limits>

namespace tailcoat {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

const Feature kRooms{.column = "rooms", .centre = 3, .low = 1, .high = 10};
const Feature kRoomsMissing{.column = "rooms", .kind = FeatureKind::missing};
const Feature kGraz{.column = "city", .kind = FeatureKind::level, .level = "Graz", .centre = 0.25};
const Feature kLinz{.column = "city", .kind = FeatureKind::level, .level = "Linz", .centre = 0.5};

std::vector<Column> columns() {
  return {{.name = "city", .kind = ColumnKind::text, .levels = {"Linz", "Wien"}}, {.name = "price"}, {.name = "rooms"}};
}

std::vector<double> encoded(RowEncoder& encoder, std::vector<double> cells) {
  std::vector<double> values(encoder.features(), -99);
  encoder.encode(cells, values);
  return values;
}

void expect_refused(std::vector<Feature> features, const std::string& said) {
  const std::vector<Column> file = columns();
  const auto encoder = RowEncoder::create(features, file);
  ASSERT_FALSE(encoder.ok()) << said;
  EXPECT_EQ(encoder.error().kind, ErrorKind::usage);
  EXPECT_NE(encoder.error().message.find(said), std::string::npos) << encoder.error().message;
}

TEST(RowEncoder, CutsNumbersAndPutsTheCentreForMissingOnes) {
  const std::vector<Column> file = columns();
  const std::vector<Feature> features{kRooms, kRoomsMissing};
  auto encoder = RowEncoder::create(features, file);
  ASSERT_TRUE(encoder.ok());
  EXPECT_EQ(encoded(*encoder, {0, 7, 4}), (std::vector<double>{4, 0}));
  EXPECT_EQ(encoded(*encoder, {0, 7, 1e300}), (std::vector<double>{10, 0}));
  EXPECT_EQ(encoded(*encoder, {0, 7, -1e300}), (std::vector<double>{1, 0}));
  EXPECT_EQ(encoded(*encoder, {0, 7, kMissing}), (std::vector<double>{3, 1}));
}

TEST(RowEncoder, SeesNumbersAsFeatureDoes) {
  const std::vector<Column> file = columns();
  const Feature beyond{
      .column = "rooms", .kind = FeatureKind::beyond, .low = -3, .high = 20, .knot_low = 1, .knot_high = 5};
  const std::vector<Feature> features{kRooms, beyond};
  auto encoder = RowEncoder::create(features, file);
  ASSERT_TRUE(encoder.ok());
  for (const double cell : {-5.0, -0.0, 0.0, 0.999, 1.0, 5.5, 10.0, 10.001, 100.0, 5e-324, kMissing}) {
    const std::vector<double> values = encoded(*encoder, {0, 0, cell});
    EXPECT_EQ(values[0], kRooms.of_number(cell)) << cell;
    EXPECT_EQ(values[1], beyond.of_number(cell)) << cell;
  }
  EXPECT_EQ(encoded(*encoder, {0, 0, 100})[1], 15);
  EXPECT_EQ(encoded(*encoder, {0, 0, -100})[1], -4);
}

TEST(RowEncoder, SeesBothSidesOfABendAsNumbers) {
  const std::vector<Column> file = columns();
  const std::vector<Feature> features{
      {.column = "rooms", .kind = FeatureKind::below, .centre = 3.5, .low = 1, .high = 4},
      {.column = "rooms", .kind = FeatureKind::above, .centre = 5, .low = 4, .high = 10}};
  auto encoder = RowEncoder::create(features, file);
  ASSERT_TRUE(encoder.ok());
  EXPECT_EQ(encoded(*encoder, {0, 7, 2}), (std::vector<double>{2, 4}));
  EXPECT_EQ(encoded(*encoder, {0, 7, 6}), (std::vector<double>{4, 6}));
  EXPECT_EQ(encoded(*encoder, {0, 7, -1e300}), (std::vector<double>{1, 4}));
  EXPECT_EQ(encoded(*encoder, {0, 7, 1e300}), (std::vector<double>{4, 10}));
  EXPECT_EQ(encoded(*encoder, {0, 7, kMissing}), (std::vector<double>{3.5, 5}));
  expect_refused({Feature{.column = "city", .kind = FeatureKind::below}}, "column 'city' holds texts");
  expect_refused({Feature{.column = "city", .kind = FeatureKind::above}}, "column 'city' holds texts");
}

TEST(RowEncoder, TellsZerosFromOtherNumbers) {
  const std::vector<Column> file = columns();
  const std::vector<Feature> features{{.column = "rooms", .kind = FeatureKind::nonzero, .centre = 0.3}};
  auto encoder = RowEncoder::create(features, file);
  ASSERT_TRUE(encoder.ok());
  for (const double zero : {0.0, -0.0}) EXPECT_EQ(encoded(*encoder, {0, 7, zero}), std::vector<double>{0});
  for (const double other : {5e-324, -1.0, 3.0, 1e300})
    EXPECT_EQ(encoded(*encoder, {0, 7, other}), std::vector<double>{1});
  EXPECT_EQ(encoded(*encoder, {0, 7, kMissing}), std::vector<double>{0.3});
}

TEST(RowEncoder, PutsTheCentreForMissingAndUnknownTexts) {
  const std::vector<Column> file = columns();
  const std::vector<Feature> features{kGraz, kLinz};
  auto encoder = RowEncoder::create(features, file);
  ASSERT_TRUE(encoder.ok());
  EXPECT_EQ(encoded(*encoder, {0, 0, 0}), (std::vector<double>{0, 1}));
  EXPECT_EQ(encoded(*encoder, {1, 0, 0}), (std::vector<double>{0.25, 0.5})) << "Wien is no known level";
  EXPECT_EQ(encoded(*encoder, {kMissing, 0, 0}), (std::vector<double>{0.25, 0.5}));
}

TEST(RowEncoder, OtherIsALevelOfMissingAndUnknownTexts) {
  std::vector<Column> file = columns();
  const std::vector<Feature> features{kGraz, {.column = "city", .kind = FeatureKind::other, .centre = 0.25}, kLinz};
  auto encoder = RowEncoder::create(features, file);
  ASSERT_TRUE(encoder.ok());
  EXPECT_EQ(encoded(*encoder, {0, 0, 0}), (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(encoded(*encoder, {1, 0, 0}), (std::vector<double>{0, 1, 0})) << "Wien is no known level";
  EXPECT_EQ(encoded(*encoder, {kMissing, 0, 0}), (std::vector<double>{0, 1, 0}));
  file[0].levels.push_back("Graz");
  file[0].levels.push_back("other");
  EXPECT_EQ(encoded(*encoder, {2, 0, 0}), (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(encoded(*encoder, {3, 0, 0}), (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(needed_columns(features).texts, std::vector<std::string>{"city"});
}

TEST(RowEncoder, FollowsLevelsThatGrow) {
  std::vector<Column> file = columns();
  const std::vector<Feature> features{kGraz, kLinz};
  auto encoder = RowEncoder::create(features, file);
  ASSERT_TRUE(encoder.ok());
  encoded(*encoder, {1, 0, 0});
  for (int i = 0; i < 1000; ++i) file[0].levels.push_back(std::string("town ").append(std::to_string(i)));
  file[0].levels.push_back("Graz");
  EXPECT_EQ(encoded(*encoder, {1002, 0, 0}), (std::vector<double>{1, 0}));
  EXPECT_EQ(encoded(*encoder, {500, 0, 0}), (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(encoded(*encoder, {0, 0, 0}), (std::vector<double>{0, 1}));
}

TEST(RowEncoder, RefusesColumnsThatAreMissingOrOfTheOtherKind) {
  expect_refused({Feature{.column = "room"}}, "'rooms'");
  expect_refused({Feature{.column = "city"}}, "column 'city' holds texts, but feature 'city' needs numbers");
  expect_refused({Feature{.column = "price", .kind = FeatureKind::level, .level = "7"}},
                 "column 'price' holds numbers");
  expect_refused({Feature{.column = "price", .kind = FeatureKind::other}}, "column 'price' holds numbers");
}

TEST(RowEncoder, RefusesWhatIsNoFeature) {
  expect_refused({kGraz, kLinz, kGraz}, "'city=Graz' appears twice");
  const Feature other{.column = "city", .kind = FeatureKind::other};
  expect_refused({other, kGraz, other}, "'city is other' appears twice");
  expect_refused({Feature{.column = "rooms", .centre = kMissing}}, "the centre is nan");
  expect_refused({Feature{.column = "rooms", .scale = 0}}, "the scale is 0");
  expect_refused({Feature{.column = "rooms", .low = 2, .high = 1}}, "the limits are 2 and 1");
  expect_refused({Feature{.column = "rooms", .low = kMissing}}, "the limits are nan");
  expect_refused({Feature{.column = "rooms", .kind = FeatureKind::beyond, .knot_low = 1}}, "the knots are 1 and 0");
  expect_refused({Feature{.column = "city", .kind = FeatureKind::beyond}}, "column 'city' holds texts");
  expect_refused({Feature{.column = "city", .kind = FeatureKind::nonzero}}, "column 'city' holds texts");
}

TEST(RowEncoder, NamesTheColumnsThatAFileMustHave) {
  const NeededColumns needed =
      needed_columns(std::vector<Feature>{kRooms, kRoomsMissing, kGraz, kLinz, {.column = "price"}});
  EXPECT_EQ(needed.all, (std::vector<std::string>{"rooms", "city", "price"}));
  EXPECT_EQ(needed.texts, (std::vector<std::string>{"city"}));
}

// Processor time of the best of 20 runs.
template <typename Run>
double seconds_of(const Run& run) {
  double best = 1e9;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const std::clock_t start = std::clock();
    run();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

// Against the definition of the features, cell by cell, in the same run: cells must not be looked up by name.
TEST(RowEncoder, TakesNotMuchLongerThanItsFeatures) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers are slow";
#endif
  std::vector<Column> file;
  std::vector<Feature> features;
  for (int j = 0; j < 20; ++j) {
    file.push_back({.name = std::string("x").append(std::to_string(j))});
    features.push_back({.column = file.back().name, .low = -1, .high = 1});
  }
  auto encoder = RowEncoder::create(features, file);
  ASSERT_TRUE(encoder.ok());
  std::vector<double> cells(20 * 1000), values(20);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = i % 7 == 0 ? kMissing : static_cast<double>(i % 5) - 2;
  double sum = 0;
  const auto encoded_by = [&](const auto& encode) {
    return seconds_of([&] {
      for (std::size_t i = 0; i < 50000; ++i) {
        encode(std::span<const double>(cells).subspan(20 * (i % 1000), 20));
        sum += values[3];
      }
    });
  };
  const double by_encoder = encoded_by([&](std::span<const double> row) { encoder->encode(row, values); });
  const double by_feature = encoded_by([&](std::span<const double> row) {
    for (std::size_t j = 0; j < 20; ++j) values[j] = features[j].of_number(row[j]);
  });
  EXPECT_TRUE(std::isfinite(sum));
  EXPECT_LT(by_encoder, 2 * by_feature) << "seconds for 50000 rows";
  RecordProperty("ratio", std::to_string(by_encoder / by_feature));
  RecordProperty("milliseconds_per_million", std::to_string(20000 * by_encoder));
}

}  // namespace
}  // namespace tailcoat
