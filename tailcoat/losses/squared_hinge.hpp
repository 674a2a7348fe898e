// Squared hinge loss (1 - yt)_+^2 / 2, y the class_sign of the label.
#pragma once

#include "tailcoat/losses/scalar.hpp"

namespace tailcoat {

struct SquaredHingeLoss {
  double value(double t, double y) const {
    const double gap = positive_part(1 - class_sign(y) * t);
    return saturate(0.5 * gap * gap);
  }
  double derivative(double t, double y) const { return implicit_slope(t, y, 0); }
  double curvature_bound() const { return 1; }
  double implicit_slope(double t, double y, double kappa) const {
    const double sign = class_sign(y);
    return -sign * positive_part(1 - sign * t) / (1 + kappa);
  }

  bool operator==(const SquaredHingeLoss&) const = default;
};

}  // namespace tailcoat
