// localized with the text's constants: Algorithms 2 and 3 and Theorem 1 as the paper states them, for both regimes of
// 1/delta, and its strongly convex corollary. Full-batch solves, aggregated; the bound holds with high probability.
// Statement, proofs and constants: localized_as_stated.md.
#pragma once

#include <limits>

#include "tailcoat/algorithms/clipped_dp_sgd.hpp"

namespace tailcoat {

// Algorithm 3: `copies` solves on disjoint blocks of `rows` samples each, aggregated.
struct StatedPhase {
  std::size_t copies = 0;  // J_i
  std::size_t rows = 0;    // m_i
  ClippedDescent descent{};
  double spread = 0;        // R_i lambda_i: the aggregate is so near the regularised population minimiser
  double wanted_steps = 0;  // by the theorem, for each solve
};

// Algorithm 2, within `radius` of where the stage before ended: the minimiser is not further from there.
struct StatedStage {
  double radius = std::numeric_limits<double>::infinity();
  std::vector<StatedPhase> phases;
};

struct StatedPlan : Forecast {
  std::vector<StatedStage> stages;  // one, unless F is strongly convex
};

Result<StatedPlan> plan_localized_as_stated(const Setting&, const Budget&, const Options&);
Result<Solution> localized_as_stated(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

}  // namespace tailcoat
