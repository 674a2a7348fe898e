// The Wright omega function of a real argument: the w > 0 with w + log w = c. Relative error below 1e-15; at most
// |c| 2^-53 more where w is small, as for any exponential. omega(-infinity) = 0, omega(infinity) = infinity.
#pragma once

#include <cmath>

namespace tailcoat {

inline double wright_omega(double c) {
  if (c < -36) return std::exp(c);  // log w = c - w rounds to c
  if (c > 1e19) return c;           // log c is below half a unit in the last place of c
  const double x = c - 1;
  double w = c < -1 ? std::exp(c) : (c < 3 ? 1 + x / 2 + x * x / 16 : c - std::log(c));
  // Two steps of Fritsch, Shafer and Crowley (1973), of fourth order; the guess is within a third of w everywhere.
  for (int step = 0; step < 2; ++step) {
    const double r = c - w - std::log(w);
    const double a = (1 + w) * (1 + w + 2 * r / 3);
    w += w * (r / (1 + w)) * ((a - r / 2) / (a - r));
  }
  return w;
}

}  // namespace tailcoat
