#include "tailcoat/fit/posterior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tailcoat/estimators/uncertainty.hpp"
#include "tailcoat/fit/prior.hpp"
#include "tailcoat/mechanisms/second_moment.hpp"

namespace tailcoat {
namespace {

constexpr double kMostMomentNoise = 0.3;  // of second moments that are worth their price, relative to their entries
constexpr double kLeastMoment = 0.25;     // of the gradients in any direction, relative to the mean one

// Coefficients from effects and, last, the margin of the mean row.
Eigen::MatrixXd coefficients_of_effects(const Terms& terms, const Shape& shape) {
  const Eigen::Index d = shape.size(), effects = d - 1;
  Eigen::MatrixXd map = Eigen::MatrixXd::Identity(d, d);
  map.topLeftCorner(effects, effects) = terms.to_coefficients;
  map.row(effects).head(effects) = -shape.mean_row.head(effects).transpose() * terms.to_coefficients;
  return map;
}

}  // namespace

Result<Eigen::MatrixXd> release_gradient_moments(RunContext run, Outlet outlet, const LabelledData& data,
                                                 const Evidence& evidence, const Shape& shape, Gdp cost) {
  const Eigen::Index d = shape.size();
  const double each = evidence.mean_square / static_cast<double>(d), square = evidence.clip * evidence.clip;
  if (!(std::numbers::sqrt2 * square < kMostMomentNoise * each * static_cast<double>(data.rows()) * cost.mu))
    return Eigen::MatrixXd(each * Eigen::MatrixXd::Identity(d, d));
  const Eigen::VectorXd x = best_point(evidence, shape);
  TAILCOAT_TRY(released,
               gradient_second_moment(run.engine, Samples(data, evidence.loss), view(x), evidence.clip, cost, outlet));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      Eigen::Map<const Eigen::MatrixXd>(released.matrix.data(), d, d));
  const Eigen::VectorXd moments = solver.eigenvalues().cwiseMax(kLeastMoment * each);
  return Eigen::MatrixXd(solver.eigenvectors() * moments.asDiagonal() * solver.eigenvectors().transpose());
}

Posterior infer(const Evidence& evidence, const Shape& shape, const Terms& terms,
                const Eigen::MatrixXd& gradient_moments, double rows, double intercept, double level_variance) {
  const Eigen::Index d = shape.size();
  const Optimum optimum = optimum_of(evidence, shape);
  const Eigen::MatrixXd sampling = gradient_moments / (rows * evidence.curvature * evidence.curvature);
  Eigen::MatrixXd errors = sampling;
  errors.diagonal() += optimum.variance;
  const Eigen::MatrixXd map = coefficients_of_effects(terms, shape);
  const Eigen::MatrixXd seen = shape.curvature.asDiagonal() * shape.inverse * map;
  const Eigen::LLT<Eigen::MatrixXd> precision(errors);
  const NormalEquations equations{
      seen.transpose() * precision.solve(seen),
      seen.transpose() * precision.solve(optimum.value - shape.curvature.cwiseProduct(evidence.start))};
  Eigen::VectorXd fixed = Eigen::VectorXd::Constant(d, std::numeric_limits<double>::quiet_NaN());
  fixed[d - 1] = level_variance;
  std::vector<std::size_t> group = terms.group;
  group.push_back(0);
  const Belief belief =
      posterior_of(equations, effect_variances(equations, group, fixed, size_prior(evidence.loss, d)));
  Posterior posterior{map * belief.mean, map * belief.covariance * map.transpose(), sampling.trace() / errors.trace()};
  posterior.mean[d - 1] += intercept;
  return posterior;
}

}  // namespace tailcoat
