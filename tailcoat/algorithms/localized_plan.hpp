// The plan of `localized` with tight constants: phases, batches, clip and weights from public numbers alone, and what
// they certify, in expectation or with high probability. Proofs and constants: localized_plan.md.
#pragma once

#include <vector>

#include "tailcoat/algorithms/localized_chain.hpp"
#include "tailcoat/algorithms/selection.hpp"

namespace tailcoat {

struct LocalizedPlan : Forecast {
  std::size_t runs = 1;                // of all phases, each on rows of its own
  std::vector<LocalizedPhase> phases;  // of a run, stage after stage
  Selection selection{};               // of the best run, on the rows after theirs; no rows for a single run
};

// The bound on the mean, or with options.failure_probability > 0 the smaller of two that hold with high probability.
// At least 2 rows.
Result<LocalizedPlan> tight_plan(const Setting&, ApproxDp budget, const Options&);

}  // namespace tailcoat
