// implicit-glm-adaptive: implicit-glm whose clip and steps come from the data, privately. Each phase sets some of its
// samples aside, releases a quantile of their gradient norms, and clips and steps by it; moments are not needed but for
// the certificate. Statement, proofs and the rule for the quantile: implicit_glm_adaptive.md.
#pragma once

#include "tailcoat/algorithms/phases.hpp"

namespace tailcoat {

struct AdaptivePhase {
  std::size_t scale_rows;  // for the quantile; 0: keep the clip of the phase before
  std::size_t rows;        // for the pass
  double step;             // for gradients clipped at 1; divided by the clip
};

struct AdaptivePlan : Forecast {
  std::vector<AdaptivePhase> phases;
  double share_above = 0;  // of the gradient norms, at the quantile
};

Result<AdaptivePlan> plan_implicit_glm_adaptive(const Setting&, const Budget&, const Options&);
Result<Solution> implicit_glm_adaptive(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

}  // namespace tailcoat
