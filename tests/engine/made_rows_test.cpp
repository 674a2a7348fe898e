// Rows that are made in each pass: the same bits as kept ones, the same sensitivity, and refused where all rows are
// needed at once.
#include <gtest/gtest.h>

#include <cstring>

#include "helpers.hpp"
#include "tailcoat/engine/pieces.hpp"

namespace tailcoat {
namespace {

// Rows of floats with labels and weights, handed out in pieces. What was left in the space is overwritten with NaN, so
// that nothing of another piece can be mistaken for this one's.
class TestRows final : public RowMaker {
 public:
  TestRows(std::vector<float> values, std::size_t columns, std::vector<double> labels, std::vector<double> weights)
      : values_(std::move(values)), labels_(std::move(labels)), weights_(std::move(weights)), columns_(columns) {}

  [[nodiscard]] std::size_t rows() const override { return labels_.size(); }
  [[nodiscard]] std::size_t columns() const override { return columns_; }
  [[nodiscard]] std::size_t scratch_bytes() const override { return 8; }
  [[nodiscard]] RowsOf<float> make(std::size_t begin, std::size_t end, const RowSpace& space) const noexcept override {
    std::memset(space.scratch, 1, scratch_bytes());
    const std::size_t stride = padded(columns_);
    std::fill_n(space.rows, (end - begin) * stride, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = begin; i < end; ++i)
      std::copy_n(values_.data() + i * columns_, columns_, space.rows + (i - begin) * stride);
    std::copy(labels_.begin() + static_cast<std::ptrdiff_t>(begin), labels_.begin() + static_cast<std::ptrdiff_t>(end),
              space.labels);
    std::copy(weights_.begin() + static_cast<std::ptrdiff_t>(begin),
              weights_.begin() + static_cast<std::ptrdiff_t>(end), space.weights);
    return {space.rows, end - begin, columns_, stride};
  }

  [[nodiscard]] RowsOf<float> view() const { return rows_of(values_, columns_); }
  [[nodiscard]] const std::vector<double>& labels() const { return labels_; }
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }

 private:
  std::vector<float> values_;
  std::vector<double> labels_, weights_;
  std::size_t columns_;
};

double hostile_weight(std::mt19937_64& random) {
  const std::vector<double> bad = {kNaN, kInf, -1, 0, kSubnormal, kHuge, 1e300};
  return random() % 3 == 0 ? bad[random() % bad.size()] : std::exp(2 * std::normal_distribution<>()(random));
}

TestRows random_rows(std::size_t n, std::size_t d, std::mt19937_64& random) {
  std::vector<float> values;
  std::vector<double> labels, weights;
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<double> row = random() % 20 == 0 ? hostile_row(d, random) : std::vector<double>(d, 0);
    for (const double x : row) values.push_back(static_cast<float>(x + std::normal_distribution<>()(random)));
    labels.push_back(random() % 50 == 0 ? hostile_number(random) : (random() % 2 == 0 ? 1 : -1));
    weights.push_back(hostile_weight(random));
  }
  return {values, d, labels, weights};
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
    const TestRows rows = random_rows(n, d, random);
    for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, n}, {1, n - 1}, {777, 2049}, {5, 1}}) {
      const auto expected =
          all_sums(engines[0], *engines[0].load(rows.view(), rows.labels(), rows.weights()), first, count);
      for (Engine& engine : engines)
        ASSERT_EQ(all_sums(engine, *engine.load(rows), first, count), expected) << d << ' ' << first;
    }
  }
}

TEST(MadeRows, GiveTheBitsOfKeptRowsWhereAPieceIsAFewRows) {
  std::mt19937_64 random(2);
  Engine engine(2);
  const std::size_t d = 5000, n = 37;  // pieces of 4 rows
  const TestRows rows = random_rows(n, d, random);
  EXPECT_EQ(MadePieces(rows).most_rows(), 4u);
  const std::vector<double> x(d, 0.01);
  const auto lattice = *clip_lattice(0.5, d, Gdp{0.3});
  EXPECT_EQ(opened(*engine.clipped_gradient_sum({*engine.load(rows), SquaredLoss{}}, x, lattice)),
            opened(*engine.clipped_gradient_sum(
                {*engine.load(rows.view(), rows.labels(), rows.weights()), SquaredLoss{}}, x, lattice)));
}

