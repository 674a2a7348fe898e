#include "tailcoat/fit/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/estimators/uncertainty.hpp"
#include "tailcoat/fit/norms.hpp"
#include "tailcoat/fit/prior.hpp"
#include "tailcoat/losses/traits.hpp"
#include "tailcoat/mechanisms/clipped_gradient.hpp"

namespace tailcoat {
namespace {

constexpr double kLeastSeen = 0.3, kVisible = 5;  // of the rows with a label, that a histogram must show; in noise
constexpr double kNoiseOfClip = 2;                // how much noise counts beside bias
constexpr double kResidualShare = 0.5;            // of a look, where residuals are looked at too
constexpr double kCentralShare = 0.25;            // of the residuals that their density is measured on
constexpr double kLeastWidth = 0.05, kLeastHingeWidth = 0.5;  // of that neighbourhood, in units of the fit
constexpr double kLeastDensity = 0.1;                         // of the rows that should be there
constexpr double kNormalMedian = 0.6745;                      // of |x| under the standard normal law
constexpr double kLeastHuberCurvature = 0.1;
constexpr double kLeastFollowed = 0.2;  // of the curvature at the start
// What may be wrong with a curvature besides noise, relative to it: clipped rows have none, and losses that are no
// parabolas another one everywhere.
constexpr double kCurvatureError = 0.3, kCurvatureErrorOfRates = 0.5;
constexpr int kRefinements = 2;

Gdp part(Gdp cost, double share) { return {mul_down(cost.mu, sqrt_down(share))}; }

class Gathering {
 public:
  Gathering(RunContext run, Outlet outlet, const LabelledData& data, const Loss& loss, const Shape& shape,
            const EvidenceSetting& setting)
      : run_(run),
        outlet_(outlet),
        data_(data),
        asked_(loss),
        traits_(traits_of(loss)),
        shape_(shape),
        setting_(setting),
        n_(static_cast<double>(data.rows())),
        d_(static_cast<double>(data.dimension())) {
    found_.rows = n_;
    found_.start = setting.start;
    found_.loss = loss;
    found_.curvature = begun_ = setting.curvature * setting.labelled / n_;
  }

