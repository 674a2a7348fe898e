#include "tailcoat/estimators/settle.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tailcoat/estimators/fit_checks.hpp"

namespace tailcoat {
namespace {

constexpr double kMomentNoise = 0.3;   // of a second moment that is worth its price, relative to its entries
constexpr double kLeastMoment = 0.25;  // of the gradients in any direction, relative to the mean one
constexpr double kClear = 0.7;         // a relative curvature that may be divided by,
constexpr double kSure = 3;            // and how many deviations of its noise it must be
// What may be wrong with it besides noise: clipped rows have none; that of chances is another everywhere.
constexpr double kCurvatureError = 0.3, kCurvatureErrorOfChances = 1.5;
constexpr double kLeastCurvature = 0.05;
constexpr double kMostLeft = 0.9;  // of the way, in a direction whose curvature is next to nothing

// Noise may have made a matrix of second moments indefinite.
Eigen::MatrixXd with_least_eigenvalue(const Eigen::MatrixXd& matrix, double least) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  const Eigen::MatrixXd& vectors = solver.eigenvectors();
  return vectors * solver.eigenvalues().cwiseMax(least).asDiagonal() * vectors.transpose();
}

// Directions of the descent, and how much curvature they have; the noise of that.
struct Axes {
  Eigen::MatrixXd directions;  // in columns
  Eigen::VectorXd curvatures, noise;

  [[nodiscard]] Eigen::MatrixXd with(const Eigen::VectorXd& diagonal) const {
    return directions * diagonal.asDiagonal() * directions.transpose();
  }
};

// As if a descent were never too fast: where it was, it has been slowed down.
Axes axes_of(const Eigen::MatrixXd& curvature, const Whitening& whitening) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(curvature);
  const Eigen::MatrixXd& q = solver.eigenvectors();
  const Eigen::MatrixXd inverse = whitening.with(whitening.floored.cwiseInverse());
  return {q, solver.eigenvalues().cwiseMin(1), whitening.noise * (q.transpose() * inverse * q).diagonal()};
}

// Gradients of a kinked loss say little about its curvature, and those of rates change with them.
bool is_nearly_quadratic(const Loss& loss) {
  return std::holds_alternative<SquaredLoss>(loss) || std::holds_alternative<HuberLoss>(loss) ||
         std::holds_alternative<LogisticLoss>(loss);
}

// Of one direction: the coefficient, the variance that noise gives it, and what it makes of an error that all gradients
// have.
struct Place {
  double x, noise, response;
};

// At a point x_t with gradient g_t, x_t - g_t / h is where the loss is least, as far as its curvature h is known. The
// mean of that over the sights has less noise than the last iterate. Sights count by the noise of their gradient, and
// less the further off they are, by what is not known of the curvature.
class Sights {
 public:
  Sights(const Descent& descent, const Axes& axes)
      : axes_(axes),
        curvature_(descent.curvature),
        curvature_error_(std::holds_alternative<LogisticLoss>(descent.loss) ? kCurvatureErrorOfChances
                                                                            : kCurvatureError) {
    const auto rotated = [&](const std::vector<double>& v) -> Eigen::VectorXd {
      return axes.directions.transpose() *
             Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
    };
    from_ = rotated(descent.from);
    last_ = rotated(descent.x);
    for (const Sight& sight : descent.sights)
      sights_.push_back({rotated(sight.at), rotated(sight.gradient) / curvature_, sight.noise / curvature_});
  }

  [[nodiscard]] bool empty() const { return sights_.empty(); }
  [[nodiscard]] const Eigen::VectorXd& from() const { return from_; }
  [[nodiscard]] const Eigen::VectorXd& last() const { return last_; }

  [[nodiscard]] Place mean(Eigen::Index j) const {
    const double h = axes_.curvatures[j];
    double sum = 0, of_points = 0, of_noise = 0;
    for (const auto& [at, gradient, noise] : sights_) {
      const Eigen::VectorXd away = at - last_;
      const double by_matrix = axes_.noise[j] * axes_.noise.dot(away.cwiseAbs2()) / 2;
      const double variance = std::pow(noise / h, 2) + by_matrix + std::pow(curvature_error_ * away[j], 2);
      sum += 1 / variance;
      of_points += (at[j] - gradient[j] / h) / variance;
      of_noise += std::pow(noise / h / variance, 2);
    }
    return {of_points / sum, std::pow(curvature_ / sum, 2) * of_noise, 1 / h};
  }

 private:
  struct Seen {
    Eigen::VectorXd at, gradient;
    double noise;
  };

  const Axes& axes_;
  double curvature_, curvature_error_;
  Eigen::VectorXd from_, last_;
  std::vector<Seen> sights_;
};

