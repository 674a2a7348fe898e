// Level: predictions right in the mean. Clipped gradients leave the mean of a skewed target, of a rare class or of
// counts too small. So the mean of (prediction - target) is released by itself, clipped where its own bias and noise are
// least, and the intercept moves by as much of it as stands out of the noise.
#pragma once

#include "tailcoat/estimators/target.hpp"
#include "tailcoat/fit/predictor.hpp"

namespace tailcoat {

struct LevelStep {
  double shift = 0;     // of the margin
  double length = 0;    // share of what was released
  double variance = 0;  // of what was released
};

// `uncertainty`: the variance of the margin of the mean row so far.
Result<LevelStep> release_level(RunContext, Outlet, const Predictor&, const Start&, double largest_residual,
                                double uncertainty, Gdp cost);

}  // namespace tailcoat
