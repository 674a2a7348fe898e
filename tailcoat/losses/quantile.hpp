// Quantile (pinball) loss: level (y - t)_+ + (1 - level)(t - y)_+, least in the mean at the quantile of that level. The
// derivative at the kink is -level.
#pragma once

#include <limits>

#include "tailcoat/losses/scalar.hpp"

namespace tailcoat {

struct QuantileLoss {
  double level = 0.5;  // in (0, 1)

  double value(double t, double y) const {
    const double r = residual(t, y);
    return (r > 0 ? 1 - level : -level) * r;
  }
  double derivative(double t, double y) const {
    const double r = t - y;
    return (r > 0 ? 1 : 0) - level + zero_if_finite(t, y);
  }
  double curvature_bound() const { return std::numeric_limits<double>::infinity(); }
  double implicit_slope(double t, double y, double kappa) const {
    const double r = residual(t, y);
    return r == 0 ? 0 : clamped(r / kappa, -level, 1 - level);
  }

  bool operator==(const QuantileLoss&) const = default;
};

}  // namespace tailcoat
