// Shape: what is released of the second moments of the rows, and the coordinates u = map^T row in which they are about
// the identity, as far as noise allows. Along each of them the mean loss has a known curvature, and so an error there.
#pragma once

#include <Eigen/Dense>

#include "tailcoat/engine/engine.hpp"
#include "tailcoat/mechanisms/outlet.hpp"
#include "tailcoat/mechanisms/second_moment.hpp"

namespace tailcoat {

struct Shape {
  Eigen::MatrixXd moment;           // as released
  Eigen::MatrixXd map;              // rows times it are in these coordinates
  Eigen::MatrixXd inverse;          // coefficients times it: inverse * w
  Eigen::VectorXd curvature;        // of a loss with second derivative 1, in each coordinate; 0 to 1
  Eigen::VectorXd curvature_noise;  // entry (j, k) of the second moments has noise of variance n_j n_k / 2
  Eigen::VectorXd mean_row;

  [[nodiscard]] Eigen::Index size() const { return moment.rows(); }
  // The variance that slopes, all but the last coefficient, give the margin of a row.
  [[nodiscard]] double margin_variance(const Eigen::VectorXd& coefficients) const;
};

// Of rows whose norm is at most `radius`; `follows` says that the loss has its longest gradients at its longest rows,
// which then are not cut for their moments.
Result<Shape> release_shape(Engine&, const RowData& rows, double radius, bool follows, Gdp cost, Outlet,
                            const char* what);

// Of one constant column, without a release.
Shape constant_shape();

}  // namespace tailcoat
