// objective-perturbation: one minimiser over all rows, made private by a random linear term and output noise. GLMs with
// clipped slopes and capped curvature; no smoothness, no exact solver needed. (epsilon, delta) budgets only. Statement,
// split of the budget and utility: objective_perturbation.md; privacy: mechanisms/objective_perturbation.md.
#pragma once

#include "tailcoat/algorithms/problem.hpp"
#include "tailcoat/mechanisms/objective_perturbation.hpp"

namespace tailcoat {

struct ObjectivePlan : Forecast {
  ObjectivePerturbation mechanism{};
  Gdp output{};  // for the output noise
};

Result<ObjectivePlan> plan_objective_perturbation(const Setting&, const Budget&, const Options&);
Result<Solution> objective_perturbation(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

}  // namespace tailcoat
