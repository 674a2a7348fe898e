#include "tailcoat/estimators/uncertainty.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tailcoat/estimators/fit_checks.hpp"

namespace tailcoat {
namespace {

constexpr double kMomentNoise = 0.3;   // of a second moment that is worth its price, relative to its entries
constexpr double kLeastMoment = 0.25;  // of the gradients in any direction, relative to the mean one
constexpr double kLeastSpread = 0.01;  // of standardised features, in any direction: less is taken for noise
constexpr double kFaint = 3;           // standard errors

// Noise may have made a matrix of second moments indefinite.
Eigen::MatrixXd with_least_eigenvalue(const Eigen::MatrixXd& matrix, double least) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  const Eigen::MatrixXd& vectors = solver.eigenvectors();
  return vectors * solver.eigenvalues().cwiseMax(least).asDiagonal() * vectors.transpose();
}

// Directions of the descent, and how much curvature they have.
struct Axes {
  Eigen::MatrixXd directions;  // in columns
  Eigen::VectorXd curvatures;

  [[nodiscard]] Eigen::MatrixXd with(const Eigen::VectorXd& diagonal) const {
    return directions * diagonal.asDiagonal() * directions.transpose();
  }
};

// As if a descent were never too fast: where it was, it has been slowed down.
Axes axes_of(const Eigen::MatrixXd& curvature) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(curvature);
  return {solver.eigenvectors(), solver.eigenvalues().cwiseMin(1)};
}

// The covariance of the features, as the released second moment has it.
Eigen::MatrixXd spread_of(const Whitening& whitening) {
  const Eigen::Index slopes = whitening.moment.rows() - 1;
  const Eigen::VectorXd mean = mean_row(whitening);
  const Eigen::MatrixXd noisy = (whitening.moment - mean * mean.transpose()).topLeftCorner(slopes, slopes);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(noisy);
  const double floor = whitening.floored.minCoeff();
  // Eigenvalues that noise hides are far off each, but not on average: noise has no trace.
  const Eigen::ArrayXd values = solver.eigenvalues().array(), hidden = (values < floor).cast<double>();
  const double mean_hidden = (values * hidden).sum() / std::max(hidden.sum(), 1.0);
  const Eigen::VectorXd known = (hidden > 0).select(mean_hidden, values).max(kLeastSpread);
  return solver.eigenvectors() * known.asDiagonal() * solver.eigenvectors().transpose();
}

}  // namespace

// Rows without a label have a gradient of 0 and count in n throughout: in the moment of the gradients, which is that of
// a row with a label times their share q, and in the curvature, likewise. Hence sampling has the variance q / (q^2 n).
Result<Errors> errors_of(const Descent& descent, const Whitening& whitening, const LabelledData& data, Gdp cost,
                         RunContext run, Outlet outlet) {
  const auto d = static_cast<Eigen::Index>(data.dimension());
  const auto rows = static_cast<double>(data.rows());
  const double per_direction = descent.mean_square / static_cast<double>(d);
  Eigen::MatrixXd moment = per_direction * Eigen::MatrixXd::Identity(d, d);
  Axes axes{whitening.directions, whitening.curvatures()};
  if (std::numbers::sqrt2 * descent.clip * descent.clip / (rows * cost.mu) < kMomentNoise * per_direction) {
    const Samples samples(data, descent.loss);
    TAILCOAT_TRY(released, gradient_second_moment(run.engine, samples, descent.x, descent.clip, cost, outlet));
    moment = with_least_eigenvalue(Eigen::Map<const Eigen::MatrixXd>(released.matrix.data(), d, d),
                                   kLeastMoment * per_direction);
    // At the truth the second moment of the gradients of a likelihood is its curvature. Noise may add to eigenvalues;
    // errors of counts must not be taken for too small.
    const bool clear = released.noise_scale * std::sqrt(2.0 * static_cast<double>(d)) < kLeastMoment * per_direction;
    if (std::holds_alternative<LogisticLoss>(descent.loss) || (clear && is_count(descent.loss)))
      axes = axes_of(moment / descent.curvature);
  }
  Eigen::VectorXd noise = Eigen::VectorXd::Zero(d), response = Eigen::VectorXd::Zero(d);
  for (Eigen::Index j = 0; j < d; ++j) {
    const std::vector<double> responses = gradient_responses(descent.path, axes.curvatures[j]);
    for (std::size_t t = 0; t < responses.size(); ++t) {
      noise[j] += std::pow(responses[t] * descent.noise[t], 2);
      response[j] += responses[t];
    }
  }
  const Eigen::MatrixXd back = whitening.root_inverse() / descent.curvature;
  const Eigen::MatrixXd answer = axes.with(response);
  return Errors{back * axes.with(noise) * back, back * (answer * moment * answer / rows) * back};
}

