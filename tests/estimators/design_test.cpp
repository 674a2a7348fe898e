#include "tailcoat/estimators/design.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeverage = 1.5;
constexpr std::size_t kRows = 5000;
constexpr std::size_t kWidth = 6;  // of a row: five features and the constant

struct Case {
  std::vector<Column> columns;
  std::vector<double> cells;
  DesignColumns wanted;
};

const Feature kNumber{.column = "a", .centre = 2, .scale = 0.5, .low = -3, .high = 9};
const Feature kTail{
    .column = "a", .kind = FeatureKind::beyond, .scale = 3, .low = -50, .high = 60, .knot_low = -3, .knot_high = 9};
const Feature kNonzero{.column = "a", .kind = FeatureKind::nonzero, .centre = 0.8, .scale = 0.4, .low = 0, .high = 1};
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
  made.wanted.features = {kNumber, kTail, kNonzero, kMissingA, level("Graz", 0.5), level("Linz", 0.3)};
  made.wanted.fitted = {0, 1, 2, 3, 5};
  made.wanted.target = "y";
  if (exposure) made.wanted.exposure = "t";
  std::mt19937_64 random(41);
  std::cauchy_distribution<double> wide(0, 5);
  for (std::size_t i = 0; i < kRows; ++i) {
    const double drawn = static_cast<double>(static_cast<float>(wide(random)));
    const double a = i % 11 == 0 ? kMissing : (i % 5 == 0 ? 0 : drawn);
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
    if (f.kind == FeatureKind::nonzero) value = std::isnan(cells[0]) ? f.centre : (cells[0] != 0 ? 1 : 0);
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

std::vector<double> symmetric(std::size_t d) {
  std::vector<double> matrix(d * d);
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t k = 0; k <= j; ++k)
      matrix[j * d + k] = matrix[k * d + j] = std::sin(1.0 + static_cast<double>(j * d + k));
  return matrix;
}

bool same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

struct Made {
  std::vector<std::vector<float>> rows;
  std::vector<double> labels, weights;

  bool operator==(const Made& other) const {
    const auto bits = [](const std::vector<double>& numbers) {
      std::vector<std::uint64_t> result;
      for (const double x : numbers) result.push_back(std::isnan(x) ? 0 : std::bit_cast<std::uint64_t>(x));
      return result;
    };
    return rows == other.rows && bits(labels) == bits(other.labels) && bits(weights) == bits(other.weights);
  }
};

// Rows [begin, end), made in pieces of at most `most`, in a space that is full of other numbers.
Made made_of(const Design& design, std::size_t begin, std::size_t end, std::size_t most = 100) {
  Made made;
  std::vector<float, VectorAllocator<float>> space(most * padded(design.columns()), -7);
  std::vector<std::byte, VectorAllocator<std::byte>> scratch(design.scratch_bytes(), std::byte{0x7f});
  std::vector<double> labels(most, -7), weights(most, -7);
  for (std::size_t i = begin; i < end; i += most) {
    const RowsOf<float> rows =
        design.make(i, std::min(end, i + most), {space.data(), labels.data(), weights.data(), scratch.data()});
    for (std::size_t k = 0; k < rows.rows; ++k) {
      made.rows.emplace_back(rows.row(k).begin(), rows.row(k).end());
      made.labels.push_back(labels[k]);
      made.weights.push_back(weights[k]);
    }
  }
  return made;
}

Made all_of(const Design& design) { return made_of(design, 0, design.rows()); }

Design design_of(const Frame& frame, const DesignColumns& wanted) {
  auto design = Design::create(frame, wanted, kLeverage);
  if (!design) stop_at(design.error());
  return std::move(*design);
}

void expect_plain(const Case& made, const Design& design, bool exposure) {
  ASSERT_EQ(design.rows(), kRows);
  ASSERT_EQ(design.columns(), kWidth);
  EXPECT_DOUBLE_EQ(design.radius(), kLeverage * std::sqrt(static_cast<double>(kWidth)));
  EXPECT_EQ(row_count(design.exposures()), exposure ? kRows : 0u);
  const Made all = all_of(design);
  const double square = design.radius() * design.radius();
  std::size_t light = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::vector<double> row = plain_row(made, i);
    const double* cells = made.cells.data() + i * made.columns.size();
    double norm = 0;
    for (std::size_t j = 0; j < row.size(); ++j) {
      ASSERT_NEAR(all.rows[i][j], row[j], 1e-6 * (1 + std::abs(row[j]))) << i << ' ' << j;
      norm += row[j] * row[j];
    }
    ASSERT_TRUE(same(all.labels[i], cells[3])) << i;
    const double weight = std::min(1.0, square / norm);
    ASSERT_NEAR(all.weights[i], exposure ? weight * cells[2] : weight, 1e-9) << i;
    if (!exposure) {
      ASSERT_LE(all.weights[i] * norm, square * (1 + 1e-12)) << i;
    }
    light += weight < 1 ? 1 : 0;
  }
  EXPECT_GT(light, 100u);
}

