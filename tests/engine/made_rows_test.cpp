// Rows that are made in each pass: the same bits as kept ones, the same sensitivity, and refused where all rows are
// needed at once.
#include <gtest/gtest.h>

#include <cstring>

#include "tailcoat/engine/pieces.hpp"
#include "weighted_rows.hpp"

namespace tailcoat {
namespace {

// Rows of floats with labels and weights, handed out in pieces. What was left in the space is overwritten with NaN, so
// that nothing of another piece can be mistaken for this one's. Or, in_memory, rows that stay where they are.
class TestRows final : public RowMaker {
 public:
  explicit TestRows(WeightedRows<float> data, bool in_memory = false) : data_(std::move(data)), in_memory_(in_memory) {}

  [[nodiscard]] std::size_t rows() const override { return data_.labels.size(); }
  [[nodiscard]] std::size_t columns() const override { return data_.columns; }
  [[nodiscard]] std::size_t scratch_bytes() const override { return 8; }
  [[nodiscard]] RowsOf<float> make(std::size_t begin, std::size_t end, const RowSpace& space) const noexcept override {
    std::memset(space.scratch, 1, scratch_bytes());
    const std::size_t columns = data_.columns, stride = padded(columns), count = end - begin;
    std::copy_n(data_.labels.data() + begin, count, space.labels);
    std::copy_n(data_.weights.data() + begin, count, space.weights);
    if (in_memory_) return part_of(*kept(), begin, end);
    std::fill_n(space.rows, count * stride, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(data_.values.data() + (begin + i) * columns, columns, space.rows + i * stride);
    return {space.rows, count, columns, stride};
  }

  [[nodiscard]] std::optional<RowsOf<float>> kept() const override {
    if (!in_memory_) return {};
    return RowsOf<float>{data_.values.data(), rows(), columns(), columns()};
  }

  [[nodiscard]] const WeightedRows<float>& data() const { return data_; }

 private:
  WeightedRows<float> data_;
  bool in_memory_;
};

TestRows random_rows(std::size_t n, std::size_t d, std::mt19937_64& random) {
  WeightedRows<float> rows{.columns = d, .values = {}, .labels = {}, .weights = {}};
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<double> row = random() % 20 == 0 ? hostile_row(d, random) : std::vector<double>(d, 0);
    for (const double x : row) rows.values.push_back(static_cast<float>(x + std::normal_distribution<>()(random)));
    rows.labels.push_back(random() % 50 == 0 ? hostile_number(random) : (random() % 2 == 0 ? 1 : -1));
    rows.weights.push_back(hostile_weight(random));
  }
  return TestRows(rows);
}

// Every sum and column that takes made rows. Columns as histograms and clipped sums, which is how they are used.
std::vector<std::vector<std::int64_t>> all_sums(Engine& engine, const LabelledData& data, std::size_t first,
                                                std::size_t count) {
  const std::size_t d = data.dimension();
  std::vector<double> x(d), y(d);
  for (std::size_t j = 0; j < d; ++j) x[j] = 0.1 * static_cast<double>(j % 5) - 0.2, y[j] = -x[j] / 3;
  const auto lattice = *clip_lattice(0.5, d, Gdp{0.3});
  const Samples samples = Samples(data, LogisticLoss{}).block(first, count);
  std::vector<std::vector<std::int64_t>> sums;
  sums.push_back(opened(*engine.clipped_gradient_sum(samples, x, lattice)));
  sums.push_back(opened(*engine.gradient_second_moment_sum(samples, x, 0.5, Gdp{0.3})));
  sums.push_back(opened(*engine.second_moment_sum(data.features(), 2, Gdp{0.3})));
  sums.push_back(opened(*engine.clipped_row_sum(data.features(), lattice)));
  const BinGrid grid = magnitude_bins(8);
  std::vector<RowData> columns;
  columns.push_back(*engine.gradient_norms(samples, x));
  columns.push_back(*engine.margins(samples, x));
  columns.push_back(*engine.residuals(samples, x));
  columns.push_back(*engine.loss_differences(samples, x, y));
  for (const RowData& column : columns) {
    sums.push_back(opened(*engine.histograms(column, std::span(&grid, 1), Gdp{1})));
    sums.push_back(opened(*engine.clipped_row_sum(column, *clip_lattice(1, 1, Gdp{1}))));
  }
  return sums;
}

TEST(MadeRows, GiveTheBitsOfKeptRowsOnAnyNumberOfThreadsAndFromAnyRowOn) {
  std::mt19937_64 random(1);
  std::vector<Engine> engines;
  for (const std::size_t threads : {1, 2, 3}) engines.emplace_back(threads);
  for (const std::size_t d : {1, 2, 7, 8, 21}) {
    const std::size_t n = 6000 + random() % 100;
    const TestRows rows = random_rows(n, d, random), in_memory(rows.data(), true);
    for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, n}, {1, n - 1}, {777, 2049}, {5, 1}}) {
      const auto expected = all_sums(engines[0], rows.data().loaded(engines[0]), first, count);
      for (Engine& engine : engines) {
        ASSERT_EQ(all_sums(engine, *engine.load(rows), first, count), expected) << d << ' ' << first;
        ASSERT_EQ(all_sums(engine, *engine.load(in_memory), first, count), expected) << d << ' ' << first;
      }
    }
  }
}

