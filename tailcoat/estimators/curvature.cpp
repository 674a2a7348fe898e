#include "tailcoat/estimators/curvature.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tailcoat {
namespace {

constexpr double kFloorFactor = 1.7;
constexpr double kLeastFloor = 1e-6;
constexpr double kLeastCurvature = 0.05;  // assumed of a direction that noise hides
constexpr double kMostHidden = 0.15;      // a floor below it is no reason to cut rows
constexpr double kLeastCut = 0.3;         // of the squared radius
constexpr double kSeen = 4;               // deviations of noise, of a mean square

}  // namespace

Eigen::VectorXd Whitening::curvatures() const {
  return (moments.array() / floored.array()).cwiseMax(kLeastCurvature).cwiseMin(1);
}

// Noise of variance sigma^2 on the diagonal and sigma^2 / 2 off it has norm about sigma sqrt(2 d).
double noise_floor(std::size_t d, double noise_scale) {
  return std::max(kFloorFactor * noise_scale * std::sqrt(static_cast<double>(d) / 2), kLeastFloor);
}

MomentCut moment_cut(std::size_t d, double radius, double rows, Gdp cost) {
  const double square = radius * radius, floor = noise_floor(d, std::numbers::sqrt2 * square / (rows * cost.mu));
  const double part = std::clamp(kMostHidden / floor, kLeastCut, 1.0);
  return {radius * std::sqrt(part), std::max(1.0, static_cast<double>(d) / (part * square))};
}

bool is_seen(const SecondMoment& moment, std::size_t d, std::size_t column) {
  return moment.matrix[column * d + column] > kSeen * moment.noise_scale;
}

SecondMoment moment_of(const SecondMoment& moment, std::size_t d, std::span<const std::size_t> kept) {
  SecondMoment part{{}, moment.noise_scale};
  for (const std::size_t row : kept)
    for (const std::size_t column : kept) part.matrix.push_back(moment.matrix[row * d + column]);
  return part;
}

Whitening whitening_of(const SecondMoment& moment, std::size_t d) {
  const auto size = static_cast<Eigen::Index>(d);
  const Eigen::MatrixXd matrix = Eigen::Map<const Eigen::MatrixXd>(moment.matrix.data(), size, size);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  const double floor = noise_floor(d, moment.noise_scale);
  return {solver.eigenvectors(), solver.eigenvalues(), solver.eigenvalues().cwiseMax(floor), matrix,
          moment.noise_scale};
}

Whitening no_whitening(std::size_t d) {
  const auto size = static_cast<Eigen::Index>(d);
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(size);
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(size, size);
  return {identity, ones, ones, identity};
}

}  // namespace tailcoat
