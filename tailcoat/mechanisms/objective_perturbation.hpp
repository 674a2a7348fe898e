// Objective perturbation (Chaudhuri, Monteleoni and Sarwate 2011; Redberg, Koskela and Wang 2023) for GLMs on a domain:
// the minimiser of a regularised mean of losses with a random linear term, which hides each row; found to a certified
// distance, which Gaussian output noise hides. Slopes are clipped, curvature is capped by Moreau envelopes, so it holds
// for every data set. Replace-one neighbours. Proof: objective_perturbation.md.
#pragma once

#include <span>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/mechanisms/outlet.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

struct ObjectivePerturbation {
  double clip;        // C: no sample has a steeper slope
  double weight;      // lambda, of |x - centre|^2 / 2 next to the mean of the losses
  double smoothness;  // beta, to which the curvature of every sample is capped
  ApproxDp cost;      // of the exact minimiser; reserved with the meter as ApproximateEvent{epsilon, delta}
};

// Standard deviation of the linear term, for the sum (not the mean) of the losses, in units of C: the least for which
// the exact minimiser satisfies `cost`. `curvature` = beta / (lambda n). Refused where log(1 + curvature) leaves
// nothing of epsilon.
Result<double> objective_noise(double curvature, ApproxDp cost);

// The certified distance that the solver aims for, as a share of 2 C / (lambda n).
inline constexpr double kObjectiveShare = 1e-4;

// Releases a point less the centre. Charges the reserved `cost`, and `output_cost` for the output noise.
Result<std::vector<double>> perturbed_minimiser(Engine&, const Samples&, const Domain&, std::span<const double> centre,
                                                const ObjectivePerturbation&, Gdp output_cost, Outlet);

}  // namespace tailcoat
