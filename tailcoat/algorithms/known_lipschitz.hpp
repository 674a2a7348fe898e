// known-lipschitz: Algorithm 4 (KLReduce), Theorem 2 (`thm:known_lip_reduce_optimal`), for mu = 0 and mu > 0: samples
// whose Lipschitz constant over the domain exceeds C are left out or, of a GLM, clipped, and a private algorithm for
// C-Lipschitz functions runs on that. Here that algorithm is PhasedERM: phases of exact, certified minimisers, released
// with Gaussian noise or, under a pure budget, with Laplace noise. Statement, proofs, constants and errata:
// known_lipschitz.md.
#pragma once

#include "tailcoat/algorithms/erm_phases.hpp"

namespace tailcoat {

Result<ErmPlan> plan_known_lipschitz(const Setting&, const Budget&, const Options&);

// Every kind of budget; the text's constants have no pure one. For GLMs, and for losses of the user's own with a finite
// Problem::smoothness, which alone may be strongly convex.
Result<Solution> known_lipschitz(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

}  // namespace tailcoat
