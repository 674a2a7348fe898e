#include "tailcoat/estimators/design.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace tailcoat {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeverage = 1.5;
constexpr std::size_t kRows = 5000;

struct Case {
  std::vector<Column> columns;
  std::vector<double> cells;
  DesignColumns wanted;
};

const Feature kNumber{.column = "a", .centre = 2, .scale = 0.5, .low = -3, .high = 9};
const Feature kTail{
    .column = "a", .kind = FeatureKind::beyond, .scale = 3, .low = -50, .high = 60, .knot_low = -3, .knot_high = 9};
const Feature kMissingA{.column = "a", .kind = FeatureKind::missing, .centre = 0.05, .scale = 0.3};

Feature level(const char* text, double share) {
  return {
      .column = "city", .kind = FeatureKind::level, .level = text, .centre = share, .scale = 0.4, .low = 0, .high = 1};
}

// Columns a (numbers), city (texts), t (exposure), y and `more` unused ones. The first level is the reference.
Case make_case(std::size_t unused, bool exposure) {
  Case made;
  made.columns = {{.name = "a"},
                  {.name = "city", .kind = ColumnKind::text, .levels = {"Wien", "Graz", "Linz"}},
                  {.name = "t"},
                  {.name = "y"}};
  for (std::size_t j = 0; j < unused; ++j) made.columns.push_back({.name = std::string("u").append(std::to_string(j))});
  made.wanted.features = {kNumber, kTail, kMissingA, level("Graz", 0.5), level("Linz", 0.3)};
  made.wanted.fitted = {0, 1, 2, 4};
  made.wanted.target = "y";
  if (exposure) made.wanted.exposure = "t";
  std::mt19937_64 random(41);
  std::cauchy_distribution<double> wide(0, 5);
  for (std::size_t i = 0; i < kRows; ++i) {
    const double a = i % 11 == 0 ? kMissing : static_cast<double>(static_cast<float>(wide(random)));
    const double city = i % 13 == 0 ? kMissing : static_cast<double>(random() % 3);
    made.cells.insert(made.cells.end(), {a, city, 0.25 * static_cast<double>(i % 5),
                                         i % 7 == 0 ? kMissing : 0.5 * static_cast<double>(i % 9)});
    made.cells.insert(made.cells.end(), unused, 1e30);
  }
  return made;
}

Table table_of(const Case& made, Storage storage) {
  auto table = Table::create(made.columns, storage);
  if (!table) stop_at(table.error());
  if (const auto added = table->append(made.cells); !added) stop_at(added.error());
  return std::move(*table);
}

// Row i as the definitions of the features have it.
std::vector<double> plain_row(const Case& made, std::size_t i) {
  const double* cells = made.cells.data() + i * made.columns.size();
  std::vector<double> row;
  for (const std::size_t j : made.wanted.fitted) {
    const Feature& f = made.wanted.features[j];
    double value = 0;
    if (f.kind == FeatureKind::missing) value = std::isnan(cells[0]) ? 1 : 0;
    if (f.kind == FeatureKind::number || f.kind == FeatureKind::beyond) value = f.of_number(cells[0]);
    if (f.kind == FeatureKind::level) {  // Wien is no level of the features
      const bool unknown = std::isnan(cells[1]) || cells[1] == 0;
      value = unknown ? f.centre : (made.columns[1].levels[static_cast<std::size_t>(cells[1])] == f.level ? 1 : 0);
    }
    row.push_back((value - f.centre) / f.scale);
  }
  row.push_back(1);
  return row;
}

bool same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

