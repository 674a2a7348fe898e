// Weighted rows: a weight multiplies the gradient before it is clipped, and whatever cannot use weights refuses them.
#include <gtest/gtest.h>

#include "tailcoat/noise/gaussian.hpp"
#include "weighted_rows.hpp"

namespace tailcoat {
namespace {

const std::vector<Loss> kLosses = {SquaredLoss{},      LogisticLoss{}, PoissonLoss{}, HuberLoss{},
                                   AbsoluteLoss{},     QuantileLoss{}, HingeLoss{},   SmoothedHingeLoss{},
                                   SquaredHingeLoss{}, LinearLoss{}};

// The gradient, weighted by hand, through the path for losses of the user's own. Both clip alike up to float errors.
TEST(Weights, MultiplyTheGradientBeforeTheClip) {
  std::mt19937_64 random(1);
  Engine engine(2);
  const std::size_t n = 300, d = 5;
  const auto values = random_numbers(n * d, random), x = random_numbers(d, random);
  std::vector<double> labels(n), weights(n);
  for (double& y : labels) y = random() % 2 == 0 ? 1 : -1;
  for (double& w : weights) w = std::exp(2 * std::normal_distribution<>()(random));
  const auto data = *engine.load(rows_of(values, d), labels, weights);
  const auto lattice = *clip_lattice(1, d, Gdp{1});
  for (const Loss& loss : kLosses) {
    const SampleGradient gradient = [&](std::size_t i, std::span<const double> at, std::span<double> result) {
      double margin = 0;
      for (std::size_t j = 0; j < d; ++j) margin += values[i * d + j] * at[j];
      const double slope = std::visit([&](const auto& l) { return l.derivative(margin, labels[i]); }, loss);
      for (std::size_t j = 0; j < d; ++j) result[j] = weights[i] * slope * values[i * d + j];
    };
    for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, n}, {37, 101}}) {
      const auto sum = *engine.clipped_gradient_sum(Samples(data, loss).block(first, count), x, lattice);
      const auto by_hand = *engine.clipped_gradient_sum(Samples(n, d, {gradient}).block(first, count), x, lattice);
      for (std::size_t j = 0; j < d; ++j)
        EXPECT_NEAR(static_cast<double>(opened(sum)[j]), static_cast<double>(opened(by_hand)[j]),
                    2 * static_cast<double>(n) + 1e-7 * lattice.clip_units)
            << loss_name(loss);
      EXPECT_EQ(sum.sensitivity, by_hand.sensitivity);
    }
  }
}

TEST(Weights, OfOneChangeNothing) {
  std::mt19937_64 random(2);
  Engine engine(2);
  const std::size_t n = 3000, d = 9;
  const auto values = random_numbers(n * d, random), labels = random_numbers(n, random), x = random_numbers(d, random);
  const std::vector<double> ones(n, 1);
  const auto plain = *engine.load(rows_of(values, d), labels),
             weighted = *engine.load(rows_of(values, d), labels, ones);
  const auto lattice = *clip_lattice(0.7, d, Gdp{1});
  for (const Loss& loss : kLosses)
    EXPECT_EQ(opened(*engine.clipped_gradient_sum({plain, loss}, x, lattice)),
              opened(*engine.clipped_gradient_sum({weighted, loss}, x, lattice)));
}

TEST(Weights, ThatAreNoWeightsLeaveTheRowOut) {
  Engine engine(1);
  const std::vector<double> values = {1, 2}, labels = {1}, x = {0, 0};
  const auto lattice = *clip_lattice(1, 2, Gdp{1});
  for (const double weight : {kNaN, kInf, -kInf, -1.0, -kSubnormal, 0.0}) {
    const std::vector<double> weights = {weight};
    const auto data = *engine.load(rows_of(values, 2), labels, weights);
    for_each_target([&](const char*) {
      const auto sum = *engine.clipped_gradient_sum({data, SquaredLoss{}}, x, lattice);
      EXPECT_EQ(opened(sum), std::vector<std::int64_t>(2)) << weight;
    });
  }
  const std::vector<double> heavy = {kHuge};
  const auto sum =
      *engine.clipped_gradient_sum({*engine.load(rows_of(values, 2), labels, heavy), SquaredLoss{}}, x, lattice);
  EXPECT_NEAR(static_cast<double>(opened(sum)[1]), -lattice.clip_units * 2 / std::sqrt(5), 1);
}

TEST(Weights, SensitivityHoldsForHostileNeighbours) {
  Engine engine(1);
  for (const Loss& loss : kLosses) {
    const auto gradients = [&](const WeightedRows<double>& rows, const auto& x, const ClipLattice& lattice) {
      return *engine.clipped_gradient_sum({rows.loaded(engine), loss}, x, lattice);
    };
    const Rational most = largest_moved_share<double>(3, 1000, gradients);
    EXPECT_LE(most, 1) << loss_name(loss);
    EXPECT_GT(static_cast<double>(most), 0.99) << loss_name(loss);
  }
}

TEST(Weights, GiveTheSameBitsOnAnyNumberOfThreads) {
  std::mt19937_64 random(4);
  const std::size_t n = 100'000, d = 5;
  const auto values = random_numbers(n * d, random), labels = random_numbers(n, random), x = random_numbers(d, random);
  std::vector<double> weights(n);
  for (double& w : weights) w = hostile_weight(random);
  const auto lattice = *clip_lattice(1, d, Gdp{1});
  std::vector<std::int64_t> expected;
  for (const std::size_t threads : {1, 2, 3, 7}) {
    Engine engine(threads);
    const auto sum = opened(
        *engine.clipped_gradient_sum({*engine.load(rows_of(values, d), labels, weights), LogisticLoss{}}, x, lattice));
    if (expected.empty()) expected = sum;
    EXPECT_EQ(sum, expected);
  }
}

TEST(Weights, AreRefusedWhereTheyWouldBeIgnored) {
  Engine engine(1);
  const std::vector<double> values = {1, 2, 3, 4}, labels = {1, 1, -1, 1}, weights = {1, 2, 3, 4};
  const auto data = *engine.load(rows_of(values, 1), labels, weights);
  expect_refused_row_by_row(engine, {data, LogisticLoss{}}, "weights");
  const std::vector<double> too_few = {1};
  EXPECT_FALSE(engine.load(rows_of(values, 1), labels, too_few).ok());
}

}  // namespace
}  // namespace tailcoat
