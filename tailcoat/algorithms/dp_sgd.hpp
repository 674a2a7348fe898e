// dp-sgd: the baseline everybody knows, full batch: projected descent with clipped gradients and Gaussian noise, fixed
// step and clip, average of the iterates. Step, clip and number of steps come from public numbers: dp_sgd.md.
#pragma once

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

struct DpSgdPlan : Forecast {
  double clip = 0;
  double step = 0;
  std::size_t steps = 0;
};

Result<DpSgdPlan> plan_dp_sgd(const Setting&, const Budget&, const Options&);
Result<Solution> dp_sgd(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

}  // namespace tailcoat