Dropped drop_faint(Coefficients& coefficients, std::vector<Turn> turns) {
  auto& [w, covariance] = coefficients;
  Dropped dropped{Eigen::MatrixXd::Identity(w.size(), w.size()), {}};
  const auto deviations = [&](const Eigen::VectorXd& of) {
    return std::abs(of.dot(w)) / std::sqrt(of.dot(covariance * of));
  };
  const auto unit = [&](Eigen::Index j) -> Eigen::VectorXd { return Eigen::VectorXd::Unit(w.size(), j); };
  // The others move to where they are best if `none` of the coefficients is 0.
  const auto make_zero = [&](const Eigen::VectorXd& none) {
    const Eigen::VectorXd column = covariance * none / none.dot(covariance * none);
    w -= column * none.dot(w);
    covariance -= column * (none.transpose() * covariance).eval();
    dropped.moves -= column * (none.transpose() * dropped.moves).eval();
  };
  while (!turns.empty()) {
    auto faintest = turns.begin();
    Eigen::VectorXd none;  // what is 0 if there is no such turn
    double least = HUGE_VAL;
    const auto consider = [&](std::vector<Turn>::iterator turn, const Eigen::VectorXd& of) {
      const double away = deviations(of);
      if (away < least) least = away, faintest = turn, none = of;
    };
    for (auto turn = turns.begin(); turn != turns.end(); ++turn) {
      if (!turn->bend) consider(turn, unit(turn->at));
      if (turn->bend || deviations(unit(turn->before)) > kFaint)
        consider(turn, unit(turn->at) - turn->unit * unit(turn->before));
    }
    if (least > kFaint) break;
    make_zero(none);
    if (faintest->bend) dropped.straight.push_back(*faintest);
    turns.erase(faintest);
  }
  for (const Turn& turn : turns) {
    const double before = turn.unit * w[turn.before];
    const bool steep = w[turn.at] * before < 0 && std::abs(w[turn.at]) > std::abs(before);
    if (!turn.bend && steep && deviations(unit(turn.before)) > kFaint)
      make_zero(unit(turn.at) + turn.unit * unit(turn.before));
  }
  return dropped;
}

double variance_of(const Eigen::VectorXd& row, const Eigen::MatrixXd& covariance) {
  return std::max(row.dot(covariance * row), 0.0);
}

Eigen::VectorXd mean_row(const Whitening& whitening) {
  const Eigen::Index last = whitening.moment.rows() - 1;
  return whitening.moment.col(last) / std::max(whitening.moment(last, last), 0.1);
}

double margin_error(const Coefficients& coefficients, const Whitening& whitening) {
  const Eigen::Index slopes = coefficients.values.size() - 1;
  return std::max((spread_of(whitening) * coefficients.covariance.topLeftCorner(slopes, slopes)).trace(), 0.0);
}

double size_of_slopes(const Coefficients& coefficients, const Whitening& whitening) {
  const auto slopes = coefficients.values.head(coefficients.values.size() - 1);
  return slopes.dot(spread_of(whitening) * slopes);
}

double shrink(Coefficients& coefficients, const Whitening& whitening, double share) {
  auto& [w, covariance] = coefficients;
  const Eigen::Index slopes = w.size() - 1;
  const Eigen::VectorXd mean = mean_row(whitening);
  const double size = size_of_slopes(coefficients, whitening);
  const double by_errors = share * margin_error(coefficients, whitening);
  const double kept = size > 0 ? std::clamp(1 - by_errors / size, 0.0, 1.0) : 0;
  // Slopes times `factor`; the intercept takes over what the mean row loses.
  const auto change = [&](double factor) {
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(w.size(), w.size());
    matrix.diagonal().head(slopes).setConstant(factor);
    matrix.row(slopes).head(slopes) = (1 - factor) * mean.head(slopes).transpose();
    return matrix;
  };
  w = (change(kept) * w).eval();
  // Of slopes that vary by as much as these do, the shrunk ones are off by `kept` times the variance: what is left of
  // errors has kept^2 of it, what is lost of the slopes kept (1 - kept).
  const Eigen::MatrixXd root = change(std::sqrt(kept));
  covariance = (root * covariance * root.transpose()).eval();
  return kept;
}

}  // namespace tailcoat
