#include "tailcoat/fit/posterior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tailcoat/estimators/uncertainty.hpp"
#include "tailcoat/fit/prior.hpp"
#include "tailcoat/losses/traits.hpp"
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

Result<GradientMoments> release_gradient_moments(RunContext run, Outlet outlet, const LabelledData& data,
                                                 const Evidence& evidence, const Shape& shape, Gdp cost) {
  const Eigen::Index d = shape.size();
  const double each = evidence.mean_square / static_cast<double>(d), square = evidence.clip * evidence.clip;
  if (!(std::numbers::sqrt2 * square < kMostMomentNoise * each * static_cast<double>(data.rows()) * cost.mu))
    return GradientMoments{each * Eigen::MatrixXd::Identity(d, d)};
  const Eigen::VectorXd x = best_point(evidence, shape);
  TAILCOAT_TRY(released,
               gradient_second_moment(run.engine, Samples(data, evidence.loss), view(x), evidence.clip, cost, outlet));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      Eigen::Map<const Eigen::MatrixXd>(released.matrix.data(), d, d));
  const Eigen::VectorXd moments = solver.eigenvalues().cwiseMax(kLeastMoment * each);
  const LossTraits traits = traits_of(evidence.loss);
  const bool likelihood = traits.curvature == LossTraits::Curvature::likelihood;
  const bool clear = released.noise_scale * std::sqrt(2 * static_cast<double>(d)) < kLeastMoment * each;
  return GradientMoments{solver.eigenvectors() * moments.asDiagonal() * solver.eigenvectors().transpose(),
                         likelihood && (traits.bounded_slope || clear)};
}

Posterior infer(const Evidence& evidence, const Shape& shape, const Terms& terms, const GradientMoments& moments,
                double rows, double intercept, double level_variance) {
  const Eigen::Index d = shape.size();
  const Optimum optimum = optimum_of(evidence, shape);
  const Eigen::MatrixXd sampling = moments.matrix / (rows * evidence.curvature * evidence.curvature);
  Eigen::MatrixXd errors = sampling;
  errors.diagonal() += optimum.variance;
  const Eigen::MatrixXd map = coefficients_of_effects(terms, shape);
  const Eigen::LLT<Eigen::MatrixXd> precision(errors);
  const auto equations = [&](const Eigen::MatrixXd& curvature) -> NormalEquations {
    const Eigen::MatrixXd seen = curvature * shape.inverse * map;
    return {seen.transpose() * precision.solve(seen),
            seen.transpose() * precision.solve(optimum.value - shape.curvature.cwiseProduct(evidence.start))};
  };
  Eigen::VectorXd fixed = Eigen::VectorXd::Constant(d, std::numeric_limits<double>::quiet_NaN());
  fixed[d - 1] = level_variance;
  std::vector<std::size_t> group = terms.group;
  group.push_back(0);
  const NormalEquations found = equations(shape.curvature.asDiagonal());
  const Eigen::VectorXd variances = effect_variances(found, group, fixed, size_prior(evidence.loss, d));
  Belief belief = posterior_of(found, variances);
  // The steps have come to the truth with any curvature; how far noise leads astray is a matter of the true one.
  if (moments.are_curvature)
    belief.covariance = posterior_of(equations(moments.matrix / evidence.curvature), variances).covariance;
  Posterior posterior{map * belief.mean, map * belief.covariance * map.transpose(), sampling.trace() / errors.trace()};
  posterior.mean[d - 1] += intercept;
  return posterior;
}

}  // namespace tailcoat
