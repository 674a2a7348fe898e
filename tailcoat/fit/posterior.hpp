// Posterior: what to believe of the coefficients, given the evidence and a prior that the effects themselves set: terms
// of which nothing is there are shrunk to nothing. No row is touched.
#pragma once

#include "tailcoat/fit/evidence.hpp"
#include "tailcoat/fit/terms.hpp"

namespace tailcoat {

// Of standardised fitted features, the intercept last.
struct Posterior {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
  double sampling_share = 0;  // of what errors of the evidence are: the rest is privacy noise
};

// The second moments of clipped gradients, per row, where they can be told from noise; else as if all directions had as
// much. Of a likelihood they are the curvature at the truth, if they are clear enough.
struct GradientMoments {
  Eigen::MatrixXd matrix;
  bool are_curvature = false;
};
Result<GradientMoments> release_gradient_moments(RunContext, Outlet, const LabelledData&, const Evidence&, const Shape&,
                                                 Gdp cost);

// `intercept` is where the descent began, with all slopes 0; `level_variance` how far off that may be.
Posterior infer(const Evidence&, const Shape&, const Terms&, const GradientMoments&, double rows, double intercept,
                double level_variance);

}  // namespace tailcoat
