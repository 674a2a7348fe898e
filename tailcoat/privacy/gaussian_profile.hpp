// The privacy profile of the Gaussian mechanism: the least delta for which N(mu, 1) and N(0, 1) are (epsilon, delta)
// close,   delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)   (Balle and Wang 2018).
// Written as it stands it cancels to nothing where it matters; privacy.md, "Computing the profile", has the form used.
#pragma once

namespace tailcoat {

// What is added to log delta for the errors of its evaluation, beyond those of its argument; over ten times the
// largest error seen.
inline constexpr double kProfileMargin = 4e-14;

// The natural logarithm of an upper bound of delta(epsilon), for mu >= 0 and any real epsilon; -infinity where delta is
// zero. The bound is within a factor 1 + 3e-13 of delta wherever delta > 1e-100.
double gaussian_log_delta(double mu, double epsilon);

// The bound itself; where delta would underflow, the smallest normal number.
double gaussian_delta(double mu, double epsilon);

}  // namespace tailcoat
