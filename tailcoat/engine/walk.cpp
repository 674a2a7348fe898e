#include "tailcoat/engine/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/base/rounding.hpp"

namespace tailcoat {
namespace {

double norm(std::span<const double> x) {
  double sum = 0;
  for (const double part : x) sum = add_up(sum, mul_up(part, part));
  return sqrt_up(sum);
}

}  // namespace

Geometry::Geometry(const Domain& domain, double longest_move)
    : move(longest_move),
      radius(domain.radius()),
      size(add_up(norm(domain.centre()), radius)),
      projection_error(domain.projection_error(longest_move)) {}

double Geometry::step_error(std::size_t dimension, double slope_error) const {
  return 8 * (static_cast<double>(dimension) + 16) * kRoundoff * (size + move) + 2 * slope_error * move +
         projection_error;
}

Result<void> check_walk(const Samples& samples, const Domain& domain, std::span<const double> start) {
  if (samples.size() < 2)
    return usage_error(
        fmt::format("a pass over {} samples has no average to release; give at least 2", samples.size()));
  if (domain.dimension() != samples.dimension() || start.size() != samples.dimension())
    return usage_error(fmt::format("samples of dimension {}, a domain of {} and a start of {}; they must be the same",
                                   samples.dimension(), domain.dimension(), start.size()));
  if (!domain.contains(start, 1e-9 * domain.diameter()))
    return usage_error("the start of a pass is not in the domain; project it first");
  if (!std::isfinite(domain.projection_error(0)))
    return refusal("one-pass algorithms need a domain whose projection is exact: a ball, a box or a simplex");
  return {};
}

void Walk::move_to(std::span<const double> y) {
  stay();
  std::ranges::copy(y, x_.begin());
}

std::vector<double> Walk::average(std::size_t count) const {
  std::vector<double> result(sum_.begin(), sum_.begin() + static_cast<std::ptrdiff_t>(dimension_));
  for (double& part : result) part /= static_cast<double>(count);
  return result;
}

// In a ball the distance to the boundary is known after a projection, and shrinks by no more than the moves and their
// rounding: most steps need not look.
bool Walk::return_to_domain(double length) {
  const double most = length + 2 * kRoundoff * (size_ + length);
  if (room_ >= most) {
    room_ -= most;
    return false;
  }
  static_cast<void>(domain_.project(x()).ok());  // finite, of the right dimension: cannot fail
  if (const Ball* ball = domain_.as_ball()) {
    double squares = 0;
    for (std::size_t j = 0; j < dimension_; ++j) {
      const double away = x_[j] - ball->centre()[j];
      squares += away * away;
    }
    const double rounding = 4 * (static_cast<double>(dimension_) + 16) * kRoundoff * size_;
    room_ = std::max(0.0, (ball->radius() - std::sqrt(squares)) * 0.999 - rounding);
  }
  return true;
}

}  // namespace tailcoat
