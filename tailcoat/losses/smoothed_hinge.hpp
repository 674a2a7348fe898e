// Smoothed hinge loss, y the class_sign of the label: with the gap g = (1 - yt)_+, g^2 / (2 width) while g <= width,
// then g - width / 2. It is below the hinge loss by at most width / 2.
#pragma once

#include "tailcoat/losses/scalar.hpp"

namespace tailcoat {

struct SmoothedHingeLoss {
  double width = 1;

  double value(double t, double y) const {
    const double gap = positive_part(1 - class_sign(y) * t);
    const double quadratic = gap > width ? width : gap;
    return quadratic / width * (gap - 0.5 * quadratic);
  }
  double derivative(double t, double y) const { return implicit_slope(t, y, 0); }
  double curvature_bound() const { return 1 / width; }
  double implicit_slope(double t, double y, double kappa) const {
    const double sign = class_sign(y), gap = positive_part(1 - sign * t), full = width + kappa;
    return -sign * ((gap > full ? full : gap) / full);
  }

  bool operator==(const SmoothedHingeLoss&) const = default;
};

}  // namespace tailcoat
