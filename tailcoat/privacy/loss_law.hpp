// LossLaw: an upper bound of the privacy loss of one event, as finitely many atoms. A law is above another one if it
// gives at least as much delta, alone and in every composition (privacy.md, "Laws of the privacy loss").
#pragma once

#include <vector>

namespace tailcoat {

struct LossLaw {
  std::vector<double> losses;         // in increasing order
  std::vector<double> probabilities;  // of these
  double infinite = 0;                // probability of a loss of infinity
};

// Above every epsilon-DP mechanism: randomised response.
LossLaw pure_loss_law(double epsilon);

// Above a sum over a Poisson sample of the rows with Gaussian noise (SampledGaussianEvent, one step): rate in (0, 1),
// ratio at most kMostRatio.
LossLaw sampled_gaussian_loss_law(double rate, double ratio);

inline constexpr double kMostRatio = 10;  // a single step without sampling then has epsilon 290 at delta = 1e-6

}  // namespace tailcoat
