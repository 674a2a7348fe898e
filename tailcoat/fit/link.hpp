// Link: effects in proportion. Prices and wages have effects that multiply, where a sum of effects predicts too much in
// the middle and too little at both ends; and clipping leaves slopes too small. Both are matters of the margin alone:
// so three numbers, level, slope and bend, are fitted to the margins of a model, and where the bend shows the margin
// goes through two straight lines that meet in the mean row (fit.md, "Link").
#pragma once

#include <memory>
#include <optional>

#include "tailcoat/estimators/curve.hpp"
#include "tailcoat/fit/evidence.hpp"
#include "tailcoat/fit/posterior.hpp"
#include "tailcoat/fit/predictor.hpp"

namespace tailcoat {

struct Link {
  std::unique_ptr<CurveRows> rows;  // of the margins
  std::optional<LabelledData> data;
  Shape shape;
  Eigen::Vector3d values;  // bend, slope and level of the margins in units of their spread
  Eigen::Matrix3d covariance;
  Loss loss;
};

struct LinkSetting {
  const Loss& loss;
  double labelled;
  Gdp cost;
};

// None where nothing shows. The margins must vary.
Result<std::optional<Link>> find_link(RunContext, Outlet, const Design&, const Predictor&, const LinkSetting&);

// Coefficients with the average slope and the level of the link, and the curve that is left to be applied to the
// margin.
Curve follow(const Link&, Posterior&, const Shape&);

}  // namespace tailcoat
