#include "tailcoat/fit/mean_level.hpp"

#include <algorithm>
#include <cmath>

#include "tailcoat/losses/traits.hpp"
#include "tailcoat/mechanisms/clipped_mean.hpp"

namespace tailcoat {
namespace {

constexpr double kStep = 0.25, kStepOfRates = 0.02;  // of a difference quotient, in units of the fit
constexpr double kProof = 1, kProofOfRates = 2;      // deviations of noise
constexpr double kLeastRate = 0.1;                   // of the one that was released

// By how much the margin is too large, if what is predicted is too much by `residual` on average. The mean rate and
// chance are known from the start; of chances that differ it is more than this, so a step is short rather than long.
double margin_of(const Loss& loss, const Start& start, double residual, double curvature) {
  const LossTraits traits = traits_of(loss);
  if (traits.target == LossTraits::Target::count) return std::log(std::max(1 + residual / start.curvature, kLeastRate));
  if (!traits.exponential()) return residual / curvature;
  const double mean = 1 / (1 + std::exp(-start.margin));
  const double predicted = std::clamp(mean + residual, kLeastRate * mean, 1 - kLeastRate * (1 - mean));
  return std::log(predicted / (1 - predicted)) - start.margin;
}

}  // namespace

Result<LevelStep> release_level(RunContext run, Outlet outlet, const Predictor& predictor, const LevelSetting& setting,
                                Gdp cost) {
  const auto& [start, largest_residual, of_all, uncertainty] = setting;
  const Loss& loss = predictor.loss;
  const bool rates = traits_of(loss).exponential();
  const double step = rates ? kStepOfRates : kStep, n = static_cast<double>(predictor.data->rows());
  const double curvature = rates ? start.curvature : of_all * n / start.labelled;  // of rows with a label
  const Eigen::VectorXd x = predictor.point(), up = predictor.of_intercept(step);
  const Eigen::VectorXd above = x + up, below = x - up;
  TAILCOAT_TRY(column, run.engine.loss_differences(Samples(*predictor.data, loss), view(above), view(below)));
  TAILCOAT_TRY(mean, clipped_mean(run.engine, column, 2 * step * largest_residual, "level", cost, outlet));
  const double residual = mean[0] / (2 * step) * n / start.labelled;
  LevelStep level{.variance = std::pow(2 * largest_residual / (start.labelled * cost.mu * curvature), 2)};
  const double off = margin_of(loss, start, residual, curvature), proof = rates ? kProofOfRates : kProof;
  const double error = (rates ? uncertainty : 0) + std::max(off * off - proof * proof * level.variance, 0.0);
  level.length = error / (error + level.variance);
  level.shift = -level.length * off;
  return level;
}

}  // namespace tailcoat
