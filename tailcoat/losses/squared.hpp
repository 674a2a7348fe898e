// Squared loss (t - y)^2 / 2: least squares.
#pragma once

#include "tailcoat/losses/scalar.hpp"

namespace tailcoat {

struct SquaredLoss {
  double value(double t, double y) const {
    const double r = residual(t, y);
    return saturate(0.5 * r * r);
  }
  double derivative(double t, double y) const { return residual(t, y); }
  double curvature_bound() const { return 1; }
  double implicit_slope(double t, double y, double kappa) const { return residual(t, y) / (1 + kappa); }

  bool operator==(const SquaredLoss&) const = default;
};

}  // namespace tailcoat
