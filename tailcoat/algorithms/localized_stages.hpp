// Stages of `localized`: where F grows away from its minimiser, chains of phases on fresh rows, each of which starts
// within what the one before guarantees. One stage where it does not. From public numbers alone; localized.md,
// localized_plan.md.
#pragma once

#include <limits>
#include <vector>

#include "tailcoat/algorithms/localized_chain.hpp"

namespace tailcoat {

struct LocalizedStages {
  std::vector<ChainSearch> searches;   // one per stage
  std::vector<LocalizedChain> chains;  // one per stage
  double kept_from = 0;                // rows not read because of the limit on passes

  [[nodiscard]] double excess_risk() const {
    return chains.empty() ? std::numeric_limits<double>::infinity() : chains.back().excess_risk;
  }
};

// Those with the smallest bound of all proofs that apply; the bound fails with probability `failure`, or is one on the
// mean if that is 0.
LocalizedStages best_stages(const Setting&, Gdp budget, const SamplingRates&, double failure, double max_passes);

// Rates at which the events have been accounted in place of estimated ones, and the bound that comes with them.
Result<void> certify(LocalizedStages&, ApproxDp budget);

}  // namespace tailcoat
