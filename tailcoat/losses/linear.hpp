// Linear loss t: the gradient of a sample is its row, so a clipped gradient sum is a clipped sum of rows. The label
// does not count, unless it is not finite.
#pragma once

#include "tailcoat/losses/scalar.hpp"

namespace tailcoat {

struct LinearLoss {
  double value(double t, double) const { return t; }
  double derivative(double t, double y) const { return 1 + zero_if_finite(t, y); }
  double curvature_bound() const { return 0; }
  double implicit_slope(double t, double y, double) const { return derivative(t, y); }

  bool operator==(const LinearLoss&) const = default;
};

}  // namespace tailcoat
