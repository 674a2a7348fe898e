// localized: population-level localization with aggregated private solves (Algorithms 2 and 3, Theorem 1), and its
// strongly convex corollary. The bound holds with high probability. Statement, proofs and constants: localized.md.
#pragma once

#include <limits>

#include "tailcoat/algorithms/clipped_dp_sgd.hpp"

namespace tailcoat {

// Algorithm 3: `copies` solves on disjoint blocks of `rows` samples each, aggregated.
struct LocalizedPhase {
  std::size_t copies = 0;  // J_i
  std::size_t rows = 0;    // m_i
  ClippedDescent descent{};
  double spread = 0;        // the aggregate is within spread / lambda_i of the regularised population minimiser
  double wanted_steps = 0;  // by the theorem, for each solve
};

// Algorithm 2, within `radius` of where the stage before ended: the minimiser is not further from there.
struct LocalizedStage {
  double radius = std::numeric_limits<double>::infinity();
  std::vector<LocalizedPhase> phases;
};

struct LocalizedPlan : Forecast {
  std::vector<LocalizedStage> stages;  // one, unless F is strongly convex
};

Result<LocalizedPlan> plan_localized(const Setting&, const Budget&, const Options&);
Result<Solution> localized(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

}  // namespace tailcoat
