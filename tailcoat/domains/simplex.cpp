#include "tailcoat/domains/simplex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/domains/bounds.hpp"

namespace tailcoat {
namespace {

// Neumaier's compensated sum: the error does not grow with the number of terms.
class Sum {
 public:
  void add(double term) {
    const double next = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  [[nodiscard]] double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0, lost_ = 0;
};

double sum_of(std::span<const double> x) {
  Sum sum;
  for (const double part : x) sum.add(part);
  return sum.value();
}

// The threshold with sum_i (x_i - threshold)_+ = scale, for x <= 0 with maximum 0: it lies in [-scale, 0].
double find_threshold(std::span<const double> x, double scale) {
  std::vector<double> candidates;
  std::copy_if(x.begin(), x.end(), std::back_inserter(candidates), [&](double part) { return part >= -scale; });
  std::sort(candidates.begin(), candidates.end(), std::greater<>());
  double threshold = -scale;
  Sum sum;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    sum.add(candidates[k]);
    const double next = (sum.value() - scale) / static_cast<double>(k + 1);
    if (!(candidates[k] > next)) break;
    threshold = next;
  }
  return threshold;
}

// The threshold is rounded, which counts once per positive coordinate: hand them what the sum lacks.
void restore_sum(std::span<double> x, double scale) {
  const auto positive = std::count_if(x.begin(), x.end(), [](double part) { return part > 0; });
  if (positive == 0) return;
  const double share = (scale - sum_of(x)) / static_cast<double>(positive);
  for (double& part : x) {
    if (part > 0) part = std::max(part + share, 0.0);
  }
}

}  // namespace

Result<Simplex> Simplex::create(std::size_t dimension, double scale) {
  if (dimension == 0) return usage_error("simplex: dimension is 0; a domain needs at least one coordinate");
  TAILCOAT_CHECK(check_extent("simplex", "scale", scale));
  try {
    return Simplex(dimension, scale);
  } catch (const std::exception&) {
    return system_error(fmt::format("simplex: no memory for dimension {}; choose a smaller one", dimension));
  }
}

Simplex::Simplex(std::size_t dimension, double scale)
    : scale_(scale), centre_(dimension, scale / static_cast<double>(dimension)) {}

void Simplex::project(std::span<double> x) const {
  // Adding a constant to all coordinates does not move the projection. With maximum 0, huge x lose nothing.
  const double largest = *std::max_element(x.begin(), x.end());
  for (double& part : x) part -= largest;
  const double threshold = find_threshold(x, scale_);
  for (double& part : x) part = std::max(part - threshold, 0.0);
  restore_sum(x, scale_);
}

bool Simplex::contains(std::span<const double> x, double tolerance) const {
  if (!std::all_of(x.begin(), x.end(), [&](double part) { return part >= -tolerance; })) return false;
  return std::abs(sum_of(x) - scale_) <= tolerance + 1e-15 * scale_;
}

double Simplex::diameter() const { return dimension() == 1 ? 0 : mul_up(sqrt_up(2), scale_); }

}  // namespace tailcoat