// Once for each instruction set of this machine.
template <class Body>
void for_each_target(const Body& body) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::GetChosenTarget().Update(target);
    SCOPED_TRACE(hwy::TargetName(target));
    body();
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(Design, IsThePlainComputation) {
  for (const Storage storage : {Storage::f64, Storage::f32})
    for (const std::size_t unused : {0u, 2u, 7u})
      for (const bool exposure : {false, true}) {
        SCOPED_TRACE(testing::Message() << (storage == Storage::f64) << ' ' << unused << ' ' << exposure);
        const Case made = make_case(unused, exposure);
        const Table table = table_of(made, storage);
        for_each_target([&] { expect_plain(made, design_of(frame_of(table), made.wanted), exposure); });
      }
}

// 6 floats fit into 4 doubles, 6 floats and 11 floats, but not into 4 floats: there rows are made all the same.
// Wien and missing texts are another level; it is fitted, the reference, or both are.
TEST(Design, SeesOtherTextsAsALevel) {
  const Feature other{.column = "city", .kind = FeatureKind::other, .centre = 0.2, .scale = 0.35, .low = 0, .high = 1};
  for (const std::vector<std::size_t>& fitted : {std::vector<std::size_t>{1, 2}, {0, 2}, {0, 1}}) {
    Case made = make_case(0, false);
    made.wanted.features = {level("Graz", 0.5), other, level("Linz", 0.3)};
    made.wanted.fitted = fitted;
    const Table table = table_of(made, Storage::f64);
    const Frame frame = frame_of(table);
    const Made all = all_of(design_of(frame, made.wanted));
    for (std::size_t i = 0; i < kRows; ++i) {
      const double city = made.cells[i * made.columns.size() + 1];
      const std::size_t here = std::isnan(city) || city == 0 ? 1 : (city == 1 ? 0 : 2);  // among the features
      double norm = 1;
      for (std::size_t k = 0; k < 2; ++k) {
        const Feature& f = made.wanted.features[fitted[k]];
        const double value = ((here == fitted[k] ? 1 : 0) - f.centre) / f.scale;
        ASSERT_NEAR(all.rows[i][k], value, 1e-6) << i << ' ' << k;
        norm += value * value;
      }
      ASSERT_NEAR(all.weights[i], std::min(1.0, kLeverage * kLeverage * 3 / norm), 1e-9) << i;
    }
  }
}

TEST(Design, KeptInTheMemoryOfTheTableHasTheSameBits) {
  for (const Storage storage : {Storage::f64, Storage::f32})
    for (const std::size_t unused : {0u, 2u, 7u})
      for (const bool exposure : {false, true}) {
        const Case made = make_case(unused, exposure);
        Table table = table_of(made, storage);
        const Frame frame = frame_of(table);
        Design design = design_of(frame, made.wanted);
        const std::vector<double> matrix = symmetric(kWidth);
        design.set_matrix(matrix);
        const Made expected = all_of(design);
        Engine engine(3);
        Buffer cells = std::move(table).take_matrix();
        ASSERT_TRUE(design.keep(engine, &cells).ok());
        EXPECT_EQ(all_of(design), expected);
        design.set_labels({.centre = 1, .scale = 2});
        EXPECT_EQ(made_of(design, 4, 5).labels[0], (expected.labels[4] - 1) / 2);
      }
}

TEST(Design, OfWideRowsIsKeptWithTheSameBits) {
  std::mt19937_64 random(2);
  for (const std::size_t d : {63u, 100u}) {
    const std::size_t n = 1500;
    std::vector<double> cells(n * d), y(n, 1);
    for (double& cell : cells) cell = std::normal_distribution<>()(random);
    Frame frame{.columns = {}, .cells = RowsOf<double>{cells.data(), n, d, d}, .apart = y};
    DesignColumns wanted{.features = {}, .fitted = {}, .target = "y"};
    for (std::size_t j = 0; j < d; ++j) {
      frame.columns.push_back({.name = std::string("x").append(std::to_string(j))});
      wanted.features.push_back({.column = frame.columns.back().name, .low = -2, .high = 2});
      wanted.fitted.push_back(j);
    }
    frame.columns.push_back({.name = "y"});
    Design design = design_of(frame, wanted);
    design.set_matrix(symmetric(d + 1));
    const Made expected = all_of(design);
    Engine engine(2);
    ASSERT_TRUE(design.keep(engine, nullptr).ok());
    std::ranges::fill(cells, 0.0);  // seen only where rows are made anew
    EXPECT_EQ(all_of(design) == expected, d == 100u);
  }
}

