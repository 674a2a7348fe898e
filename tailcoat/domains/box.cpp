#include "tailcoat/domains/box.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/domains/bounds.hpp"

namespace tailcoat {
namespace {

double length_up(std::span<const double> lower, std::span<const double> upper) {
  double widest = 0;
  for (std::size_t i = 0; i < lower.size(); ++i) widest = std::max(widest, sub_up(upper[i], lower[i]));
  if (widest == 0) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const double part = div_up(sub_up(upper[i], lower[i]), widest);
    sum = add_up(sum, mul_up(part, part));
  }
  return mul_up(widest, sqrt_up(sum));
}

}  // namespace

Result<Box> Box::create(std::vector<double> lower, std::vector<double> upper) {
  TAILCOAT_CHECK(check_coordinates("box", "lower", lower));
  TAILCOAT_CHECK(check_coordinates("box", "upper", upper));
  if (lower.size() != upper.size()) {
    return usage_error(
        fmt::format("box: lower has dimension {} and upper has {}; they must be the same", lower.size(), upper.size()));
  }
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if (lower[i] <= upper[i]) continue;
    return usage_error(
        fmt::format("box: lower[{0}] is {1} and upper[{0}] is {2}, so the box is empty; lower must not be "
                    "above upper",
                    i, lower[i], upper[i]));
  }
  return Box(std::move(lower), std::move(upper));
}

Box::Box(std::vector<double> lower, std::vector<double> upper)
    : lower_(std::move(lower)), upper_(std::move(upper)), centre_(lower_.size()), diameter_(length_up(lower_, upper_)) {
  for (std::size_t i = 0; i < lower_.size(); ++i) centre_[i] = std::midpoint(lower_[i], upper_[i]);
}

void Box::project(std::span<double> x) const {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::clamp(x[i], lower_[i], upper_[i]);
}

bool Box::contains(std::span<const double> x, double tolerance) const {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(x[i] >= lower_[i] - tolerance && x[i] <= upper_[i] + tolerance)) return false;
  }
  return true;
}

}  // namespace tailcoat
