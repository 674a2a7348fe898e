// Hinge loss (1 - yt)_+, y the class_sign of the label: support vector machines. The derivative at the kink is 0.
#pragma once

#include <limits>

#include "tailcoat/losses/scalar.hpp"

namespace tailcoat {

struct HingeLoss {
  double value(double t, double y) const { return positive_part(1 - class_sign(y) * t); }
  double derivative(double t, double y) const {
    const double sign = class_sign(y), gap = 1 - sign * t;
    return -sign * ((gap > 0 ? 1 : 0) + 0 * t);
  }
  double curvature_bound() const { return std::numeric_limits<double>::infinity(); }
  double implicit_slope(double t, double y, double kappa) const {
    const double sign = class_sign(y), gap = 1 - sign * t;
    return gap == 0 ? 0 : -sign * clamped(gap / kappa, 0, 1);
  }

  bool operator==(const HingeLoss&) const = default;
};

}  // namespace tailcoat
