// Absolute loss |t - y|: median regression. The derivative at the kink is 0.
#pragma once

#include <cmath>
#include <limits>

#include "tailcoat/losses/scalar.hpp"

namespace tailcoat {

struct AbsoluteLoss {
  double value(double t, double y) const { return std::abs(residual(t, y)); }
  double derivative(double t, double y) const {
    const double r = t - y;
    return (r > 0 ? 1 : 0) - (r < 0 ? 1 : 0) + zero_if_finite(t, y);
  }
  double curvature_bound() const { return std::numeric_limits<double>::infinity(); }
  double implicit_slope(double t, double y, double kappa) const {
    const double r = residual(t, y);
    return r == 0 ? 0 : clamped(r / kappa, -1, 1);
  }

  bool operator==(const AbsoluteLoss&) const = default;
};

}  // namespace tailcoat
