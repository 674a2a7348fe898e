// The level of a fit: one step along the intercept alone. Its noise does not grow with the number of columns, as that
// of a gradient does. Rules: adaptive.md, "Level".
#pragma once

#include "tailcoat/estimators/descent.hpp"
#include "tailcoat/estimators/target.hpp"
#include "tailcoat/estimators/uncertainty.hpp"

namespace tailcoat {

struct LevelSetting {
  const Descent& descent;
  const Whitening& whitening;
  const LabelledData& data;
  const Start& start;
  double largest;    // residual that counts
  double sampling;   // variance of the level that no step takes away
  double tolerated;  // error of the level that is left alone
};

// As long as what noise has made of the level so far, and clipping may have, is large beside the noise of the step.
Result<void> move_level(Coefficients&, const LevelSetting&, Gdp cost, RunContext, Outlet);

}  // namespace tailcoat
