#include "tailcoat/fit/assemble.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace tailcoat {
namespace {

Estimate estimate(double value, double standard_error, double confidence) {
  const double z = boost::math::quantile(complement(boost::math::normal(), (1 - confidence) / 2));
  return {value, standard_error, value - z * standard_error, value + z * standard_error};
}

}  // namespace

LinearPart assemble(const Posterior& posterior, const Terms& terms, const Feature& unit, const Curve& curve,
                    double confidence) {
  const Eigen::VectorXd& w = posterior.mean;
  const Eigen::Index last = w.size() - 1;
  LinearPart part;
  for (const Feature& feature : terms.features)  // some have none: reference levels, empty columns
    part.coefficients.push_back(is_of_text(feature.kind) ? Estimate{} : left_out());
  Eigen::VectorXd to_intercept = Eigen::VectorXd::Unit(w.size(), last);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto j = static_cast<Eigen::Index>(i);
    const double scale = unit.scale / terms[i].scale;
    const double error = std::sqrt(std::max(posterior.covariance(j, j), 0.0));
    part.coefficients[terms.fitted[i]] =
        w[j] == 0 && error == 0 ? left_out() : estimate(scale * w[j], scale * error, confidence);
    to_intercept[j] = -terms[i].centre / terms[i].scale;
  }
  const double variance = std::max(to_intercept.dot(posterior.covariance * to_intercept), 0.0);
  part.intercept =
      estimate(unit.centre + unit.scale * to_intercept.dot(w), unit.scale * std::sqrt(variance), confidence);
  part.curve = {unit.centre + unit.scale * curve.knot, curve.below, curve.above};
  return part;
}

void report_limits(Fit& fit, const Posterior& posterior, const Shape& shape, double unit, double clipped_share,
                   double share_of_parts) {
  const Eigen::MatrixXd& c = posterior.covariance;
  const double variance = std::max((shape.moment * c).trace(), 0.0) * unit * unit;
  const auto add = [&](double& of, double part) { of = std::sqrt(of * of + share_of_parts * part); };
  add(fit.limits.sampling, posterior.sampling_share * variance);
  add(fit.limits.privacy_noise, (1 - posterior.sampling_share) * variance);
  fit.limits.clipped_share += share_of_parts * clipped_share;
}

}  // namespace tailcoat
