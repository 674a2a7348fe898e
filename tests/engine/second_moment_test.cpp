// Second moments of gradients: those of the gradients, clipped, however they are given.
#include <gtest/gtest.h>

#include "helpers.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {
namespace {

// The gradients as rows, as a GLM with weights, and as a loss of the user's own: the same sum up to rounding.
TEST(GradientSecondMoment, IsThatOfTheClippedGradients) {
  std::mt19937_64 random(1);
  for (const std::size_t threads : {1, 3}) {
    Engine engine(threads);
    const std::size_t n = 500, d = 5, first = 3, count = 450;
    const auto values = random_numbers(n * d, random), labels = random_numbers(n, random);
    const auto x = random_numbers(d, random);
    std::vector<double> weights(n), gradients(n * d);
    for (double& w : weights) w = std::exp(std::normal_distribution<>()(random));
    weights[7] = kNaN;
    for (std::size_t i = 0; i < n; ++i) {
      double margin = 0;
      for (std::size_t j = 0; j < d; ++j) margin += values[i * d + j] * x[j];
      const double slope = usable_weight(weights[i]) * HuberLoss{}.derivative(margin, labels[i]);
      for (std::size_t j = 0; j < d; ++j) gradients[i * d + j] = slope * values[i * d + j];
    }
    const SampleGradient gradient = [&](std::size_t i, std::span<const double>, std::span<double> result) {
      for (std::size_t j = 0; j < d; ++j) result[j] = gradients[i * d + j];
    };
    const RowsOf<double> part{gradients.data() + first * d, count, d, d};
    const auto data = *engine.load(rows_of(values, d), labels, weights);
    const auto rows = *engine.second_moment_sum(*engine.load(part), 1.5, Gdp{1});
    const auto glm = *engine.gradient_second_moment_sum(Samples(data, HuberLoss{}).block(first, count), x, 1.5, Gdp{1});
    const auto own = *engine.gradient_second_moment_sum(Samples(n, d, {gradient}).block(first, count), x, 1.5, Gdp{1});
    EXPECT_EQ(rows.unit, glm.unit);
    EXPECT_EQ(rows.sensitivity, glm.sensitivity);
    EXPECT_EQ(rows.sensitivity, own.sensitivity);
    for (std::size_t k = 0; k < rows.size; ++k) {
      EXPECT_NEAR(static_cast<double>(opened(glm)[k]), static_cast<double>(opened(rows)[k]), 2 * count);
      EXPECT_NEAR(static_cast<double>(opened(own)[k]), static_cast<double>(opened(rows)[k]), 2 * count);
    }
  }
}

TEST(GradientSecondMoment, SensitivityHoldsForHostileNeighbours) {
  Engine engine(1);
  std::mt19937_64 random(2);
  double most = 0;
  const std::vector<Loss> losses = {SquaredLoss{}, LogisticLoss{}, PoissonLoss{}, AbsoluteLoss{}, LinearLoss{}};
  for (int trial = 0; trial < 3000; ++trial) {
    const std::size_t d = std::array<std::size_t, 4>{1, 2, 5, 9}[random() % 4], n = 3, replaced = random() % n;
    const std::vector<double> values = hostile_rows(n, d, random), weights(n, 1);
    std::vector<double> labels(n);
    for (double& label : labels) label = hostile_number(random);
    std::vector<double> other = values, other_labels = labels, other_weights = weights;
    const auto row = hostile_row(d, random);
    std::ranges::copy(row, other.begin() + static_cast<std::ptrdiff_t>(replaced * d));
    other_labels[replaced] = hostile_number(random);
    other_weights[replaced] = std::abs(hostile_number(random));
    const auto x = random_numbers(d, random);
    const Loss loss = losses[random() % losses.size()];
    const double least = (2 * static_cast<double>(d) + 2) / kGaussianScale;
    const Gdp cost{least * std::exp2(std::uniform_real_distribution<>(1, 24)(random))};
    const bool own = trial % 3 == 0;
    const auto sum = [&](const std::vector<double>& a, const std::vector<double>& y, const std::vector<double>& w) {
      const SampleGradient gradient = [&](std::size_t i, std::span<const double>, std::span<double> result) {
        for (std::size_t j = 0; j < d; ++j) result[j] = a[i * d + j];
      };
      if (own) return *engine.gradient_second_moment_sum({n, d, {gradient}}, x, 1, cost);
      return *engine.gradient_second_moment_sum({*engine.load(rows_of(a, d), y, w), loss}, x, 1, cost);
    };
    const SensitiveSum one = sum(values, labels, weights), two = sum(other, other_labels, other_weights);
    EXPECT_LE(exact(one.sensitivity), exact(kGaussianScale) * exact(cost.mu));
    const Rational share = moved_share(one, two);
    ASSERT_LE(share, 1);
    most = std::max(most, static_cast<double>(share));
  }
  EXPECT_GT(most, 0.99);
}

TEST(GradientSecondMoment, RefusesWhatMakesNoSense) {
  Engine engine(1);
  const std::vector<double> values = {1, 2}, labels = {1}, x = {0, 0}, short_x = {0};
  const auto data = *engine.load(rows_of(values, 2), labels);
  const Samples samples(data, SquaredLoss{});
  EXPECT_TRUE(engine.gradient_second_moment_sum(samples, x, 1, Gdp{1}).ok());
  EXPECT_FALSE(engine.gradient_second_moment_sum(samples, short_x, 1, Gdp{1}).ok());
  for (const double bad : {0.0, -1.0, kNaN, kInf}) {
    EXPECT_FALSE(engine.gradient_second_moment_sum(samples, x, bad, Gdp{1}).ok());
    EXPECT_FALSE(engine.gradient_second_moment_sum(samples, x, 1, Gdp{bad}).ok());
  }
}

}  // namespace
}  // namespace tailcoat
