// known-lipschitz-gd: Algorithm 4 (KLReduce) with the base solver that Theorem 2 counts gradients for: localization by
// full-batch noisy gradient descent, private by itself, so that no minimiser has to be exact. mu = 0. Statement, proofs
// and constants: known_lipschitz_gd.md.
#pragma once

#include "tailcoat/algorithms/erm_phases.hpp"

namespace tailcoat {

Result<ErmPlan> plan_known_lipschitz_gd(const Setting&, const Budget&, const Options&);

// For GLMs, whose slopes are clipped instead of left out, and for losses of the user's own with a gradient and a finite
// Problem::smoothness.
Result<Solution> known_lipschitz_gd(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

}  // namespace tailcoat
