#include "tailcoat/algorithms/aggregate.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "tailcoat/algorithms/binomial.hpp"

namespace tailcoat {
namespace {

double distance(std::span<const double> x, std::span<const double> y) {
  double squares = 0;
  for (std::size_t j = 0; j < x.size(); ++j) squares += (x[j] - y[j]) * (x[j] - y[j]);
  return std::sqrt(squares);
}

std::vector<double> distances_from(std::span<const std::vector<double>> points, std::size_t i) {
  std::vector<double> distances;
  for (const std::vector<double>& point : points) distances.push_back(distance(points[i], point));
  return distances;
}

}  // namespace

std::size_t aggregate(std::span<const std::vector<double>> points) {
  assert(!points.empty());
  const std::size_t majority = points.size() / 2 + 1;
  std::size_t best = 0;
  double least = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<double> distances = distances_from(points, i);
    const auto median = distances.begin() + static_cast<std::ptrdiff_t>(majority - 1);
    std::nth_element(distances.begin(), median, distances.end());
    if (i == 0 || *median < least) {
      best = i;
      least = *median;
    }
  }
  return best;
}

std::optional<std::size_t> aggregate_within(std::span<const std::vector<double>> points, double radius) {
  const auto needed = static_cast<std::ptrdiff_t>(std::ceil(0.51 * static_cast<double>(points.size())));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::vector<double> distances = distances_from(points, i);
    if (std::ranges::count_if(distances, [&](double away) { return away <= 2 * radius / 3; }) >= needed) return i;
  }
  return std::nullopt;
}

double far_probability(std::size_t copies, double failure) {
  if (copies == 1) return failure;
  const std::size_t too_many = copies - copies / 2;  // so many far ones, and no majority is near
  double low = 0, high = 0.5;
  while (high - low > 1e-10 * high) {
    const double q = (low + high) / 2;
    (binomial_tail(copies, too_many, q) <= failure * (1 - 1e-9) ? low : high) = q;
  }
  return low;
}

}  // namespace tailcoat
