// Points for the tests of domains: generators, inner products, and projections with the error taken off.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "tailcoat/domains/domain.hpp"

namespace tailcoat::points {

using Point = std::vector<double>;

// +-10^u, u uniform in [low, high] from the first case on (RapidCheck starts with small numbers unless resized).
inline rc::Gen<double> log_uniform(double low, double high) {
  return rc::gen::map(rc::gen::pair(rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(0, 1LL << 53)),
                                    rc::gen::arbitrary<bool>()),
                      [=](const std::pair<std::int64_t, bool>& draw) {
                        const double size =
                            std::pow(10.0, low + (high - low) * static_cast<double>(draw.first) * 0x1p-53);
                        return draw.second ? size : -size;
                      });
}

// Points of one overall size, which is 10^low to 10^high, with coordinates that differ by up to a thousand.
inline Point any_point(std::size_t dimension, double low, double high) {
  Point x = *rc::gen::container<Point>(dimension, log_uniform(-3, 0));
  const double size = std::abs(*log_uniform(low, high));
  for (double& part : x) part *= size;
  return x;
}

inline double inner(const Point& a, const Point& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
inline double norm(const Point& a) { return std::sqrt(inner(a, a)); }
inline Point minus(const Point& a, const Point& b) {
  Point difference(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
  return difference;
}

inline Point projected(const Domain& domain, Point x) {
  const auto done = domain.project(x);
  if (!done) throw std::runtime_error(done.error().message);
  return x;
}

}  // namespace tailcoat::points
