// Problems with a known optimum and heavy tails, for tests of the algorithms.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

// Linear losses <a, x> on the unit ball: a = shift e_1 + a Pareto length in a random direction. The excess risk of x is
// shift (x_1 + 1), its minimiser -e_1.
struct LinearSamples {
  std::size_t rows, columns;
  double shift, tail;  // P[length > t] = t^-tail for t >= 1
  std::vector<double> values, labels;

  LinearSamples(std::size_t n, std::size_t d, double mean, double exponent, std::uint64_t seed)
      : rows(n), columns(d), shift(mean), tail(exponent), labels(n, 1.0) {
    std::mt19937_64 random(seed);
    std::normal_distribution<> normal;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> a(d);
      double squares = 0;
      for (double& part : a) {
        part = normal(random);
        squares += part * part;
      }
      const double length = std::pow(std::uniform_real_distribution<>(0x1p-53, 1)(random), -1 / exponent);
      for (double& part : a) part *= length / std::sqrt(squares);
      a[0] += mean;
      values.insert(values.end(), a.begin(), a.end());
    }
  }

  // j-th root of the j-th moment of shift + length, for j < tail.
  [[nodiscard]] double moment(double j) const { return shift + std::pow(tail / (tail - j), 1 / j); }
  [[nodiscard]] Moments moments(double k) const { return {k, moment(2), moment(k)}; }
  [[nodiscard]] RowsOf<double> features() const { return {values.data(), rows, columns, columns}; }
  [[nodiscard]] double excess(std::span<const double> x) const { return shift * (x[0] + 1); }
};

inline Domain unit_ball(std::size_t dimension) { return *Domain::ball(std::vector<double>(dimension, 0.0), 1); }

inline double squared_distance(std::span<const double> x, std::span<const double> y) {
  double squares = 0;
  for (std::size_t j = 0; j < x.size(); ++j) squares += (x[j] - y[j]) * (x[j] - y[j]);
  return squares;
}

// An algorithm on linear samples in the unit ball, with mu = 1 and noise from a seed.
template <class Algorithm>
Result<Solution> run_on(const LinearSamples& samples, const Algorithm& algorithm, const Options& options,
                        std::uint64_t seed) {
  Engine engine(1);
  const auto data = *engine.load(samples.features(), samples.labels);
  const Problem problem{.samples = {data, LinearLoss{}}, .domain = unit_ball(samples.columns)};
  BitSource noise = BitSource::insecure_seeded(seed);
  return algorithm({engine, noise}, problem, samples.moments(3), Gdp{1}, options);
}

}  // namespace tailcoat
