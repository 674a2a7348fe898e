// Level: predictions right in the mean, or at their quantile. Clipped gradients leave the mean of a skewed target, of a
// rare class or of counts too small. So the mean derivative of the loss, (prediction - target) for a mean, is released
// by itself, clipped where its own bias and noise are least, and the intercept moves by as much of it as stands out of
// the noise.
#pragma once

#include "tailcoat/estimators/target.hpp"
#include "tailcoat/fit/predictor.hpp"

namespace tailcoat {

struct LevelStep {
  double shift = 0;     // of the margin
  double length = 0;    // share of what was released
  double variance = 0;  // of what was released
};

struct LevelSetting {
  const Start& start;
  double largest_residual;
  double curvature;    // of the mean loss
  double uncertainty;  // variance of the margin of the mean row so far
};

Result<LevelStep> release_level(RunContext, Outlet, const Predictor&, const LevelSetting&, Gdp cost);

}  // namespace tailcoat
