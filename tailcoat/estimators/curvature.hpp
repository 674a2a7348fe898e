// Whitening: a change of coordinates in which a released second-moment matrix is about the identity, as far as its
// noise allows.
#pragma once

#include <Eigen/Dense>
#include <span>

#include "tailcoat/mechanisms/second_moment.hpp"

namespace tailcoat {

struct Whitening {
  Eigen::MatrixXd directions;  // eigenvectors, in columns
  Eigen::VectorXd moments;     // eigenvalues as released: noisy, perhaps negative
  Eigen::VectorXd floored;     // at least what noise could hide
  Eigen::MatrixXd moment;      // the matrix itself, as released
  double noise = 0;            // standard deviation of its diagonal; off it, 1 / sqrt(2) of that

  [[nodiscard]] Eigen::MatrixXd root_inverse() const { return with(floored.array().rsqrt()); }  // whitens rows
  [[nodiscard]] Eigen::MatrixXd root() const { return with(floored.array().sqrt()); }
  // Curvature of each direction after whitening: 1 where the moment is above the floor.
  [[nodiscard]] Eigen::VectorXd curvatures() const;
  [[nodiscard]] Eigen::MatrixXd with(const Eigen::VectorXd& diagonal) const {
    return directions * diagonal.asDiagonal() * directions.transpose();
  }
};

// The largest noise that the floor must be above, for a matrix of d x d with `noise_scale` on its diagonal.
double noise_floor(std::size_t d, double noise_scale);

// Where noise would hide much, rows are cut to a smaller radius for their second moments: that lowers the noise more
// than the moments, which are multiplied by `factor` to be again those of rows of squared norm d.
struct MomentCut {
  double radius, factor = 1;
};
MomentCut moment_cut(std::size_t d, double radius, double rows, Gdp cost);

// Whether more than noise is seen of a column of the matrix.
bool is_seen(const SecondMoment& moment, std::size_t d, std::size_t column);
// That of the columns `kept` alone.
SecondMoment moment_of(const SecondMoment& moment, std::size_t d, std::span<const std::size_t> kept);

Whitening whitening_of(const SecondMoment& moment, std::size_t d);
// Without a release: rows are taken as they are.
Whitening no_whitening(std::size_t d);

}  // namespace tailcoat
