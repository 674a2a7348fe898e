// Logistic loss log(1 + e^(-yt)), y the class_sign of the label.
#pragma once

#include <cmath>

#include "tailcoat/losses/exp.hpp"
#include "tailcoat/losses/wright_omega.hpp"

namespace tailcoat {

struct LogisticLoss {
  double value(double t, double y) const {
    const double margin = class_sign(y) * t;
    return positive_part(-margin) + std::log1p(std::exp(-std::abs(margin)));
  }
  double derivative(double t, double y) const {
    const double sign = class_sign(y);
    return -sign / (1 + saturating_exp(sign * t));
  }
  double curvature_bound() const { return 0.25; }

  // -sign b for the root b of b = 1 / (1 + e^(margin + kappa b)). With 1 - b for b, the equation keeps its form and the
  // margin becomes -(margin + kappa), so that a root below 1/2 is enough where no shorter way is open.
  double implicit_slope(double t, double y, double kappa) const {
    const double sign = class_sign(y), margin = sign * t;
    if (kappa <= 4 && std::abs(margin) <= 150) return -sign * root_of_short_step(margin, kappa);
    const bool small = margin >= -0.5 * kappa;
    return -sign * (small ? small_root(margin, kappa) : 1 - small_root(-(margin + kappa), kappa));
  }

  bool operator==(const LogisticLoss&) const = default;

 private:
  // Halley's method for z = margin + kappa b, of third order: two exponentials as a rule, three at most (losses.md).
  // The last step is taken in b itself. z - margin is exact but for what does not count.
  static double root_of_short_step(double margin, double kappa) {
    double z = margin + kappa * clamped((2 - margin) / (4 + kappa), 0, 1);
    for (;;) {
      const double odds = std::exp(z), all = 1 + odds, inverse = 1 / all;
      const double excess = kappa - (z - margin) * all, rise = all * all + kappa * odds;
      const double move = 2 * excess * rise * all / (2 * rise * rise + excess * kappa * odds * (1 - odds));
      if (std::abs(move) <= 0x1p-17)
        return inverse - inverse * inverse * odds * move * (1 - (odds - 1) * inverse * move * 0.5);
      z += move;
    }
  }

  // margin >= -kappa/2. Newton's method on the concave function logit(b) + kappa b + margin, from the left of its root:
  // monotone, at most 6 steps (losses.md). The last step, on the equation itself, makes the result as near as exp is.
  static double small_root(double margin, double kappa) {
    margin = margin > kExpLimit ? kExpLimit : margin;
    const double w = wright_omega(std::log(kappa) - margin);
    const double above = w < 1 ? std::exp(-margin - w) : w / kappa;
    double b = above / (1 + above);
    for (int step = 0; step < 6; ++step) {
      const double excess = std::log(b / (1 - b)) + kappa * b + margin;
      const double move = excess / (1 + kappa * b * (1 - b)) * (1 - b);
      b -= move * b;
      if (std::abs(move) < 1e-8) break;
    }
    if (kappa * b > 1e3) return b;  // margin + kappa b cancels: its error would be a factor in the odds
    const double odds = margin > 0 ? std::exp(margin) * std::exp(kappa * b) : std::exp(margin + kappa * b);
    const double sigma = 1 / (1 + odds);
    return b - (b - sigma) / (1 + kappa * sigma * (1 - sigma));
  }
};

}  // namespace tailcoat
