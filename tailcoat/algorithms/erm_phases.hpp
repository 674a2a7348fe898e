// Localization by regularised minimisation, the frame of known-lipschitz: phase i minimises the mean of fresh samples
// plus (lambda_i / 2) |x - x_{i-1}|^2, privately, and hands its answer x_i to phase i + 1. The functions are
// clip-Lipschitz because steeper samples have been left out (Algorithm 4). Proofs: erm_phases.md.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

// What the solver of a phase leaves: E |x_i - minimiser|^2 <= (noise clip^2 + descent G_2^2) / (lambda_i + mu)^2.
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
  double clip = 0;  // C: samples that may be steeper are left out
  std::vector<ErmPhase> phases;
};

using ErrorForRows = std::function<PhaseError(std::size_t rows)>;

// E L_s 1{L_s > C} <= G_k^k / C^(k-1): what leaving samples out may do to the gradient of F.
double drop_bias(const Moments&, double clip);

// E F(x_I) - F*, mu = setting.strong_convexity:
//   Err = sum_i [ lambda_i v_{i-1} / 2 + 2 G_2^2 / ((lambda_i + mu) n_i) ] + G_2 sqrt(v_I),
//   v_0 = start_distance^2, v_i as for PhaseError,
// plus what the samples left out cost: b D, or with strong convexity b min(D, b / mu + sqrt(2 Err / mu)).
double erm_bound(const Setting&, double clip, const std::vector<ErmPhase>&);

// The clip, weights, sizes and number of phases for which the bound is least.
ErmPlan tuned_erm_phases(const Setting&, const ErrorForRows&);
// The text's clip and split: n_i = n / 2^i, lambda_i growing by 8 (erm_phases.md has the constants).
ErmPlan stated_erm_phases(const Setting&, Gdp budget, const ErrorForRows&);

// Rows, moments and the budget as every base solver needs them.
Result<Gdp> check_known_lipschitz(const Setting&, const Budget&);

}  // namespace tailcoat
