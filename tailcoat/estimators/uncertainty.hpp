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

// A tail of a number: its place among the coefficients, that of the number itself, and how many units of the number its
// own unit is.
struct Tail {
  Eigen::Index at, number;
  double unit;
};

// Takes away the slopes of those tails that are no more than three standard errors from 0, or from going on straight as
// their number does if that has a slope: they become whichever is nearer. The faintest comes first, each time the
// others move to where they are best without it. Gives the map by which coefficients moved.
Eigen::MatrixXd drop_faint(Coefficients&, std::vector<Tail> tails);

// The mean of a standardised row, as the released second moment has it.
Eigen::VectorXd mean_row(const Whitening&);

// The variance that errors give the margin of a row.
double margin_error(const Coefficients&, const Whitening&);

// Shrinks the slopes towards the constant model by as much as errors are of their size, and returns the factor.
double shrink(Coefficients&, const Whitening&);

}  // namespace tailcoat
