// The plan of `localized` with tight constants: phases, batches, clip and weights from public numbers alone, and what
// they certify, in expectation or with high probability. Proofs and constants: localized_plan.md.
#pragma once

#include <limits>
#include <vector>

#include "tailcoat/algorithms/sampled_descent.hpp"
#include "tailcoat/algorithms/selection.hpp"

namespace tailcoat {

// `copies` solves, each on `rows` samples of its own, aggregated; one is taken as it is.
struct LocalizedPhase {
  std::size_t copies = 1;    // J_i
  std::size_t rows = 0;      // m_i
  double weight = 0;         // lambda_i
  double convexity = 0;      // mu, of the sample functions, if the steps make use of it
  SampledDescent descent{};  // whose modulus is the sum of both
};

struct LocalizedPlan : Forecast {
  std::size_t runs = 1;                // of all phases, each on rows of its own
  std::vector<LocalizedPhase> phases;  // of a run
  Selection selection{};               // of the best run, on the rows after theirs; no rows for a single run
};

// The bound on the mean, or with options.failure_probability > 0 the smaller of two that hold with high probability.
// At least 2 rows.
Result<LocalizedPlan> tight_plan(const Setting&, ApproxDp budget, const Options&);

}  // namespace tailcoat
