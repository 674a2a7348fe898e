#include "tailcoat/fit/shape.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tailcoat {
namespace {

constexpr double kFloor = 2;  // times the deviation at which a matrix of noise has most of its eigenvalues
constexpr double kLeastFloor = 1e-6;
constexpr double kMostHidden = 0.15;                             // a floor below it is no reason to cut rows
constexpr double kLeastCut = 0.3;                                // of the squared radius
constexpr double kHidden = 0.35, kHiddenWhereLossesCurve = 0.7;  // least curvature assumed of what noise hides

double floor_of(double d, double noise_scale) { return std::max(kFloor * noise_scale * std::sqrt(d / 2), kLeastFloor); }

// Rows are cut where noise would hide much: it falls with the squared radius, the moments by less.
double cut_of(double d, double square, double noise_per_square) {
  const double floor = kFloor * noise_per_square * square * std::sqrt(d / 2);
  return square * std::clamp(kMostHidden / floor, kLeastCut, 1.0);
}

}  // namespace

double Shape::margin_variance(const Eigen::VectorXd& coefficients) const {
  const Eigen::Index slopes = size() - 1;
  const auto w = coefficients.head(slopes);
  const double mean = mean_row.head(slopes).dot(w);
  return w.dot(moment.topLeftCorner(slopes, slopes) * w) - moment(slopes, slopes) * mean * mean;
}

Result<Shape> release_shape(Engine& engine, const RowData& rows, double radius, bool follows, Gdp cost, Outlet outlet,
                            const char* what) {
  const auto size = static_cast<Eigen::Index>(rows.dimension());
  const auto d = static_cast<double>(size), n = static_cast<double>(rows.rows());
  const double square = follows ? radius * radius : cut_of(d, radius * radius, std::numbers::sqrt2 / (n * cost.mu));
  TAILCOAT_TRY(released, second_moment(engine, rows, std::sqrt(square), cost, outlet, what));
  const double scale = std::max(1.0, d / square);  // to those of rows of squared norm d
  const double noise = scale * released.noise_scale, floor = floor_of(d, noise);
  Shape shape;
  shape.moment = scale * Eigen::Map<const Eigen::MatrixXd>(released.matrix.data(), size, size);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(shape.moment);
  const Eigen::ArrayXd moments = solver.eigenvalues().array(), floored = moments.max(floor);
  const Eigen::ArrayXd hidden = (moments < floor).cast<double>();
  // Noise has no trace: what it hides is right on average.
  const double mean_hidden = std::max((moments * hidden).sum() / std::max(hidden.sum(), 1.0), 0.0);
  const Eigen::ArrayXd guess =
      (0.5 * (mean_hidden + moments.max(0)) / floor).max(follows ? kHiddenWhereLossesCurve : kHidden).min(1);
  shape.curvature = (hidden > 0).select(guess, 1.0);
  shape.curvature_noise = noise / floored;
  shape.map = solver.eigenvectors() * floored.rsqrt().matrix().asDiagonal();
  shape.inverse = floored.sqrt().matrix().asDiagonal() * solver.eigenvectors().transpose();
  shape.mean_row = shape.moment.col(size - 1) / std::max(shape.moment(size - 1, size - 1), 0.1);
  return shape;
}

Shape constant_shape() {
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(1, 1);
  return {.moment = one,
          .map = one,
          .inverse = one,
          .curvature = Eigen::VectorXd::Ones(1),
          .curvature_noise = Eigen::VectorXd::Zero(1),
          .mean_row = Eigen::VectorXd::Ones(1)};
}

}  // namespace tailcoat
