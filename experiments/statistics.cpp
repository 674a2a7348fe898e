#include "experiments/statistics.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace tailcoat::experiments {
namespace {

constexpr double kFinest = 0.05;  // relative

}  // namespace

Estimate mean_of(std::span<const double> values) {
  Estimate estimate;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) estimate.value += value / count;
  if (values.size() < 2) return estimate;
  double squares = 0;
  for (const double value : values) squares += (value - estimate.value) * (value - estimate.value);
  estimate.standard_error = std::sqrt(squares / (count - 1) / count);
  return estimate;
}

Estimate log_log_slope(std::span<const LogLogPoint> points) {
  double weights = 0, mean_x = 0, mean_y = 0;
  const auto weight_of = [](const LogLogPoint& point) {
    const double error = std::max(point.y_error / point.y, kFinest);
    return point.y > 0 ? 1 / (error * error) : 0;
  };
  for (const LogLogPoint& point : points) {
    const double weight = weight_of(point);
    if (weight == 0) continue;
    weights += weight;
    mean_x += weight * std::log(point.x);
    mean_y += weight * std::log(point.y);
  }
  double xx = 0, xy = 0;
  for (const LogLogPoint& point : points) {
    const double weight = weight_of(point);
    if (weight == 0) continue;
    const double x = std::log(point.x) - mean_x / weights;
    xx += weight * x * x;
    xy += weight * x * (std::log(point.y) - mean_y / weights);
  }
  if (xx == 0) return {};
  return {.value = xy / xx, .standard_error = 1 / std::sqrt(xx)};
}

double probability_above(std::uint64_t hits, std::uint64_t runs, double confidence) {
  if (hits == 0) return 0;
  return boost::math::ibeta_inv(static_cast<double>(hits), static_cast<double>(runs - hits + 1), 1 - confidence);
}

double probability_below(std::uint64_t hits, std::uint64_t runs, double confidence) {
  if (hits == runs) return 1;
  return boost::math::ibeta_inv(static_cast<double>(hits + 1), static_cast<double>(runs - hits), confidence);
}

}  // namespace tailcoat::experiments
