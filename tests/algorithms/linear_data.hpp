// Linear losses with a known optimum for the tests of known-lipschitz and its base solvers.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

inline Setting example(std::size_t rows, double k = 3) {
  return {.rows = rows, .dimension = 20, .diameter = 2, .start_distance = 1, .moments = {k, 1.6, 2.5}, .smoothness = 1};
}

inline Gdp budget_of(double rho) { return {std::sqrt(2 * rho)}; }

// Rows with independent t-distributed entries around (0.3, ..., 0.3) / sqrt(d): a linear loss has its population risk.
struct LinearData {
  std::size_t d;
  std::vector<double> rows, labels;
  Domain domain;

  LinearData(std::size_t n, std::size_t dimension, std::uint64_t seed)
      : d(dimension), rows(n * d), labels(n), domain(*Domain::ball(std::vector<double>(d), 1)) {
    std::mt19937_64 random(seed);
    std::student_t_distribution<> noise(4);
    for (double& value : rows) value = mean() + noise(random) / std::sqrt(2 * static_cast<double>(d));
  }
  double mean() const { return 0.3 / std::sqrt(static_cast<double>(d)); }
  Result<LabelledData> load(Engine& engine) const {
    return engine.load(RowsOf<double>{rows.data(), labels.size(), d, d}, labels);
  }
  double excess(std::span<const double> x) const {
    double risk = 0.3;
    for (const double part : x) risk += mean() * part;
    return risk;
  }
};

// E |a|^2 = 0.09 + 1; E |a|^3 is at most that of d independent entries, below 2^3.
inline constexpr Moments kLinearMoments{.k = 3, .g2 = 1.05, .gk = 2};

}  // namespace tailcoat
