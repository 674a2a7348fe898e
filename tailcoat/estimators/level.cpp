#include "tailcoat/estimators/level.hpp"

#include <algorithm>
#include <cmath>

#include "tailcoat/mechanisms/clipped_mean.hpp"

namespace tailcoat {
namespace {

constexpr double kStep = 0.25;          // in the units of the fit
constexpr double kLargestResidual = 3;  // that counts
constexpr double kOtherError = 0.3;     // besides noise: steps are few, and clipped

std::span<const double> view(const Eigen::VectorXd& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

}  // namespace

Result<void> move_level(Coefficients& found, const LevelSetting& setting, Gdp cost, RunContext run, Outlet outlet) {
  const auto& [descent, whitening, data, labelled, sampling] = setting;
  auto& [w, covariance] = found;
  const Eigen::Index last = w.size() - 1;
  const Eigen::VectorXd x = whitening.root() * w, unit = whitening.root().col(last);
  const Eigen::VectorXd above = x + kStep * unit, below = x - kStep * unit;
  TAILCOAT_TRY(differences, run.engine.loss_differences(Samples(data, descent.loss), view(above), view(below)));
  const double largest = looks_at_residuals(descent.loss) ? 1 : kLargestResidual;
  TAILCOAT_TRY(mean, clipped_mean(run.engine, differences, 2 * kStep * largest, "level", cost, outlet));
  const double share = labelled / static_cast<double>(data.rows());  // others add nothing to the mean
  const double slope = mean[0] / (2 * kStep) / share, noise = std::pow(2 * largest / (labelled * cost.mu), 2);
  const Eigen::VectorXd row = mean_row(whitening);
  const double error = std::max(variance_of(row, covariance) - sampling, 0.0) + kOtherError * kOtherError;
  const double curvature = descent.curvature / share, length = error / (error + noise) / std::max(curvature, 1.0);
  w[last] -= length * slope;
  // The part of the error that is gone, and what takes its place.
  const double gone = std::min(length * curvature, 1.0);
  Eigen::MatrixXd moves = Eigen::MatrixXd::Identity(last + 1, last + 1);
  moves.row(last) -= gone * row.transpose();
  covariance = (moves * covariance * moves.transpose()).eval();
  covariance(last, last) += length * length * noise + gone * (2 - gone) * sampling;
  return {};
}

}  // namespace tailcoat