TEST(Design, ARowIsTheSameInAnyPiece) {
  const Case made = make_case(3, true);
  const Table table = table_of(made, Storage::f64);
  Design design = design_of(frame_of(table), made.wanted);
  const std::vector<double> matrix = symmetric(kWidth);
  design.set_matrix(matrix);
  for_each_target([&] {
    const Made all = all_of(design);
    for (const std::size_t most : {1u, 2u, 3u, 4u, 5u, 64u, 1000u}) EXPECT_EQ(made_of(design, 0, kRows, most), all);
    for (const std::size_t i : {1u, 2u, 3u, 1001u, 4999u}) {
      const Made one = made_of(design, i, i + 1);
      EXPECT_EQ(one.rows[0], all.rows[i]);
      EXPECT_EQ(one.weights[0], all.weights[i]);
    }
  });
}

// The target in front, at the end, and apart from rows that are further from each other than they are long.
TEST(Design, DoesNotDependOnWhereTheTargetIs) {
  std::mt19937_64 random(3);
  const std::size_t n = 700, d = 9;
  std::vector<double> front, back, apart, cells;
  std::vector<Column> names;
  for (std::size_t j = 0; j < d; ++j) names.push_back({.name = std::string("x").append(std::to_string(j))});
  DesignColumns wanted{.features = {}, .fitted = {}, .target = "y"};
  for (std::size_t j = 0; j < d; ++j) {
    wanted.features.push_back({.column = names[j].name, .centre = 0.1, .scale = 0.7, .low = -1, .high = 1});
    if (j % 3 == 0)
      wanted.features.push_back({.column = names[j].name,
                                 .kind = FeatureKind::beyond,
                                 .scale = 0.3,
                                 .low = -2,
                                 .high = 2,
                                 .knot_low = -1,
                                 .knot_high = 1});
  }
  for (std::size_t j = 0; j < wanted.features.size(); ++j) wanted.fitted.push_back(j);
  for (std::size_t i = 0; i < n; ++i) {
    const double y = std::normal_distribution<>()(random);
    front.push_back(y);
    for (std::size_t j = 0; j < d; ++j) {
      const double x = std::normal_distribution<>()(random);
      for (auto* to : {&front, &back, &cells}) to->push_back(x);
    }
    back.push_back(y);
    cells.insert(cells.end(), 2, kMissing);
    apart.push_back(y);
  }
  std::vector<Column> y_first = names, y_last = names;
  y_first.insert(y_first.begin(), {.name = "y"});
  y_last.push_back({.name = "y"});
  const std::vector<double> matrix = symmetric(wanted.fitted.size() + 1);
  std::vector<Made> all;
  for (const Frame& frame : {Frame{y_first, RowsOf<double>{front.data(), n, d + 1, d + 1}},
                             Frame{y_last, RowsOf<double>{back.data(), n, d + 1, d + 1}},
                             Frame{y_last, RowsOf<double>{cells.data(), n, d, d + 2}, apart}}) {
    Design design = design_of(frame, wanted);
    design.set_matrix(matrix);
    all.push_back(all_of(design));
  }
  EXPECT_EQ(all[0], all[1]);
  EXPECT_EQ(all[0], all[2]);
}

TEST(Design, WithoutFeaturesIsAColumnOfOnes) {
  Case made = make_case(0, false);
  made.wanted.features.clear();
  made.wanted.fitted.clear();
  const Table table = table_of(made, Storage::f64);
  const Made all = all_of(design_of(frame_of(table), made.wanted));
  for (std::size_t i = 0; i < kRows; ++i) {
    ASSERT_EQ(all.rows[i], std::vector<float>{1});
    ASSERT_EQ(all.weights[i], 1);
  }
}

TEST(Design, RefusesColumnsThatAreNotThere) {
  const Case made = make_case(0, false);
  const Table table = table_of(made, Storage::f64);
  for (int which = 0; which < 3; ++which) {
    DesignColumns wanted = made.wanted;
    (which == 0 ? wanted.target : which == 1 ? wanted.exposure : wanted.features[0].column) = "nowhere";
    const auto design = Design::create(frame_of(table), wanted, kLeverage);
    ASSERT_FALSE(design.ok());
    EXPECT_NE(design.error().message.find("nowhere"), std::string::npos) << design.error().message;
  }
}

