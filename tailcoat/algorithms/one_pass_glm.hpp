// one-pass-glm: Algorithm 8 (OPCDPSGD), Theorem 4 (`thm:smooth_glm`): one pass of clipped gradient steps on a smooth
// GLM, in phases. Statement, proofs, constants and errata: one_pass_glm.md.
#pragma once

#include "tailcoat/algorithms/phases.hpp"

namespace tailcoat {

struct OnePassGlmPlan : PhasedPlan {
  Gdp spent{};  // half of the budget with the paper's constants (E4), all of it with tight ones
};

Result<OnePassGlmPlan> plan_one_pass_glm(const Setting&, const Budget&, const Options&);
Result<Solution> one_pass_glm(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

}  // namespace tailcoat
