#include "tailcoat/estimators/level.hpp"

#include <algorithm>
#include <cmath>

#include "tailcoat/estimators/fit_checks.hpp"
#include "tailcoat/mechanisms/clipped_mean.hpp"

namespace tailcoat {
namespace {

constexpr double kStep = 0.25, kShortStep = 0.02;  // in the units of the fit; the latter where losses are smooth
constexpr double kOtherError = 0.3;                // besides noise: steps are few, and clipped
constexpr double kProof = 2, kProofOfNumbers = 1;  // deviations of noise
constexpr double kLeastRate = 0.1;                 // of the one that was released

// By how much the margin is off, if what is predicted is too much by `residual` on average. For numbers by as much. The
// mean rate and chance are known from the start: of rates the ratio is that of the predictions; of chances that differ
// it is less than this, so a step is short rather than long.
double margin_of(const Loss& loss, const Start& start, double residual) {
  if (is_count(loss)) return std::log(std::max(1 + residual / start.curvature, kLeastRate));
  if (!is_exponential(loss)) return residual;
  const double mean = 1 / (1 + std::exp(-start.margin));
  const double predicted = std::clamp(mean + residual, kLeastRate * mean, 1 - kLeastRate * (1 - mean));
  return std::log(predicted / (1 - predicted)) - start.margin;
}

// What clipping may have left of an error of the level, squared. Clips, which are loose where noise is small, are
// chosen to have as much bias as a gradient has noise in all its directions together; it is more where the step itself
// shows it. Those of losses that grow linearly may have left more.
double other_error(const Loss& loss, double by_noise, Eigen::Index directions, double off, double noise) {
  const double most = kOtherError * kOtherError;
  if (looks_at_residuals(loss)) return most;
  const double proof = is_exponential(loss) ? kProof : kProofOfNumbers;
  const double shown = std::max(off * off - proof * proof * noise, 0.0);
  return std::min(static_cast<double>(directions) * by_noise + shown, most);
}

}  // namespace

Result<void> move_level(Coefficients& found, const LevelSetting& setting, Gdp cost, RunContext run, Outlet outlet) {
  const auto& [descent, whitening, data, start, largest, sampling, tolerated] = setting;
  auto& [w, covariance] = found;
  const bool exponential = is_exponential(descent.loss);
  const double step = exponential ? kShortStep : kStep;
  const Eigen::Index last = w.size() - 1;
  const Eigen::VectorXd x = whitening.root() * w, unit = whitening.root().col(last);
  const Eigen::VectorXd above = x + step * unit, below = x - step * unit;
  TAILCOAT_TRY(differences, run.engine.loss_differences(Samples(data, descent.loss), view(above), view(below)));
  TAILCOAT_TRY(mean, clipped_mean(run.engine, differences, 2 * step * largest, "level", cost, outlet));
  const double share = start.labelled / static_cast<double>(data.rows());  // others add nothing to the mean
  const double released = margin_of(descent.loss, start, mean[0] / (2 * step) / share);
  const double off = std::copysign(std::max(std::abs(released) - tolerated, 0.0), released);
  const double noise = std::pow(2 * largest / (start.labelled * cost.mu) / (exponential ? start.curvature : 1), 2);
  const Eigen::VectorXd row = mean_row(whitening);
  const double by_noise = std::max(variance_of(row, covariance) - sampling, 0.0);
  const double error = by_noise + other_error(descent.loss, by_noise, w.size(), off, noise);
  const double curvature = exponential ? 1 : descent.curvature / share;
  const double length = off == 0 ? 0 : error / (error + noise) / std::max(curvature, 1.0);
  w[last] -= length * off;
  // The part of the error that is gone, and what takes its place.
  const double gone = std::min(length * curvature, 1.0);
  Eigen::MatrixXd moves = Eigen::MatrixXd::Identity(last + 1, last + 1);
  moves.row(last) -= gone * row.transpose();
  covariance = (moves * covariance * moves.transpose()).eval();
  covariance(last, last) += length * length * noise + gone * (2 - gone) * sampling;
  return {};
}

}  // namespace tailcoat