TEST(Design, MultipliesEveryRow) {
  const Case made = make_case(3, false);
  const Table table = table_of(made, Storage::f64);
  const std::size_t d = kWidth;
  const std::vector<double> matrix = symmetric(d);
  Design design = design_of(frame_of(table), made.wanted);
  design.set_matrix(matrix);
  for_each_target([&] {
    const Made all = all_of(design);
    for (std::size_t i = 0; i < kRows; ++i) {
      const std::vector<double> row = plain_row(made, i);
      for (std::size_t k = 0; k < d; ++k) {
        double expected = 0, size = 0;
        for (std::size_t j = 0; j < d; ++j) {
          expected += matrix[j * d + k] * row[j];
          size += std::abs(matrix[j * d + k] * row[j]);
        }
        ASSERT_NEAR(all.rows[i][k], expected, 1e-6 * (1 + size)) << i << ' ' << k;
      }
    }
  });
}

TEST(Design, LabelsFollowTheirRule) {
  const LabelRule number{.centre = 3, .scale = 2};
  EXPECT_EQ(number.of(7), 2);
  EXPECT_TRUE(std::isnan(number.of(kMissing)));
  const LabelRule level{.of_level = {1, kMissing, -1}};
  EXPECT_EQ(level.of(0), 1);
  EXPECT_EQ(level.of(2), -1);
  for (const double cell : {1.0, 3.0, -1.0, 0.5, 1e300, -1e300, kMissing, HUGE_VAL, -HUGE_VAL})
    EXPECT_TRUE(std::isnan(level.of(cell))) << cell;
}

double hostile_cell(std::mt19937_64& random) {
  const double bad[] = {kMissing, HUGE_VAL, -HUGE_VAL, 1e308, -1e308, 5e-324, -0.0, 0, 3, 1e9, -1, 0.5};
  return random() % 2 == 0 ? bad[random() % std::size(bad)] : 5 * std::normal_distribution<>()(random);
}

// Neighbours: cells of every kind, texts that are no level included. Only the row that was replaced may change, and the
// sum of gradients by no more than its sensitivity, which opposite rows come close to.
TEST(Design, OfHostileNeighboursStaysWithinTheSensitivity) {
  const Case made = make_case(0, true);
  const std::vector<double> matrix = symmetric(kWidth), x = {0.3, -0.2, 0.1, 0.5, -0.4, 0.2};
  const std::size_t n = 6, columns = made.columns.size();
  Engine engine(1);
  std::mt19937_64 random(4);
  double most = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<double> cells(n * columns);
    for (double& cell : cells) cell = hostile_cell(random);
    std::vector<double> other = cells;
    const std::size_t replaced = random() % n;
    double* const row = other.data() + replaced * columns;
    if (trial % 3 == 0) {
      cells[replaced * columns + 2] = row[2] = 1e3;
      cells[replaced * columns + 3] = 1e9;
      row[3] = -1e9;  // the gradient turns round
    } else {
      for (std::size_t j = 0; j < columns; ++j)
        if (random() % 2 == 0) row[j] = hostile_cell(random);
    }
    const auto lattice = *clip_lattice(0.01, kWidth, Gdp{0.05});
    std::vector<Made> all;
    std::vector<std::vector<std::int64_t>> sums;
    for (const auto* numbers : {&cells, &other}) {
      Design design = design_of({made.columns, RowsOf<double>{numbers->data(), n, columns, columns}}, made.wanted);
      design.set_matrix(matrix);
      all.push_back(all_of(design));
      auto sum = *engine.clipped_gradient_sum({*engine.load(design), SquaredLoss{}}, x, lattice);
      sums.push_back(SensitiveKey::take(std::move(sum.units)));
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i == replaced) continue;
      for (std::size_t j = 0; j < kWidth; ++j)
        ASSERT_EQ(std::bit_cast<std::uint32_t>(all[0].rows[i][j]), std::bit_cast<std::uint32_t>(all[1].rows[i][j]));
      ASSERT_TRUE(same(all[0].weights[i], all[1].weights[i]));
    }
    double squares = 0;
    for (std::size_t j = 0; j < kWidth; ++j) squares += std::pow(static_cast<double>(sums[0][j] - sums[1][j]), 2);
    ASSERT_LE(std::sqrt(squares), lattice.sensitivity);
    most = std::max(most, std::sqrt(squares) / lattice.sensitivity);
  }
  EXPECT_GT(most, 0.99);
}

}  // namespace
}  // namespace tailcoat