TEST(MadeRows, GiveTheBitsOfKeptRowsWhereAPieceIsAFewRows) {
  std::mt19937_64 random(2);
  Engine engine(2);
  const std::size_t d = 5000, n = 37;  // pieces of 4 rows
  const TestRows rows = random_rows(n, d, random);
  EXPECT_EQ(MadePieces(rows, nullptr).most_rows(), 4u);
  const std::vector<double> x(d, 0.01);
  const auto lattice = *clip_lattice(0.5, d, Gdp{0.3});
  EXPECT_EQ(opened(*engine.clipped_gradient_sum({*engine.load(rows), SquaredLoss{}}, x, lattice)),
            opened(*engine.clipped_gradient_sum({rows.data().loaded(engine), SquaredLoss{}}, x, lattice)));
}

TEST(MadeRows, SensitivityHoldsForHostileNeighbours) {
  Engine engine(1);
  bool in_memory = false;
  const auto gradients = [&](const WeightedRows<float>& kept, const auto& x, const ClipLattice& lattice) {
    const TestRows rows(kept, in_memory);
    return *engine.clipped_gradient_sum({*engine.load(rows), AbsoluteLoss{}}, x, lattice);
  };
  const auto moments = [&](const WeightedRows<float>& kept, const auto&, const ClipLattice&) {
    const TestRows rows(kept, in_memory);
    return *engine.second_moment_sum((*engine.load(rows)).features(), 1, Gdp{0.1});
  };
  for (const bool kept : {false, true}) {
    in_memory = kept;
    for (const Rational& most :
         {largest_moved_share<float>(3, 3000, gradients), largest_moved_share<float>(4, 3000, moments)}) {
      EXPECT_LE(most, 1) << kept;
      EXPECT_GT(static_cast<double>(most), 0.99) << kept;
    }
  }
}

TEST(MadeRows, AreRefusedWhereAllRowsAreNeededAtOnce) {
  Engine engine(1);
  std::mt19937_64 random(4);
  const TestRows rows = random_rows(4, 1, random);
  const auto data = *engine.load(rows);
  const Samples samples(data, LogisticLoss{});
  EXPECT_TRUE(samples.made());
  expect_refused_row_by_row(engine, samples, "kept in memory");
  const auto refused = [](const auto& result) {
    return !result.ok() && result.error().message.find("kept in memory") != std::string::npos;
  };
  const std::vector<double> x = {0};
  const BinGrid grid = magnitude_bins(1);
  EXPECT_TRUE(refused(engine.histograms(data.features(), std::span(&grid, 1), Gdp{1})));
  EXPECT_TRUE(refused(engine.counts_outside(data.features(), x, x, Gdp{1})));
  EXPECT_TRUE(refused(engine.level_counts(data.features(), 0, 3)));
}

TEST(MadeRows, RefuseToBeNone) {
  Engine engine(1);
  EXPECT_FALSE(engine.load(TestRows({.columns = 3, .values = {}, .labels = {}, .weights = {}})).ok());
  EXPECT_FALSE(engine.load(TestRows({.columns = 0, .values = {}, .labels = {1}, .weights = {1}})).ok());
}

TEST(LoadColumns, WithAColumnApartCountsAsIfItWereTheLast) {
  std::mt19937_64 random(5);
  const std::size_t n = 70'001, d = 3;
  std::vector<double> together, cells, apart;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      together.push_back(hostile_number(random));
      cells.push_back(together.back());
    }
    together.push_back(random() % 4 == 0 ? hostile_number(random) : static_cast<double>(random() % 6));
    apart.push_back(together.back());
  }
  for (const std::size_t threads : {1, 2}) {
    Engine engine(threads);
    const auto all = *engine.load_columns(rows_of(together, d + 1));
    const auto two = *engine.load_columns(rows_of(cells, d), apart);
    EXPECT_EQ(two.dimension(), d + 1);
    for (const BinGrid& last : {level_bins(5), no_bins()}) {
      const std::vector<BinGrid> grids = {magnitude_bins(2), no_bins(), linear_bins(-1, 1, 7), last};
      const auto expected = *engine.histograms(all, grids, Gdp{1}), found = *engine.histograms(two, grids, Gdp{1});
      EXPECT_EQ(opened(found), opened(expected));
      EXPECT_EQ(found.sensitivity, expected.sensitivity);
    }
    for (const std::size_t column : {std::size_t{0}, d})
      EXPECT_EQ(SensitiveKey::take(*engine.level_counts(two, column, 5)),
                SensitiveKey::take(*engine.level_counts(all, column, 5)));
    const std::vector<double> bounds(d + 1);
    EXPECT_FALSE(engine.counts_outside(two, bounds, bounds, Gdp{1}).ok());
    EXPECT_FALSE(engine.clipped_row_sum(two, *clip_lattice(1, d + 1, Gdp{1})).ok());
    EXPECT_FALSE(engine.load_columns(rows_of(cells, d), std::span(apart).first(5)).ok());
  }
}

TEST(LoadColumns, OfOneColumnSumsLikeALoadedOne) {
  std::mt19937_64 random(6);
  std::vector<double> values(200'000);
  for (double& value : values) value = hostile_number(random);
  Engine engine(2);
  const auto lattice = *clip_lattice(3, 1, Gdp{1});
  const Rows strided = RowsOf<double>{values.data() + 1, values.size() / 4, 1, 4};
  EXPECT_EQ(opened(*engine.clipped_row_sum(*engine.load_columns(strided), lattice)),
            opened(*engine.clipped_row_sum(*engine.load(strided), lattice)));
  EXPECT_EQ(opened(*engine.second_moment_sum(*engine.load_columns(strided), 3, Gdp{1})),
            opened(*engine.second_moment_sum(*engine.load(strided), 3, Gdp{1})));
}

}  // namespace
}  // namespace tailcoat
