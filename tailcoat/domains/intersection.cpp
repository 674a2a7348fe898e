#include "tailcoat/domains/intersection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "tailcoat/domains/distance.hpp"
#include "tailcoat/domains/domain.hpp"

namespace tailcoat {
namespace {

Result<void> check_parts(const std::vector<Domain>& parts, const DykstraLimits& limits) {
  if (parts.empty()) return usage_error("intersection: there are no parts; give at least one domain");
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].dimension() == parts[0].dimension()) continue;
    return usage_error(fmt::format("intersection: part 0 has dimension {} and part {} has {}; they must be the same",
                                   parts[0].dimension(), i, parts[i].dimension()));
  }
  if (!(limits.tolerance >= 1e-15 && limits.tolerance <= 0.01)) {
    return usage_error(fmt::format("intersection: tolerance is {}; it must be from 1e-15 to 0.01", limits.tolerance));
  }
  if (limits.cycles == 0) return usage_error("intersection: the limit is 0 cycles; allow at least one");
  return {};
}

double largest_size(std::span<const double> x) {
  double largest = 0;
  for (const double part : x) largest = std::max(largest, std::abs(part));
  return largest;
}

// One visit of a part: x + increment is projected, and what the projection took off becomes the new increment. Returns
// the squared change of the increment.
Result<double> visit(const Domain& part, std::span<double> x, std::span<double> increment, std::span<double> before) {
  for (std::size_t i = 0; i < x.size(); ++i) before[i] = x[i] += increment[i];
  TAILCOAT_CHECK(part.project(x));
  double change = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double taken = before[i] - x[i];
    change += (taken - increment[i]) * (taken - increment[i]);
    increment[i] = taken;
  }
  return change;
}

}  // namespace

Result<Intersection> Intersection::create(std::vector<Domain> parts, DykstraLimits limits) {
  TAILCOAT_CHECK(check_parts(parts, limits));
  try {
    Intersection set;
    set.limits_ = limits;
    set.diameter_ = parts[0].diameter();
    for (const Domain& part : parts) set.diameter_ = std::min(set.diameter_, part.diameter());
    const auto ball = std::find_if(parts.begin(), parts.end(), [](const Domain& part) { return part.as_ball(); });
    if (ball != parts.end()) {
      set.ball_ = *ball->as_ball();
      parts.erase(ball);
    }
    set.parts_ = std::move(parts);
    const auto start = set.ball_ ? set.ball_->centre() : set.parts_[0].centre();
    set.centre_.assign(start.begin(), start.end());
    const bool converged = set.project_on_parts(set.centre_).ok();
    const double rounding = 1e-9 * set.diameter_ + 1e-14 * largest_size(set.centre_);
    if (!converged || !set.contains(set.centre_, rounding)) {
      return usage_error("intersection: no common point found; the parts must overlap, so enlarge one of them");
    }
    return set;
  } catch (const std::bad_alloc&) {
    return system_error("intersection: no memory; choose a smaller dimension");
  }
}

Result<void> Intersection::project(std::span<double> x) const {
  if (!ball_) return project_on_parts(x);
  if (parts_.empty()) {
    ball_->project(x);
    return {};
  }
  return project_within_ball(x);
}

// For a multiplier m >= 0 of the ball's constraint, the minimiser of |z - x|^2 + m |z - c|^2 over the other parts is
// the projection of c + theta (x - c), theta = 1 / (1 + m). Its distance from c rises with theta; the answer is at the
// largest theta in [0, 1] that keeps it in the ball. Here theta is in units that make x - c of ordinary size.
Result<void> Intersection::project_within_ball(std::span<double> x) const {
  std::vector<double> z(x.begin(), x.end());
  TAILCOAT_CHECK(project_on_parts(z));
  if (!ball_->contains(z, 0)) {
    TAILCOAT_CHECK(search_multiplier(x, z));
  }
  std::copy(z.begin(), z.end(), x.begin());
  return {};
}

Result<void> Intersection::search_multiplier(std::span<const double> x, std::span<double> nearest) const {
  const auto centre = ball_->centre();
  const Distance away = distance(x, centre);
  const double negligible = std::max(0x1p-60 * ball_->radius() / away.size, 1e-300);  // too small to leave the centre
  double inside = 0, outside = away.unit;
  std::copy(centre_.begin(), centre_.end(), nearest.begin());
  std::vector<double> z(x.size());
  while (outside - inside > 0x1p-52 * outside && outside > negligible) {
    const double low = std::max(inside, negligible);
    const double theta = outside > 4 * low ? std::sqrt(low) * std::sqrt(outside) : (inside + outside) / 2;
    for (std::size_t i = 0; i < x.size(); ++i) z[i] = centre[i] + theta * ((x[i] - centre[i]) / away.unit);
    TAILCOAT_CHECK(project_on_parts(z));
    const bool fits = ball_->contains(z, 0);
    (fits ? inside : outside) = theta;
    if (fits) std::copy(z.begin(), z.end(), nearest.begin());
  }
  return {};
}

Result<void> Intersection::project_on_parts(std::span<double> x) const {
  return parts_.size() == 1 ? parts_[0].project(x) : dykstra(x);
}

Result<void> Intersection::dykstra(std::span<double> x) const {
  std::vector<double> z(x.begin(), x.end()), before(x.size()), increments(parts_.size() * x.size());
  for (std::size_t cycle = 0; cycle < limits_.cycles; ++cycle) {
    double change = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      TAILCOAT_TRY(part, visit(parts_[i], z, std::span(increments).subspan(i * x.size(), x.size()), before));
      change += part;
    }
    // Not the change of z: Dykstra's iterates may stand still for many cycles before they move on.
    if (std::sqrt(change) > limits_.tolerance * diameter_ + 0x1p-50 * largest_size(z)) continue;
    std::copy(z.begin(), z.end(), x.begin());
    return {};
  }
  return usage_error(fmt::format(
      "intersection: Dykstra's algorithm did not converge in {} cycles; the point is too far from the domain, or its "
      "parts hardly meet: enlarge one of them or allow more cycles",
      limits_.cycles));
}

bool Intersection::contains(std::span<const double> x, double tolerance) const {
  if (ball_ && !ball_->contains(x, tolerance)) return false;
  return std::all_of(parts_.begin(), parts_.end(), [&](const Domain& part) { return part.contains(x, tolerance); });
}

}  // namespace tailcoat
