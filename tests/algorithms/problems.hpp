// Problems for the tests of the algorithms: heavy-tailed rows with a known optimum, and neighbours of them.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

// Rows of independent signs times |a| with k moments, labels of a linear model with symmetric noise.
struct TestData {
  std::vector<double> rows, labels;
  std::size_t dimension;

  [[nodiscard]] std::size_t size() const { return labels.size(); }
  [[nodiscard]] LabelledData load(Engine& engine) const {
    return *engine.load(RowsOf<double>{rows.data(), size(), dimension, dimension}, labels);
  }
};

inline TestData heavy_tailed_data(std::size_t n, std::size_t d, std::uint64_t seed, double degrees = 4) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  std::chi_squared_distribution<> chi(degrees);
  TestData data{std::vector<double>(n * d), std::vector<double>(n), d};
  for (std::size_t i = 0; i < n; ++i) {
    const double stretch = std::sqrt(degrees / chi(random) / static_cast<double>(d));
    double margin = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double value = stretch * normal(random);
      data.rows[i * d + j] = value;
      margin += (j % 2 == 0 ? 0.5 : -0.5) / std::sqrt(static_cast<double>(d)) * value;
    }
    data.labels[i] = margin + 0.5 * normal(random);
  }
  return data;
}

// The same with record `row` replaced by one that pulls as hard as it can, or that no loss can serve.
inline TestData neighbour_of(TestData data, std::size_t row, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const double sizes[] = {
      1e-3, 1, 1e3, 1e100, 1e200, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
  const double size = sizes[random() % std::size(sizes)];
  for (std::size_t j = 0; j < data.dimension; ++j)
    data.rows[row * data.dimension + j] = random() % 2 == 0 ? size : -size;
  data.labels[row] = random() % 2 == 0 ? 1e6 : -1e6;
  return data;
}

inline double distance(std::span<const double> x, std::span<const double> y) {
  double squares = 0;
  for (std::size_t j = 0; j < x.size(); ++j) squares += (x[j] - y[j]) * (x[j] - y[j]);
  return std::sqrt(squares);
}

inline Domain ball(std::size_t dimension, double radius) {
  return *Domain::ball(std::vector<double>(dimension), radius);
}

// What the last release of a receipt says its sensitivity was, in the unit of the numbers released.
inline double last_sensitivity(const Receipt& receipt) { return receipt.lines.back().release.sensitivity; }

// The releases of each line have the noise that their price says, and the receipt spends what it may.
inline bool adds_up(const Receipt& receipt, double mu) {
  for (const ReceiptLine& line : receipt.lines) {
    if (line.release.mechanism != "gaussian") continue;
    const double price = line.release.sensitivity / line.release.noise_scale;
    if (std::abs(price / line.price.mu - 1) > 1e-12) return false;
  }
  return receipt.gaussian_spent.mu <= mu && receipt.gaussian_spent.mu >= mu * (1 - 1e-9);
}

}  // namespace tailcoat
