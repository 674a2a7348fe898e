// smooth-svt: Theorem 3 (Algorithm 7) for smooth convex losses of any kind, one pass, gradients only, in its corrected
// form: the published one is not private (errata E1, E2). Statement, proofs, constants and departures: smooth_svt.md.
#pragma once

#include <vector>

#include "tailcoat/algorithms/problem.hpp"
#include "tailcoat/mechanisms/svt_pass.hpp"

namespace tailcoat {

struct SmoothSvtPlan : Forecast {
  std::vector<SvtPhase> phases;
  SvtBudget budget{};
  double halt_probability = 0;  // at most, if the moments are as promised
};

Result<SmoothSvtPlan> plan_smooth_svt(const Setting&, const Budget&, const Options&);
Result<Solution> smooth_svt(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

}  // namespace tailcoat
