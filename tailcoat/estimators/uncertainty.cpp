#include "tailcoat/estimators/uncertainty.hpp"

#include <algorithm>
#include <cmath>

namespace tailcoat {
namespace {

constexpr double kLeastSpread = 0.01;  // of standardised features, in any direction: less is taken for noise
constexpr double kFaint = 3;           // standard errors

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