TEST(MadeRows, SensitivityHoldsForHostileNeighbours) {
  Engine engine(1);
  std::mt19937_64 random(3);
  double most_gradients = 0, most_moments = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const std::size_t d = std::array<std::size_t, 4>{1, 3, 8, 17}[random() % 4], n = 3, replaced = random() % n;
    std::vector<float> values;
    std::vector<double> labels, weights;
    for (std::size_t i = 0; i < n; ++i) {
      for (const double x : hostile_row(d, random)) values.push_back(static_cast<float>(x));
      labels.push_back(hostile_number(random));
      weights.push_back(hostile_weight(random));
    }
    auto other_values = values;
    auto other_labels = labels, other_weights = weights;
    const auto row = hostile_row(d, random);
    for (std::size_t j = 0; j < d; ++j)
      other_values[replaced * d + j] = trial % 2 == 0 ? -values[replaced * d + j] : static_cast<float>(row[j]);
    other_labels[replaced] = random() % 2 == 0 ? labels[replaced] : hostile_number(random);
    other_weights[replaced] = hostile_weight(random);
    const TestRows one(values, d, labels, weights), two(other_values, d, other_labels, other_weights);
    std::vector<double> x(d);
    for (double& part : x) part = std::normal_distribution<>()(random);
    const auto lattice = *clip_lattice(std::exp2(std::uniform_int_distribution<>(-30, 30)(random)), d, Gdp{0.01});
    const auto share = [](const SensitiveSum& a, const SensitiveSum& b) {
      return squared_distance(opened(a), opened(b)) / squared(exact(a.sensitivity));
    };
    const auto gradients = [&](const TestRows& rows) {
      return *engine.clipped_gradient_sum({*engine.load(rows), AbsoluteLoss{}}, x, lattice);
    };
    const auto moments = [&](const TestRows& rows) {
      return *engine.second_moment_sum((*engine.load(rows)).features(), 1, Gdp{0.1});
    };
    const Rational moved = share(gradients(one), gradients(two)), turned = share(moments(one), moments(two));
    ASSERT_LE(moved, 1);
    ASSERT_LE(turned, 1);
    most_gradients = std::max(most_gradients, static_cast<double>(moved));
    most_moments = std::max(most_moments, static_cast<double>(turned));
  }
  EXPECT_GT(most_gradients, 0.99);
  EXPECT_GT(most_moments, 0.99);
}

TEST(MadeRows, AreRefusedWhereAllRowsAreNeededAtOnce) {
  Engine engine(1);
  std::mt19937_64 random(4);
  const TestRows rows = random_rows(4, 1, random);
  const auto data = *engine.load(rows);
  const Samples samples(data, LogisticLoss{});
  EXPECT_TRUE(samples.made());
  EXPECT_TRUE(samples.weighted());
  const std::vector<double> x = {0};
  const Domain domain = *Domain::ball({0}, 1);
  const auto refused = [](const auto& result) {
    return !result.ok() && result.error().message.find("kept in memory") != std::string::npos;
  };
  EXPECT_TRUE(refused(engine.one_pass_average(samples, domain, x, {.step = 0.1, .clip = 1}, Gdp{1})));
  EXPECT_TRUE(refused(engine.clipped_coordinate_medians(samples, x, 1, 2, Gdp{1})));
  EXPECT_TRUE(refused(engine.minimiser(samples, domain, x, {.lipschitz = 1, .weight = 1}, Gdp{1})));
  const Guard guard = [](const Sensitive<double>&) { return false; };
  const GuardedPass pass{.step = 0.1, .clip = 1, .longest = 10, .smoothness = 1, .most_clipped = 1};
  EXPECT_TRUE(refused(engine.guarded_average(samples, domain, x, pass, guard, Gdp{1})));
  const BinGrid grid = magnitude_bins(1);
  EXPECT_TRUE(refused(engine.histograms(data.features(), std::span(&grid, 1), Gdp{1})));
  EXPECT_TRUE(refused(engine.counts_outside(data.features(), x, x, Gdp{1})));
  EXPECT_TRUE(refused(engine.level_counts(data.features(), 0, 3)));
}

TEST(MadeRows, RefuseToBeNone) {
  Engine engine(1);
  EXPECT_FALSE(engine.load(TestRows({}, 3, {}, {})).ok());
  EXPECT_FALSE(engine.load(TestRows({}, 0, {1}, {1})).ok());
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
