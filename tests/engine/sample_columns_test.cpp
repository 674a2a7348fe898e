// Columns made of samples: gradient lengths, margins, differences of losses.
#include <gtest/gtest.h>

#include "helpers.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {
namespace {

// How many values of a column are within 1e-9 of what they should be, exactly counted. A missing one (NaN) is in no
// count, where a number would be in nearly all.
void expect_column(Engine& engine, const RowData& column, const std::vector<double>& expected) {
  ASSERT_EQ(column.rows(), expected.size());
  ASSERT_EQ(column.dimension(), 1u);
  for (const double value : expected) {
    if (std::isnan(value)) continue;
    const double slack = 1e-9 * std::max(1e-300, std::abs(value));
    const auto above = std::ranges::count_if(expected, [&](double e) { return e > value + slack; });
    const auto below = std::ranges::count_if(expected, [&](double e) { return e < value - slack; });
    const std::vector<double> lower = {value - slack}, upper = {value + slack};
    const auto sum = *engine.counts_outside(column, lower, upper, Gdp{1});
    EXPECT_EQ(static_cast<double>(opened(sum)[0]) * sum.unit, static_cast<double>(above + below)) << value;
  }
}

struct Data {
  std::vector<double> values, labels, weights, x, y;
  std::size_t n, d;

  Data(std::size_t rows, std::size_t columns, std::mt19937_64& random) : n(rows), d(columns) {
    std::normal_distribution<> normal;
    for (std::size_t i = 0; i < n * d; ++i) values.push_back(normal(random));
    for (std::size_t i = 0; i < n; ++i) labels.push_back(random() % 2 == 0 ? 1 : -1);
    for (std::size_t i = 0; i < n; ++i) weights.push_back(std::exp(normal(random)));
    for (std::size_t j = 0; j < d; ++j) x.push_back(normal(random));
    for (std::size_t j = 0; j < d; ++j) y.push_back(normal(random));
    values[3 * d] = kNaN;
    values[4 * d] = kInf;
    values[5 * d] = 1e200;  // out of the range of norms, with a finite margin
    labels[6] = kNaN;
    labels[7] = -kInf;
    weights[8] = kNaN;
    weights[9] = -1;
    weights[10] = 0;
    weights[11] = kInf;
  }

  [[nodiscard]] double margin(std::size_t i, const std::vector<double>& at) const {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) sum += values[i * d + j] * at[j];
    return sum;
  }
  [[nodiscard]] double weight(std::size_t i) const { return i >= 8 && i <= 11 ? 0 : weights[i]; }
};

TEST(SampleColumns, HoldMarginsNormsAndDifferences) {
  std::mt19937_64 random(1);
  const Data data(200, 4, random);
  Engine engine(2);
  const auto plain = *engine.load(rows_of(data.values, data.d), data.labels);
  const auto weighted = *engine.load(rows_of(data.values, data.d), data.labels, data.weights);
  const auto broken = [&](std::size_t i) { return i == 3 || i == 4 || i == 6 || i == 7; };
  const HuberLoss loss{};
  for (const bool with_weights : {false, true}) {
    std::vector<double> margins(data.n), residuals(data.n), norms(data.n), differences(data.n);
    for (std::size_t i = 0; i < data.n; ++i) {
      const double t = data.margin(i, data.x), u = data.margin(i, data.y), w = with_weights ? data.weight(i) : 1;
      if (i != 3 && i != 4) margins[i] = t;
      residuals[i] = broken(i) ? kNaN : data.labels[i] - t;
      if (broken(i)) continue;
      double squares = 0;
      for (std::size_t j = 0; j < data.d; ++j) squares += data.values[i * data.d + j] * data.values[i * data.d + j];
      norms[i] = std::isfinite(squares) ? w * std::abs(loss.derivative(t, data.labels[i])) * std::sqrt(squares) : 0;
      differences[i] = w * (loss.value(t, data.labels[i]) - loss.value(u, data.labels[i]));
    }
    const Samples all(with_weights ? weighted : plain, loss);
    expect_column(engine, *engine.margins(all, data.x), margins);
    expect_column(engine, *engine.residuals(all, data.x), residuals);
    expect_column(engine, *engine.gradient_norms(all, data.x), norms);
    expect_column(engine, *engine.loss_differences(all, data.x, data.y), differences);
    const Samples part = all.block(2, 20);
    const auto cut = [](const std::vector<double>& v) { return std::vector<double>(v.begin() + 2, v.begin() + 22); };
    expect_column(engine, *engine.margins(part, data.x), cut(margins));
    expect_column(engine, *engine.residuals(part, data.x), cut(residuals));
    expect_column(engine, *engine.gradient_norms(part, data.x), cut(norms));
    expect_column(engine, *engine.loss_differences(part, data.x, data.y), cut(differences));
  }
}

