// How far the coefficients of a descent may be off, and what follows from it: tails that do not show are dropped,
// slopes are shrunk. All of it is about standardised coefficients, the intercept last. Derivations: adaptive.md.
#pragma once

#include <vector>

#include "tailcoat/algorithms/problem.hpp"
#include "tailcoat/estimators/curvature.hpp"
#include "tailcoat/estimators/descent.hpp"

namespace tailcoat {

struct Errors {
  Eigen::MatrixXd noise, sampling;  // covariances
};

// The noise of the gradients is known. The sampling error follows from the second moment of the gradients, which is
// released at `cost` where it can be told from its own noise, and from their mean square otherwise.
Result<Errors> errors_of(const Descent&, const Whitening&, const LabelledData&, Gdp cost, RunContext, Outlet);

struct Coefficients {
  Eigen::VectorXd values;
  Eigen::MatrixXd covariance;
};

// Takes away those of `tails` that are no more than three standard errors from 0, or of which the second moments show
// nothing, the faintest first, each time moving the others to where they are best without it. Gives the map by which
// it moved the coefficients.
Eigen::MatrixXd drop_faint(Coefficients&, std::vector<Eigen::Index> tails, const Whitening&);

// The mean of a standardised row, as the released second moment has it.
Eigen::VectorXd mean_row(const Whitening&);

// The variance that errors give the margin of a row.
double margin_error(const Coefficients&, const Whitening&);

// Shrinks the slopes towards the constant model by as much as errors are of their size, and returns the factor.
double shrink(Coefficients&, const Whitening&);

}  // namespace tailcoat