// Of the way from where a descent began, in a direction of this curvature.
double left_of_way(const Path& path, double curvature) {
  double sum = 0;
  for (const double response : gradient_responses(path, curvature)) sum += response;
  return 1 + curvature * sum;
}

// Of the way, as the root of a mean over what the curvature may be, of a normal law at three points. The eigenvalues of
// a matrix of noise have a deviation of sqrt(d / 2) times that of its diagonal, and directions are chosen by such
// eigenvalues.
double left_of_way(const Path& path, const Axes& axes, Eigen::Index j) {
  const double of_noise = axes.noise[j] * std::sqrt(static_cast<double>(axes.noise.size()) / 2);
  const double h = axes.curvatures[j], off = std::numbers::sqrt3 * of_noise;
  const auto left = [&](double curvature) {
    return std::pow(left_of_way(path, std::clamp(curvature, kLeastCurvature, 1.0)), 2);
  };
  return std::sqrt((left(h - off) + 4 * left(h) + left(h + off)) / 6);
}

// The square of what may be left of a way, of which a descent has `gone` the share 1 - left; of a way of this length at
// least, before anything was known.
double unlearned(double left, double gone, double length) {
  return std::pow(left * std::max(std::abs(gone) / (1 - std::min(left, kMostLeft)), length), 2);
}

Place last_iterate(const Descent& descent, double curvature, double x) {
  Place place{x, 0, 0};
  const std::vector<double> responses = gradient_responses(descent.path, curvature);
  for (std::size_t t = 0; t < responses.size(); ++t) {
    place.noise += std::pow(responses[t] * descent.noise[t], 2);
    place.response += responses[t];
  }
  return place;
}

}  // namespace

// Rows without a label have a gradient of 0 and count in n throughout: in the moment of the gradients, which is that of
// a row with a label times their share q, and in the curvature, likewise. Hence sampling has the variance q / (q^2 n).
Result<Settled> settle(const Descent& descent, const Whitening& whitening, const LabelledData& data, Gdp cost,
                       RunContext run, Outlet outlet) {
  const auto d = static_cast<Eigen::Index>(data.dimension());
  const auto rows = static_cast<double>(data.rows());
  const double per_direction = descent.mean_square / static_cast<double>(d);
  Eigen::MatrixXd moment = per_direction * Eigen::MatrixXd::Identity(d, d);
  Axes axes{whitening.directions, whitening.curvatures(), whitening.noise * whitening.floored.cwiseInverse()};
  if (std::numbers::sqrt2 * descent.clip * descent.clip < kMomentNoise * per_direction * rows * cost.mu) {
    const Samples samples(data, descent.loss);
    TAILCOAT_TRY(released, gradient_second_moment(run.engine, samples, descent.x, descent.clip, cost, outlet));
    moment = with_least_eigenvalue(Eigen::Map<const Eigen::MatrixXd>(released.matrix.data(), d, d),
                                   kLeastMoment * per_direction);
    // At the truth the second moment of the gradients of a likelihood is its curvature. Noise may add to eigenvalues;
    // errors of counts must not be taken for too small.
    const bool clear = released.noise_scale * std::sqrt(2.0 * static_cast<double>(d)) < kLeastMoment * per_direction;
    if (std::holds_alternative<LogisticLoss>(descent.loss) || (clear && is_count(descent.loss)))
      axes = axes_of(moment / descent.curvature, whitening);
  }
  const Sights sights(descent, axes);
  const bool averages = is_nearly_quadratic(descent.loss) && !sights.empty();
  Eigen::VectorXd x(d), noise(d), response(d), left(d);
  for (Eigen::Index j = 0; j < d; ++j) {
    const bool clear = averages && axes.curvatures[j] >= std::max(kClear, kSure * axes.noise[j]);
    const Place place = clear ? sights.mean(j) : last_iterate(descent, axes.curvatures[j], sights.last()[j]);
    x[j] = place.x;
    noise[j] = place.noise;
    response[j] = place.response;
  }
  // A slope that noise hides may be as large as the others are on average.
  const Eigen::MatrixXd root = whitening.root_inverse(), back = root / descent.curvature;
  const Eigen::VectorXd gone = x - sights.from();
  const Eigen::VectorXd slopes = (root * (axes.directions * gone)).head(d - 1);
  const double typical = d > 1 ? slopes.norm() / std::sqrt(static_cast<double>(d - 1)) : 0;
  const Eigen::VectorXd lengths = typical * (whitening.root() * axes.directions).colwise().norm().transpose();
  for (Eigen::Index j = 0; j < d; ++j) left[j] = unlearned(left_of_way(descent.path, axes, j), gone[j], lengths[j]);
  const Eigen::MatrixXd answer = axes.with(response);
  return Settled{
      root * (axes.directions * x),
      {back * axes.with(noise) * back, back * (answer * moment * answer / rows) * back, root * axes.with(left) * root}};
}

}  // namespace tailcoat
