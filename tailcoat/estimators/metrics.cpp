#include "tailcoat/estimators/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tailcoat {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile_of(std::vector<double> values, double level) {
  const double place = level * static_cast<double>(values.size()) - 0.5;
  const double last = static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(std::clamp(std::floor(place), 0.0, last));
  const auto high = static_cast<std::size_t>(std::clamp(std::ceil(place), 0.0, last));
  const auto at = [&](std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(values.begin(), at(high), values.end());
  const double above = values[high];
  if (low == high) return above;
  const double below = *std::max_element(values.begin(), at(high));
  return below + (above - below) / 2;
}

double pinball(double actual, double predicted, double level) {
  const double error = actual - predicted;
  return error > 0 ? level * error : (level - 1) * error;
}

double poisson_deviance(double actual, double mean) {
  const double likelihood = actual > 0 ? actual * std::log(actual / mean) : 0;
  return 2 * std::max(likelihood - actual + mean, 0.0);
}

double log_loss_of(double probability) { return -std::log(std::max(probability, 1e-15)); }

double area_under_curve(std::span<const double> scores, const std::vector<bool>& in_class) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  double others = 0, members = 0, pairs = 0;  // `pairs` counts (other, member) with the other below, ties half
  for (std::size_t i = 0; i < order.size();) {
    double tied_members = 0, tied_others = 0;
    const double score = scores[order[i]];
    for (; i < order.size() && scores[order[i]] == score; ++i) ++(in_class[order[i]] ? tied_members : tied_others);
    pairs += tied_members * (others + tied_others / 2);
    members += tied_members;
    others += tied_others;
  }
  return members > 0 && others > 0 ? pairs / (members * others) : 0.5;
}

}  // namespace tailcoat