void expect_plain(const Case& made, Storage storage, bool exposure) {
  auto design = Design::create(table_of(made, storage), made.wanted, kLeverage);
  ASSERT_TRUE(design.ok()) << design.error().message;
  ASSERT_EQ(design->rows(), kRows);
  ASSERT_EQ(design->columns(), 5u);
  EXPECT_DOUBLE_EQ(design->radius(), kLeverage * std::sqrt(5.0));
  EXPECT_EQ(design->exposures().size(), exposure ? kRows : 0u);
  const double square = design->radius() * design->radius();
  std::size_t light = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::vector<double> row = plain_row(made, i);
    const double* cells = made.cells.data() + i * made.columns.size();
    double norm = 0;
    for (std::size_t j = 0; j < row.size(); ++j) {
      ASSERT_NEAR(design->view().row(i)[j], row[j], 1e-6 * (1 + std::abs(row[j]))) << i << ' ' << j;
      norm += row[j] * row[j];
    }
    ASSERT_TRUE(same(design->labels()[i], cells[3])) << i;
    const double weight = std::min(1.0, square / norm);
    ASSERT_NEAR(design->weights()[i], exposure ? weight * cells[2] : weight, 1e-9) << i;
    if (exposure) {
      ASSERT_EQ(design->exposures()[i], cells[2]);
    } else {
      ASSERT_LE(design->weights()[i] * norm, square * (1 + 1e-12)) << i;
    }
    light += weight < 1 ? 1 : 0;
  }
  EXPECT_GT(light, 100u);
}

TEST(Design, IsThePlainComputationInPlaceAndNot) {
  for (const Storage storage : {Storage::f64, Storage::f32})
    for (const std::size_t unused : {0u, 1u, 7u})  // 5 floats fit 4 doubles, 5 floats and 11 floats, but not 4 floats
      for (const bool exposure : {false, true}) {
        SCOPED_TRACE(testing::Message() << (storage == Storage::f64) << ' ' << unused << ' ' << exposure);
        expect_plain(make_case(unused, exposure), storage, exposure);
      }
}

TEST(Design, WithoutFeaturesIsAColumnOfOnes) {
  Case made = make_case(0, false);
  made.wanted.features.clear();
  made.wanted.fitted.clear();
  auto design = Design::create(table_of(made, Storage::f64), made.wanted, kLeverage);
  ASSERT_TRUE(design.ok());
  ASSERT_EQ(design->columns(), 1u);
  for (std::size_t i = 0; i < kRows; ++i) {
    ASSERT_EQ(design->view().row(i)[0], 1);
    ASSERT_EQ(design->weights()[i], 1);
  }
}

TEST(Design, RefusesColumnsThatAreNotThere) {
  const Case made = make_case(0, false);
  for (int which = 0; which < 3; ++which) {
    DesignColumns wanted = made.wanted;
    (which == 0 ? wanted.target : which == 1 ? wanted.exposure : wanted.features[0].column) = "nowhere";
    const auto design = Design::create(table_of(made, Storage::f64), wanted, kLeverage);
    ASSERT_FALSE(design.ok());
    EXPECT_NE(design.error().message.find("nowhere"), std::string::npos) << design.error().message;
  }
}

TEST(Design, TransformsEveryRow) {
  const Case made = make_case(3, false);
  const std::size_t d = 5;
  std::vector<double> matrix(d * d);
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t k = 0; k <= j; ++k)
      matrix[j * d + k] = matrix[k * d + j] = std::sin(1.0 + static_cast<double>(j * d + k));
  for (const std::size_t threads : {1u, 2u}) {
    auto design = Design::create(table_of(made, Storage::f64), made.wanted, kLeverage);
    ASSERT_TRUE(design.ok());
    Engine engine(threads);
    ASSERT_TRUE(design->transform(engine, matrix).ok());
    for (std::size_t i = 0; i < kRows; ++i) {
      const std::vector<double> row = plain_row(made, i);
      for (std::size_t k = 0; k < d; ++k) {
        double expected = 0, size = 0;
        for (std::size_t j = 0; j < d; ++j) {
          expected += matrix[j * d + k] * row[j];
          size += std::abs(matrix[j * d + k] * row[j]);
        }
        ASSERT_NEAR(design->view().row(i)[k], expected, 1e-6 * (1 + size)) << i << ' ' << k;
      }
    }
  }
}

}  // namespace
}  // namespace tailcoat
