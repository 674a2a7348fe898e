// implicit-glm-adaptive: implicit-glm whose clip and steps come from the data, privately. Each phase sets some of its
// samples aside, releases two quantiles of their gradient norms, and clips and steps by them; moments are needed for
// the certificate only. Statement, proofs and the rule for the quantile: implicit_glm_adaptive.md.
#pragma once

#include "tailcoat/algorithms/phases.hpp"

namespace tailcoat {

struct AdaptivePhase {
  std::size_t scale_rows;  // for the quantiles; 0: keep the scale of the phase before
  std::size_t rows;        // for the pass
};

struct AdaptivePlan : Forecast {
  std::vector<AdaptivePhase> phases;
  double share_above = 0;  // of the gradient norms, at the clip
};

Result<AdaptivePlan> plan_implicit_glm_adaptive(const Setting&, const Budget&, const Options&);
Result<Solution> implicit_glm_adaptive(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

}  // namespace tailcoat
