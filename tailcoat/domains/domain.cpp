#include "tailcoat/domains/domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <new>

namespace tailcoat {
namespace {

template <class Set>
Result<Domain> domain_of(Result<Set> set) {
  if (!set) return set.error();
  return Domain(*std::move(set));
}

Result<void> check_point(std::span<const double> x, std::size_t dimension) {
  if (x.size() != dimension) {
    return usage_error(fmt::format("projection: the point has dimension {}, the domain {}; they must be the same",
                                   x.size(), dimension));
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isfinite(x[i])) continue;
    return usage_error(fmt::format("projection: x[{}] is {}; only finite points have a nearest point", i, x[i]));
  }
  return {};
}

}  // namespace

Result<Domain> Domain::ball(std::vector<double> centre, double radius) {
  return domain_of(Ball::create(std::move(centre), radius));
}
Result<Domain> Domain::box(std::vector<double> lower, std::vector<double> upper) {
  return domain_of(Box::create(std::move(lower), std::move(upper)));
}
Result<Domain> Domain::simplex(std::size_t dimension, double scale) {
  return domain_of(Simplex::create(dimension, scale));
}
Result<Domain> Domain::intersection(std::vector<Domain> parts, DykstraLimits limits) {
  return domain_of(Intersection::create(std::move(parts), limits));
}

Result<void> Domain::project(std::span<double> x) const {
  TAILCOAT_CHECK(check_point(x, dimension()));
  try {
    if (const auto* intersection = std::get_if<Intersection>(&set_)) return intersection->project(x);
    std::visit([&](const auto& set) { static_cast<void>(set.project(x)); }, set_);
  } catch (const std::bad_alloc&) {
    return system_error(fmt::format("projection: no memory for a point of dimension {}", x.size()));
  }
  return {};
}

bool Domain::contains(std::span<const double> x, double tolerance) const {
  if (x.size() != dimension() || !std::all_of(x.begin(), x.end(), [](double part) { return std::isfinite(part); })) {
    return false;
  }
  return std::visit([&](const auto& set) { return set.contains(x, tolerance); }, set_);
}

double Domain::diameter() const {
  return std::visit([](const auto& set) { return set.diameter(); }, set_);
}
double Domain::radius() const {
  const bool symmetric = std::holds_alternative<Ball>(set_) || std::holds_alternative<Box>(set_);
  return symmetric ? diameter() / 2 : diameter();
}
double Domain::projection_error(double reach) const {
  if (std::holds_alternative<Box>(set_)) return 0;
  if (std::holds_alternative<Intersection>(set_)) return std::numeric_limits<double>::infinity();
  const auto d = static_cast<double>(dimension());
  double size = radius() + reach;
  for (const double part : centre()) size += std::abs(part);
  return 8 * (d + 16) * 0x1p-53 * size;
}
std::span<const double> Domain::centre() const {
  return std::visit([](const auto& set) { return set.centre(); }, set_);
}
std::size_t Domain::dimension() const {
  return std::visit([](const auto& set) { return set.dimension(); }, set_);
}

}  // namespace tailcoat