TEST(SampleColumns, AreTheSameOnAnyNumberOfThreadsAndInFloat) {
  std::mt19937_64 random(2);
  Data data(50'000, 6, random);
  for (double& value : data.values) value = static_cast<double>(static_cast<float>(std::clamp(value, -1e30, 1e30)));
  const std::vector<float> floats(data.values.begin(), data.values.end());
  const std::vector<BinGrid> grid = {magnitude_bins(8)};
  std::vector<std::int64_t> expected;
  for (const std::size_t threads : {1, 2, 5}) {
    Engine engine(threads);
    for (const Rows& rows : {Rows(rows_of(data.values, data.d)), Rows(rows_of(floats, data.d))}) {
      const auto loaded = *engine.load(rows, data.labels, data.weights);
      const auto column = *engine.loss_differences({loaded, LogisticLoss{}}, data.x, data.y);
      const auto counts = opened(*engine.histograms(column, grid, Gdp{1}));
      if (expected.empty()) expected = counts;
      EXPECT_EQ(counts, expected);
    }
  }
}

// A replaced record moves one number of each column, whatever it holds: two counts of a histogram, by 1.
TEST(SampleColumns, OfNeighboursDifferInOneRow) {
  Engine engine(1);
  std::mt19937_64 random(3);
  const std::vector<BinGrid> grid = {magnitude_bins(8)};
  double most[4] = {};
  for (int trial = 0; trial < 1000; ++trial) {
    const std::size_t d = std::array<std::size_t, 3>{1, 4, 9}[random() % 3], n = 4;
    const std::vector<double> values = hostile_rows(n, d, random), x = random_numbers(d, random);
    const std::vector<double> y = random_numbers(d, random);
    std::vector<double> labels(n), weights(n);
    for (double& label : labels) label = hostile_number(random);
    for (double& weight : weights) weight = std::abs(hostile_number(random));
    auto other_values = values, other_labels = labels, other_weights = weights;
    const std::size_t replaced = random() % n;
    std::ranges::copy(hostile_row(d, random), other_values.begin() + static_cast<std::ptrdiff_t>(replaced * d));
    other_labels[replaced] = hostile_number(random);
    other_weights[replaced] = std::abs(hostile_number(random));
    const auto counts = [&](const auto& of_values, const auto& of_labels, const auto& of_weights) {
      const auto data = *engine.load(rows_of(of_values, d), of_labels, of_weights);
      const Samples samples(data, HuberLoss{});
      std::vector<SensitiveSum> all;
      for (const auto& column : {engine.margins(samples, x), engine.residuals(samples, x),
                                 engine.gradient_norms(samples, x), engine.loss_differences(samples, x, y)})
        all.push_back(*engine.histograms(*column, grid, Gdp{1}));
      return all;
    };
    const auto one = counts(values, labels, weights), two = counts(other_values, other_labels, other_weights);
    for (std::size_t k = 0; k < 4; ++k) {
      const double moved =
          static_cast<double>(squared_distance(opened(one[k]), opened(two[k]))) * one[k].unit * one[k].unit;
      ASSERT_LE(moved, 2 + 1e-12);
      most[k] = std::max(most[k], moved);
    }
  }
  for (const double share : most) EXPECT_GT(share, 0.999);
}

TEST(SampleColumns, RefuseWhatHasNoMarginAndNoValue) {
  Engine engine(1);
  const SampleGradient gradient = [](std::size_t, std::span<const double>, std::span<double>) {};
  const Samples own(3, 2, {gradient});
  const std::vector<double> x = {0, 0}, short_x = {0}, bad_x = {0, kNaN};
  EXPECT_FALSE(engine.margins(own, x).ok());
  EXPECT_FALSE(engine.residuals(own, x).ok());
  EXPECT_FALSE(engine.loss_differences(own, x, x).ok());
  EXPECT_TRUE(engine.gradient_norms(own, x).ok());
  const std::vector<double> values = {1, 2}, labels = {1};
  const auto data = *engine.load(rows_of(values, 2), labels);
  const Samples samples(data, SquaredLoss{});
  for (const auto& wrong : {short_x, bad_x}) {
    EXPECT_FALSE(engine.margins(samples, wrong).ok());
    EXPECT_FALSE(engine.residuals(samples, wrong).ok());
    EXPECT_FALSE(engine.loss_differences(samples, wrong, x).ok());
    EXPECT_FALSE(engine.loss_differences(samples, x, wrong).ok());
  }
}

}  // namespace
}  // namespace tailcoat
