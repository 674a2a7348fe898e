// Poisson loss e^t - yt, y >= 0 a count, t the log of its mean. Above t = kExpLimit the exponential goes on as its
// tangent, which keeps the loss convex and its slope finite.
#pragma once

#include <cmath>
#include <limits>

#include "tailcoat/losses/exp.hpp"
#include "tailcoat/losses/wright_omega.hpp"

namespace tailcoat {

struct PoissonLoss {
  double value(double t, double y) const {
    const double bent = t > kExpLimit ? kExpLimit : t;
    return saturate(std::exp(bent) - y * bent + saturate(kExpLargest - y) * (t - bent));
  }
  double derivative(double t, double y) const { return saturate(saturating_exp(t) - y); }
  double curvature_bound() const { return std::numeric_limits<double>::infinity(); }

  // w = kappa e^(t - kappa alpha) solves w + log w = t + kappa y + log kappa. Of the two expressions for alpha, each is
  // used where it does not cancel (losses.md).
  double implicit_slope(double t, double y, double kappa) const {
    const double v = t + kappa * y;
    const double w = wright_omega(v + std::log(kappa));
    double alpha;
    if (w < 1) {
      alpha = std::exp(v - w) - y;
    } else {
      const double mean = w <= kLargestDouble ? w / kappa : y + t / kappa;
      alpha = (t - std::log(clamped(mean, std::numeric_limits<double>::min(), kExpLargest))) / kappa;
    }
    return saturate(clamped(alpha, -y, kExpLargest - y));
  }

  bool operator==(const PoissonLoss&) const = default;
};

}  // namespace tailcoat
