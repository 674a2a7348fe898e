// FourierSum: delta of composed losses as a trapezoidal sum over the line Re z = tilt. Exactly evaluated it is delta
// and a sum of further terms, all positive, so where the line and the spacing are put decides how tight the bound is
// and never whether it holds (privacy.md, "The Fourier sum").
#pragma once

#include <complex>
#include <vector>

#include "tailcoat/privacy/loss_law.hpp"

namespace tailcoat {

// A law with its losses tilted, that is with probabilities proportional to p e^(tilt loss).
struct TiltedMoments {
  double log_moment;  // log sum of p e^(tilt loss)
  double mean;
  double variance;
};
TiltedMoments tilted_moments(const LossLaw&, double tilt);

// Where to evaluate: z = tilt + i n spacing, n = 0 .. frequencies.
struct FourierLine {
  double tilt;
  double spacing;
  std::size_t frequencies;
  double least_mu;  // Gaussian noise below this is taken for this much
};

class FourierSum {
 public:
  explicit FourierSum(const FourierLine&);

  // `steps` independent losses of this law join those there are.
  void add(const LossLaw&, double steps);

  // An upper bound of E (1 - e^(epsilon - loss))_+ over the finite losses, Gaussian noise of mu included.
  [[nodiscard]] double delta(double epsilon, double mu) const;

 private:
  FourierLine line_;
  std::vector<std::complex<double>> powers_;  // the transform of the tilted law, 1 at frequency 0
  std::vector<double> errors_;                // how far it may be off
  double log_moment_ = 0;
  double log_moment_error_ = 0;
  double centre_ = 0;  // losses are counted from here
  double centre_error_ = 0;
};

}  // namespace tailcoat
