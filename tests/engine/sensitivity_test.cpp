// Neighbouring data sets, one row replaced by another, move each sum by no more than its sensitivity: in exact
// integers, for rows as hostile as they come, and nearly that much in the worst case, so that no factor can be missing.
#include <gtest/gtest.h>

#include "helpers.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {
namespace {

constexpr int kPairs = 3000;

std::vector<double> flattened(const std::vector<std::vector<double>>& rows) {
  std::vector<double> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return values;
}

// |sum(D) - sum(D')|^2 / sensitivity^2.
double squared_share(const SensitiveSum& one, const SensitiveSum& other) {
  EXPECT_EQ(one.sensitivity, other.sensitivity);
  EXPECT_EQ(one.unit, other.unit);
  const Rational share = squared_distance(opened(one), opened(other)) / squared(exact(one.sensitivity));
  EXPECT_LE(share, 1);
  return static_cast<double>(share);
}

Gdp random_cost(std::mt19937_64& random, std::size_t size) {
  const double least = (2 * std::sqrt(static_cast<double>(size)) + 2) / kGaussianScale;
  return Gdp{least * std::exp2(std::uniform_real_distribution<>(0, 24)(random))};
}

Loss random_loss(std::mt19937_64& random) {
  const std::vector<Loss> losses = {SquaredLoss{},      LogisticLoss{}, PoissonLoss{}, HuberLoss{},
                                    AbsoluteLoss{},     QuantileLoss{}, HingeLoss{},   SmoothedHingeLoss{},
                                    SquaredHingeLoss{}, LinearLoss{}};
  return losses[random() % losses.size()];
}

struct Pair {
  std::size_t columns;
  std::vector<double> values, labels, other_values, other_labels, x;
};

Pair random_pair(std::mt19937_64& random) {
  const std::size_t d = std::array<std::size_t, 7>{1, 2, 3, 5, 8, 17, 64}[random() % 7];
  std::vector<std::vector<double>> rows;
  Pair pair;
  pair.columns = d;
  for (int i = 0; i < 3; ++i) {
    rows.push_back(hostile_row(d, random));
    pair.labels.push_back(hostile_number(random));
  }
  const std::size_t replaced = random() % 3;
  pair.values = flattened(rows);
  pair.other_labels = pair.labels;
  if (random() % 2 == 0) {
    for (double& x : rows[replaced]) x = -x;  // opposite, and with it the gradient for many losses
  } else {
    rows[replaced] = hostile_row(d, random);
  }
  pair.other_labels[replaced] = random() % 2 == 0 ? pair.labels[replaced] : hostile_number(random);
  pair.other_values = flattened(rows);
  for (std::size_t j = 0; j < d; ++j)
    pair.x.push_back(random() % 4 == 0 ? 1e200 : std::normal_distribution<>()(random));
  return pair;
}

TEST(Sensitivity, OfGradientSumsHoldsForHostileNeighbours) {
  Engine engine(1);
  std::mt19937_64 random(10);
  double most = 0;
  for (int trial = 0; trial < kPairs; ++trial) {
    const Pair pair = random_pair(random);
    const Loss loss = random_loss(random);
    const auto lattice = *clip_lattice(std::exp2(std::uniform_int_distribution<>(-30, 30)(random)), pair.columns,
                                       random_cost(random, pair.columns));
    const auto sum = [&](const std::vector<double>& values, const std::vector<double>& labels) {
      return *engine.clipped_gradient_sum({*engine.load(rows_of(values, pair.columns), labels), loss}, pair.x, lattice);
    };
    most = std::max(most, squared_share(sum(pair.values, pair.labels), sum(pair.other_values, pair.other_labels)));
  }
  EXPECT_GT(most, 0.99);
}

TEST(Sensitivity, OfFloatRowsHoldsForHostileNeighbours) {
  Engine engine(1);
  std::mt19937_64 random(11);
  double most = 0;
  for (int trial = 0; trial < kPairs; ++trial) {
    const Pair pair = random_pair(random);
    const auto lattice = *clip_lattice(1, pair.columns, random_cost(random, pair.columns));
    const auto sum = [&](const std::vector<double>& values) {
      const std::vector<float> floats(values.begin(), values.end());
      return *engine.clipped_row_sum(*engine.load(rows_of(floats, pair.columns)), lattice);
    };
    most = std::max(most, squared_share(sum(pair.values), sum(pair.other_values)));
  }
  EXPECT_GT(most, 0.99);
}

TEST(Sensitivity, OfRowSumsHoldsForHostileNeighbours) {
  Engine engine(1);
  std::mt19937_64 random(12);
  double most = 0;
  for (int trial = 0; trial < kPairs; ++trial) {
    const Pair pair = random_pair(random);
    const auto lattice = *clip_lattice(1, pair.columns, random_cost(random, pair.columns));
    const auto sum = [&](const std::vector<double>& values) {
      return *engine.clipped_row_sum(*engine.load(rows_of(values, pair.columns)), lattice);
    };
    most = std::max(most, squared_share(sum(pair.values), sum(pair.other_values)));
  }
  EXPECT_GT(most, 0.99);
}

TEST(Sensitivity, OfSampleGradientsHoldsForHostileNeighbours) {
  Engine engine(1);
  std::mt19937_64 random(13);
  double most = 0;
  for (int trial = 0; trial < kPairs; ++trial) {
    const Pair pair = random_pair(random);
    const auto lattice = *clip_lattice(1, pair.columns, random_cost(random, pair.columns));
    const std::vector<double> x(pair.columns);
    const auto sum = [&](const std::vector<double>& values) {
      const SampleGradient gradient = [&](std::size_t row, std::span<const double>, std::span<double> result) {
        for (std::size_t j = 0; j < result.size(); ++j) result[j] = values[row * pair.columns + j];
      };
      return *engine.clipped_gradient_sum({3, x.size(), {gradient}}, x, lattice);
    };
    most = std::max(most, squared_share(sum(pair.values), sum(pair.other_values)));
  }
  EXPECT_GT(most, 0.99);
}

TEST(Sensitivity, OfCountsHoldsForHostileNeighbours) {
  Engine engine(1);
  std::mt19937_64 random(14);
  double most = 0;
  for (int trial = 0; trial < kPairs; ++trial) {
    const Pair pair = random_pair(random);
    const Gdp cost = random_cost(random, pair.columns);
    std::vector<double> lower(pair.columns, -kInf), upper(pair.columns);
    for (std::size_t j = 0; j < pair.columns; ++j) upper[j] = random() % 4 == 0 ? 1e300 : 0;
    if (random() % 3 == 0) lower = upper;  // all but one value is outside
    const auto sum = [&](const std::vector<double>& values) {
      return *engine.counts_outside(*engine.load(rows_of(values, pair.columns)), lower, upper, cost);
    };
    const SensitiveSum one = sum(pair.values);
    EXPECT_LE(exact(one.sensitivity), exact(kGaussianScale) * exact(cost.mu));
    most = std::max(most, squared_share(one, sum(pair.other_values)));
  }
  EXPECT_GT(most, 0.99);
}

TEST(Sensitivity, OfSecondMomentsHoldsForHostileNeighbours) {
  Engine engine(1);
  std::mt19937_64 random(15);
  double most = 0;
  for (int trial = 0; trial < kPairs; ++trial) {
    Pair pair = random_pair(random);
    if (pair.columns > 17) continue;
    const Gdp cost = random_cost(random, pair.columns * (pair.columns + 1) / 2);
    const auto sum = [&](const std::vector<double>& values) {
      return *engine.second_moment_sum(*engine.load(rows_of(values, pair.columns)), 1, cost);
    };
    const SensitiveSum one = sum(pair.values);
    EXPECT_LE(exact(one.sensitivity), exact(kGaussianScale) * exact(cost.mu));
    most = std::max(most, squared_share(one, sum(pair.other_values)));
  }
  EXPECT_GT(most, 0.99);  // rows on two different axes
}

// Where there are few units, rounding moves the sum by up to sqrt(d) more: all coordinates of a row of 64 equal numbers
// go from 0.5625 up to 1, those of the opposite row down to -1.
TEST(Sensitivity, NeedsTheRoomForRounding) {
  Engine engine(1);
  const auto lattice = *clip_lattice(1, 64, Gdp{17 / kGaussianScale});
  EXPECT_EQ(lattice.clip_units, 4.5);
  const std::vector<double> up(64, 1), down(64, -1);
  const auto sum = [&](const std::vector<double>& values) {
    return *engine.clipped_row_sum(*engine.load(rows_of(values, 64)), lattice);
  };
  EXPECT_EQ(squared_distance(opened(sum(up)), opened(sum(down))), 16 * 16);
  EXPECT_EQ(sum(up).sensitivity, 17);
  EXPECT_GT(16, 2 * lattice.clip_units);
}

}  // namespace
}  // namespace tailcoat
