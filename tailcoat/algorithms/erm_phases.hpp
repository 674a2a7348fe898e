// Localization by regularised minimisation, the frame of known-lipschitz: phase i minimises the mean of fresh samples
// plus (lambda_i / 2) |x - x_{i-1}|^2, privately, and hands its answer x_i to phase i + 1. The functions are
// clip-Lipschitz because steeper samples have been left out (Algorithm 4) or, of GLMs, clipped. Proofs: erm_phases.md.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

// What the solver of a phase leaves: E |x_i - minimiser|^2 <= (noise clip^2 + descent g^2) / (lambda_i + mu)^2.
struct PhaseError {
  double noise;
  double descent = 0;     // of solvers that stop early
  std::size_t steps = 0;  // that they take
};

struct ErmPhase {
  std::size_t rows;  // n_i
  double weight;     // lambda_i
  PhaseError error;
};

struct ErmPlan : Forecast {
  double clip = 0;  // C: samples that may be steeper are left out or clipped
  std::vector<ErmPhase> phases;
};

using ErrorForRows = std::function<PhaseError(std::size_t rows)>;

// E L_s 1{L_s > C} <= G_k^k / C^(k-1): what leaving samples out may do to the gradient of F.
double drop_bias(const Moments&, double clip);

// GLMs are clipped; a strongly convex function is none.
SteepSamples steep_samples_of(const Setting&);

// E F(x_I) - F*, mu = setting.strong_convexity:
//   Err = sum_i [ p_i v_{i-1} / 2 + g^2 / ((lambda_i + mu) n_i) ] + min(mean_slope, C) sqrt(v_I),
//   p_i = lambda_i^2 / (2 lambda_i + mu), v_0 = start_distance^2, v_i as for PhaseError, g^2 = clipped_second_moment,
// plus what the steep samples cost: b D, or with strong convexity b min(D, b / mu + sqrt(2 Err / mu)). b is clip_bias
// where they are clipped, else drop_bias and the slope of the dummies.
double erm_bound(const Setting&, double clip, const std::vector<ErmPhase>&);

// The clip, weights, sizes and number of phases for which the bound is least.
ErmPlan tuned_erm_phases(const Setting&, const ErrorForRows&);
// The text's clip and split: n_i = n / 2^i, lambda_i growing by 8 (erm_phases.md has the constants).
ErmPlan stated_erm_phases(const Setting&, Gdp budget, const ErrorForRows&);

// Rows and moments as every base solver needs them.
Result<void> check_known_lipschitz(const Setting&, LeastOrder = LeastOrder::two);
// For solvers of these phases: the text has moments of order 2 and more only.
LeastOrder least_order_of(const Options&);

}  // namespace tailcoat
