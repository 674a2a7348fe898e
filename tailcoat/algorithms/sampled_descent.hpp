// Descent on Poisson samples of the rows: the private solver of a phase of `localized`. Clipped gradients of a fresh
// batch with Gaussian noise, proximal steps towards the centre, last iterate. Statement, proofs and constants:
// sampled_descent.md.
#pragma once

#include <string>
#include <vector>

#include "tailcoat/algorithms/problem.hpp"
#include "tailcoat/privacy/event.hpp"

namespace tailcoat {

// Minimises (1/m) sum_j f_j(x) + (modulus / 2) |x - centre|^2 over the domain, starting at the centre.
struct SampledDescent {
  double clip = 0;     // C
  double modulus = 0;  // lambda
  SampledGaussianEvent event{};
};

// Spends the event, which the meter has reserved. `what` is its line in the receipt.
Result<std::vector<double>> solve_sampled(Engine&, const Samples&, const Domain&, std::span<const double> centre,
                                          const SampledDescent&, std::string what, Outlet);

// w: its result x is within sqrt(E |x - y|^2) <= w / modulus of the exact minimiser y, of the clipped losses for a GLM,
// else of the losses. Infinite where the lattice is too coarse for the event.
double sampled_spread(const Setting&, std::size_t rows, double clip, const SampledGaussianEvent&);

// g: the root of the second moment of the slopes that count, which for a GLM are clipped.
double clipped_slope(const Setting&, double clip);

}  // namespace tailcoat
