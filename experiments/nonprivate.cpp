#include "experiments/nonprivate.hpp"

#include <cassert>
#include <cmath>
#include <span>

namespace tailcoat::experiments {
namespace {

std::vector<double> column_means(const Sample& sample, std::size_t features) {
  std::vector<double> means(features, 0);
  for (std::size_t i = 0; i < sample.rows.size(); ++i) means[i % features] += sample.rows[i];
  for (double& mean : means) mean /= static_cast<double>(sample.labels.size());
  return means;
}

// Solves A x = b for a positive definite A (row by row, lower triangle), by Cholesky's method. A ridge of 1e-12 of the
// trace keeps it definite where rows are too few.
std::vector<double> solve(std::vector<double> a, std::vector<double> b) {
  const std::size_t d = b.size();
  double trace = 0;
  for (std::size_t j = 0; j < d; ++j) trace += a[j * d + j];
  for (std::size_t j = 0; j < d; ++j) {
    a[j * d + j] += 1e-12 * trace + 1e-300;
    for (std::size_t i = j; i < d; ++i) {
      double sum = a[i * d + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * d + k] * a[j * d + k];
      a[i * d + j] = i == j ? std::sqrt(std::max(sum, 1e-12 * trace + 1e-300)) : sum / a[j * d + j];
    }
  }
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * d + k] * b[k];
    b[i] /= a[i * d + i];
  }
  for (std::size_t i = d; i-- > 0;) {
    for (std::size_t k = i + 1; k < d; ++k) b[i] -= a[k * d + i] * b[k];
    b[i] /= a[i * d + i];
  }
  return b;
}

bool has_squared_loss(Kind kind) { return kind == Kind::linear || kind == Kind::smooth; }

// The quadratic (weight/2) (t - target)^2 that touches the loss at margin t and is nowhere below it.
struct Touching {
  double weight;
  double target;
};

Touching touching(Kind kind, double t, double y, double smoothing) {
  if (has_squared_loss(kind)) return {1, y};
  if (kind == Kind::absolute) return {1 / std::sqrt((t - y) * (t - y) + smoothing * smoothing), y};
  const double weight = std::abs(t) < 1e-6 ? 0.25 : std::tanh(t / 2) / (2 * t);
  return {weight, y / (2 * weight)};
}

// One minimisation of the touching quadratics: never makes the empirical risk larger.
std::vector<double> majorised_step(Kind kind, const Sample& sample, std::span<const double> x, double smoothing) {
  const std::size_t d = x.size();
  std::vector<double> a(d * d, 0), b(d, 0);
  for (std::size_t i = 0; i < sample.labels.size(); ++i) {
    const double* row = &sample.rows[i * d];
    double margin = 0;
    for (std::size_t j = 0; j < d; ++j) margin += row[j] * x[j];
    const auto [weight, target] = touching(kind, margin, sample.labels[i], smoothing);
    for (std::size_t j = 0; j < d; ++j) {
      const double scaled = weight * row[j];
      b[j] += scaled * target;
      for (std::size_t k = 0; k <= j; ++k) a[j * d + k] += scaled * row[k];
    }
  }
  return solve(std::move(a), std::move(b));
}

std::vector<double> fit_glm(const Simulation& simulation, const Sample& sample) {
  const Kind kind = simulation.spec().kind;
  const std::size_t d = simulation.spec().features;
  std::vector<double> x(d, 0);
  const int steps = has_squared_loss(kind) ? 1 : 20;
  for (int step = 0; step < steps; ++step) {
    const double smoothing = std::max(1e-3, std::exp2(-step));
    std::vector<double> next = majorised_step(kind, sample, x, smoothing);
    double moved = 0;
    for (std::size_t j = 0; j < d; ++j) moved += std::abs(next[j] - x[j]);
    x = std::move(next);
    if (moved < 1e-5 && smoothing == 1e-3) break;
  }
  return x;
}

}  // namespace

std::vector<double> nonprivate_fit(const Simulation& simulation, const Sample& sample) {
  const Kind kind = simulation.spec().kind;
  const std::size_t d = simulation.spec().features;
  std::vector<double> x;
  if (kind == Kind::mean) {
    x = column_means(sample, d);
  } else if (kind == Kind::hard) {
    x = column_means(sample, d);
    for (double& coordinate : x) coordinate *= -1e9;  // far out in the direction of descent; projection does the rest
  } else {
    x = fit_glm(simulation, sample);
  }
  const bool projected = simulation.domain().project(x).ok();
  assert(projected);
  static_cast<void>(projected);
  return x;
}

}  // namespace tailcoat::experiments
