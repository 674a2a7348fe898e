// Huber loss: quadratic where the residual is within delta, linear with slope +-delta beyond.
#pragma once

#include <cmath>

#include "tailcoat/losses/scalar.hpp"

namespace tailcoat {

struct HuberLoss {
  double delta = 1.345;  // in the unit of y; with residuals of unit scale, 95 % efficient at the normal distribution

  double value(double t, double y) const {
    const double r = std::abs(residual(t, y));
    const double quadratic = r > delta ? delta : r;
    return saturate(quadratic * (r - 0.5 * quadratic));
  }
  double derivative(double t, double y) const { return clamped(t - y, -delta, delta); }
  double curvature_bound() const { return 1; }
  double implicit_slope(double t, double y, double kappa) const {
    return clamped(residual(t, y) / (1 + kappa), -delta, delta);
  }

  bool operator==(const HuberLoss&) const = default;
};

}  // namespace tailcoat
