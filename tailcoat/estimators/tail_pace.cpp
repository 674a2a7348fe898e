#include "tailcoat/estimators/tail_pace.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tailcoat {
namespace {

constexpr double kClear = 3;    // deviations of noise, of a derivative that is believed
constexpr double kStays = 0.9;  // of what it was a step before
constexpr double kFaster = 2, kSlower = 0.4;

}  // namespace

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Several slopes move at once: a symmetric matrix is at most the diagonal one of its rows' sums of magnitudes.
TailPace::TailPace(std::vector<TailDirection> tails) {
  for (const TailDirection& tail : tails) {
    double sum = 0;
    for (const TailDirection& other : tails) sum += std::abs(product(tail.unit, other.unit));
    tails_.push_back({tail, sum});
  }
}

void TailPace::hurry(std::span<const double> gradient, double noise, double length, std::span<double> point) {
  for (auto& [direction, bound, before, pace, stays] : tails_) {
    const std::vector<double>& unit = direction.unit;
    const double step = product(unit, gradient) / bound, last = std::exchange(before, step);
    const bool clear = std::abs(step) * bound > kClear * noise * std::sqrt(product(unit, unit));
    stays = clear && step * last > 0 && std::abs(step) > kStays * std::abs(last);
    if (!clear) continue;
    if (step * last < 0) pace = std::max(kSlower * pace, 1.0);
    if (growing_ && stays) pace *= kFaster;
    if (pace == 1) continue;
    const double more = length * (pace * step - product(direction.reader, gradient));
    for (std::size_t j = 0; j < point.size(); ++j) point[j] -= more * unit[j];
  }
}

std::vector<std::size_t> TailPace::unfinished() const {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < tails_.size(); ++k)
    if (tails_[k].stays) places.push_back(k);
  return places;
}

}  // namespace tailcoat
