// Private selection of the best of several candidates by their losses on held-out rows: how a bound on the mean becomes
// one with high probability (boosting). Statement and proofs: selection.md.
#pragma once

#include <vector>

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

struct Selection {
  std::size_t rows = 0;  // held out
  double bound = 0;      // A: a difference of losses beyond it is clipped
};

// With probability 1 - failure no released score of `candidates` is further than this from the excess risk over the
// centre; the bound A is chosen for it to be least.
struct ScoreError {
  double bound;
  double error;
};
ScoreError score_error(const Setting&, std::size_t rows, std::size_t candidates, Gdp budget, double failure);

// The index of the candidate with the least released score. Spends all that the outlet's meter has.
Result<std::size_t> select_best(RunContext, const Samples& held_out, std::span<const double> centre,
                                const std::vector<std::vector<double>>& candidates, double bound, PrivacyMeter& meter);

}  // namespace tailcoat
