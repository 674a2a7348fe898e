// Branch-free scalars the losses share. All pass NaN on and are written so that a loop over them vectorises.
#pragma once

#include <limits>

namespace tailcoat {

inline constexpr double kLargestDouble = std::numeric_limits<double>::max();

// Comparisons with NaN are false, hence NaN falls through to the result; std::fmin and std::fmax would drop it.
inline double clamped(double x, double lower, double upper) {
  const double raised = x < lower ? lower : x;
  return raised > upper ? upper : raised;
}

inline double positive_part(double x) { return x < 0 ? 0 : x; }

// What has overflowed becomes the largest finite number.
inline double saturate(double x) { return clamped(x, -kLargestDouble, kLargestDouble); }

// t - y for the losses of regression. It saturates, so those losses are constant where t - y is beyond every double.
inline double residual(double t, double y) { return saturate(t - y); }

// 0 for finite arguments, else NaN: added to what a comparison has decided, which would have lost a NaN.
inline double zero_if_finite(double t, double y) { return 0 * t + 0 * y; }

// The class of a label: +1 above zero, else -1; NaN where it is not finite. Only the sign counts, so that the bounds on
// slope and curvature of the classification losses hold for every record, however wrong its label.
inline double class_sign(double label) { return (label > 0 ? 1 : -1) + 0 * label; }

}  // namespace tailcoat
