// implicit: one pass of implicit steps for any convex loss, through its Lipschitz extension: no GLM, no smoothness, no
// sparse vector; the rate of Theorem 4 where the paper has Theorem 3. Statement and proofs: implicit.md.
#pragma once

#include "tailcoat/algorithms/needs.hpp"
#include "tailcoat/algorithms/phases.hpp"

namespace tailcoat {

inline constexpr Needs kImplicitNeeds{.own_loss = OwnLoss::implicit_step};

// Refuses implicit steps, given or computed by descent, that are too inexact for so many rows.
Result<PhasedPlan> plan_implicit(const Setting&, const Budget&, const Options&);

// The samples bring their implicit_step, or a gradient and a finite Problem::smoothness, from which it is computed.
Result<Solution> implicit(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

// The implicit step of a beta-smooth convex sample function by gradient descent, within 2^-48 diameters of the exact
// one if the gradient is exact to rounding.
SampleStep implicit_step_by_descent(SampleGradient gradient, Domain domain, double smoothness);

}  // namespace tailcoat
