// implicit-glm: one pass of implicit (proximal) steps on the clipped GLM, in phases. Optimal rate, no smoothness, no
// logarithms. Statement, proofs and constants: implicit_glm.md.
#pragma once

#include "tailcoat/algorithms/phases.hpp"

namespace tailcoat {

Result<PhasedPlan> plan_implicit_glm(const Setting&, const Budget&, const Options&);
Result<Solution> implicit_glm(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

}  // namespace tailcoat
