// What follows from how far coefficients may be off: tails that do not show are dropped, slopes are shrunk. All of it
// is about standardised coefficients, the intercept last. Derivations: adaptive.md.
#pragma once

#include <span>
#include <vector>

#include "tailcoat/estimators/curvature.hpp"

namespace tailcoat {

inline std::span<const double> view(const Eigen::VectorXd& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

// Covariances. The last is of what a descent has not come to: it makes intervals wider, but tells nothing of which
// slopes to trust, as it grows with them.
struct Errors {
  Eigen::MatrixXd noise, sampling, unlearned;

  // Of coefficients that a linear map has moved.
  void move(const Eigen::MatrixXd& map) {
    for (Eigen::MatrixXd* of : {&noise, &sampling, &unlearned}) *of = (map * *of * map.transpose()).eval();
  }
};

struct Coefficients {
  Eigen::VectorXd values;
  Eigen::MatrixXd covariance;
};

// The slope of a tail, or that above a bend: its place among the coefficients, that of the slope before it, and how
// many units of that one its own unit is.
struct Turn {
  Eigen::Index at, before;
  double unit;
  bool bend = false;
};

struct Dropped {
  Eigen::MatrixXd moves;       // the map by which coefficients moved
  std::vector<Turn> straight;  // bends that are none
};

// Takes away those turns that are no more than three standard errors from none: a tail becomes flat or, if there is a
// slope before it, goes on straight, whichever is nearer; a bend becomes straight. The faintest comes first, each time
// the others move to where they are best without it. Of the tails that stay none turns back more steeply than a clear
// slope before it has come.
Dropped drop_faint(Coefficients&, std::vector<Turn> turns);

// Of the margin of a row.
double variance_of(const Eigen::VectorXd& row, const Eigen::MatrixXd& covariance);

// The mean of a standardised row, as the released second moment has it.
Eigen::VectorXd mean_row(const Whitening&);

// The variance that errors give the margin of a row.
double margin_error(const Coefficients&, const Whitening&);

// The variance that the slopes give the margin of a row.
double size_of_slopes(const Coefficients&, const Whitening&);

// Shrinks the slopes towards the constant model by as much as errors, of which a share counts, are of their size, and
// returns the factor.
double shrink(Coefficients&, const Whitening&, double share);

}  // namespace tailcoat