  Result<Evidence> operator()(const std::function<bool()>& tick) {
    Eigen::VectorXd x = found_.start;
    for (std::size_t t = 0; t < setting_.steps; ++t) {
      if (!tick()) return system_error("stopped");
      if (looks_at(t)) TAILCOAT_CHECK(choose_clip(x));
      const std::string what = fmt::format("{}gradient, step {}", setting_.of, t + 1);
      const Gdp cost = part(setting_.gradients, 1 / static_cast<double>(setting_.steps));
      TAILCOAT_TRY(gradient, clipped_gradient(run_.engine, samples(), view(x), found_.clip, what, cost, outlet_));
      found_.gradients.push_back(
          {x, Eigen::Map<const Eigen::VectorXd>(gradient.mean.data(), x.size()), gradient.noise, found_.curvature});
      x = best_point(found_, shape_);
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] Samples samples() const { return {data_, found_.loss}; }

  // At the start, after a quarter and after half of the steps.
  [[nodiscard]] bool looks_at(std::size_t t) const {
    const std::size_t at[] = {0, std::max<std::size_t>(1, setting_.steps / 4),
                              std::max<std::size_t>(2, setting_.steps / 2)};
    return std::find(at, at + setting_.looks, t) != at + setting_.looks;
  }

  Result<void> choose_clip(const Eigen::VectorXd& x) {
    const Gdp cost = part(setting_.norms, 1 / static_cast<double>(setting_.looks));
    const bool residuals = traits_.sees_residuals();
    if (residuals) TAILCOAT_CHECK(look_at_residuals(x, part(cost, kResidualShare)));
    TAILCOAT_TRY(column, run_.engine.gradient_norms(samples(), view(x)));
    TAILCOAT_TRY(
        norms, Magnitudes::release(run_.engine, column, Magnitudes::Signs::positive, setting_.of + "norms of gradients",
                                   residuals ? part(cost, 1 - kResidualShare) : cost, outlet_));
    const double root = std::sqrt(d_), labelled = setting_.labelled;
    const bool few =
        !traits_.zero_gradients && (norms.rows() < kLeastSeen * labelled || kVisible * norms.noise() > labelled);
    if (norms.empty() || few) {  // a run of noise alone may be anywhere
      if (found_.clip == 0)
        found_.clip = std::max(std::sqrt(begun_), traits_.least_clip) * root, found_.mean_square = begun_ * d_ / 4;
      return {};
    }
    const double best = norms.best_limit(n_, kNoiseOfClip * root * 2 / (n_ * setting_.gradients.mu));
    found_.clip = std::max(best, traits_.least_clip * root);
    found_.clipped_share = std::min(norms.rows_beyond(found_.clip) / n_, 1.0);
    found_.mean_square = norms.square_sum(found_.clip) / n_;
    // At the truth the second moment of the gradients of a likelihood is its curvature.
    if (traits_.curvature == LossTraits::Curvature::likelihood)
      found_.curvature = std::clamp(found_.mean_square / shape_.curvature.sum(), kLeastFollowed * begun_, begun_);
    return {};
  }

  // The scale of residuals for Huber's loss; their density at the kink, which is the curvature, for the others.
  Result<void> look_at_residuals(const Eigen::VectorXd& x, Gdp cost) {
    TAILCOAT_TRY(column, run_.engine.residuals(samples(), view(x)));
    TAILCOAT_TRY(seen, Magnitudes::release(run_.engine, column, Magnitudes::Signs::both, setting_.of + "residuals",
                                           cost, outlet_));
    if (seen.empty()) return {};
    const double labelled = setting_.labelled;
    if (const auto* huber = std::get_if<HuberLoss>(&asked_)) {
      const double delta = huber->delta * seen.median() / kNormalMedian;
      found_.loss = HuberLoss{delta};
      const double outside = seen.rows() - seen.rows_within(delta);
      found_.curvature = std::clamp(1 - outside / labelled, kLeastHuberCurvature, 1.0) * labelled / n_;
      return {};
    }
    // Many residuals may be 0: the density is that of a neighbourhood that a step can cross.
    const double least = traits_.zero_gradients ? kLeastHingeWidth : kLeastWidth;
    const double width = std::max(seen.quantile(kCentralShare), least);
    // Residuals of 0 are in no bar; those of rows without a label are no residuals.
    const double within = seen.rows_within(width) + std::max(labelled - seen.rows(), 0.0);
    found_.curvature =
        traits_.kink_jump * std::max(within, kLeastDensity * kCentralShare * labelled) / (2 * width * n_);
    return {};
  }

  RunContext run_;
  Outlet outlet_;
  const LabelledData& data_;
  const Loss& asked_;
  LossTraits traits_;
  const Shape& shape_;
  const EvidenceSetting& setting_;
  double n_, d_, begun_;
  Evidence found_;
};

// Gradients count by their noise, and the less the further from `centre` they were taken, by what is not known of the
// curvature.
Optimum optimum_around(const Evidence& evidence, const Shape& shape, const Eigen::VectorXd& centre) {
  const double error = traits_of(evidence.loss).exponential() ? kCurvatureErrorOfRates : kCurvatureError;
  const Eigen::ArrayXd k = shape.curvature.array(), noise = shape.curvature_noise.array();
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(k.size()), weights = sum;
  for (const auto& [at, gradient, deviation, curvature] : evidence.gradients) {
    const Eigen::ArrayXd away = (at - centre).array().square();
    const Eigen::ArrayXd variance =
        std::pow(deviation / curvature, 2) + noise * ((noise * away).sum() / 2) + (error * k).square() * away;
    sum += (k * at.array() - gradient.array() / curvature) / variance;
    weights += variance.inverse();
  }
  return {sum / weights, weights.inverse()};
}

}  // namespace

Optimum optimum_of(const Evidence& evidence, const Shape& shape) {
  return optimum_around(evidence, shape, best_point(evidence, shape));
}

Eigen::VectorXd best_point(const Evidence& evidence, const Shape& shape) {
  const auto d = static_cast<double>(shape.size());
  const double sampling = evidence.mean_square / (d * evidence.rows * std::pow(evidence.curvature, 2));
  Eigen::VectorXd x = evidence.gradients.back().at;
  for (int i = 0; i < kRefinements; ++i) {
    const Optimum optimum = optimum_around(evidence, shape, x);
    const Eigen::VectorXd away = optimum.value - shape.curvature.cwiseProduct(evidence.start);
    x = evidence.start + shrunk(away, shape.curvature, (optimum.variance.array() + sampling).matrix(),
                                size_prior(evidence.loss, shape.size()));
  }
  return x;
}

Result<Evidence> gather(RunContext run, Outlet outlet, const LabelledData& data, const Loss& loss, const Shape& shape,
                        const EvidenceSetting& setting, const std::function<bool()>& tick) {
  return Gathering(run, outlet, data, loss, shape, setting)(tick);
}

}  // namespace tailcoat
