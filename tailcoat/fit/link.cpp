#include "tailcoat/fit/link.hpp"

#include <algorithm>
#include <cmath>

#include "tailcoat/base/rounding.hpp"

namespace tailcoat {
namespace {

constexpr double kMean = 0.79788456, kDeviation = 0.60281027;  // of |z|, z standard normal
constexpr double kMomentRadius = 3;
constexpr double kForMoments = 0.15, kForNorms = 0.2;  // of the price
constexpr std::size_t kSteps = 4;
constexpr double kShows = 3;        // standard errors of a bend, or of a slope
constexpr double kFarSlope = 0.25;  // of a slope, from that of the margins
constexpr auto kBend = CurveRows::kBend, kSlope = CurveRows::kSlope, kLevel = CurveRows::kLevel;

Gdp part(Gdp cost, double share) { return {mul_down(cost.mu, sqrt_down(share))}; }

// All of it, if a bend shows; a slope and a level, if only the slope is far off; else nothing.
bool keep_what_shows(Eigen::Vector3d& values, Eigen::Matrix3d& covariance, double slope_before) {
  const auto clear = [&](Eigen::Index j, double away) { return std::abs(away) > kShows * std::sqrt(covariance(j, j)); };
  const double change = values[kSlope] - slope_before;
  if (values[kSlope] <= 0) return false;
  if (clear(kBend, values[kBend])) return true;
  if (std::abs(change) <= kFarSlope * slope_before || !clear(kSlope, change)) return false;
  const Eigen::Vector3d by_bend = covariance.col(kBend) / covariance(kBend, kBend);
  values -= by_bend * values[kBend];
  covariance -= by_bend * covariance.row(kBend).eval();
  return values[kSlope] > 0;
}

}  // namespace

Result<std::optional<Link>> find_link(RunContext run, Outlet outlet, const Design& design, const Predictor& predictor,
                                      const LinkSetting& setting) {
  const Shape& of_rows = *predictor.shape;
  const double spread = std::sqrt(of_rows.margin_variance(predictor.coefficients));
  const double middle = predictor.of_mean_row();
  Link link;
  TAILCOAT_TRY(rows, CurveRows::create(design, view(predictor.point()), middle, spread, run.engine));
  link.rows = std::move(rows);
  TAILCOAT_TRY(data, run.engine.load(*link.rows));
  TAILCOAT_TRY(shape, release_shape(run.engine, data.features(), kMomentRadius, true, part(setting.cost, kForMoments),
                                    outlet, "link, second-moment matrix"));
  link.shape = std::move(shape);
  link.rows->transform(link.shape.map.transpose());
  link.data = std::move(data);
  const Eigen::Vector3d straight(0, spread, middle);
  const EvidenceSetting steps{.start = link.shape.inverse * straight,
                              .labelled = setting.labelled,
                              .steps = kSteps,
                              .looks = 1,
                              .gradients = part(setting.cost, 1 - kForMoments - kForNorms),
                              .norms = part(setting.cost, kForNorms),
                              .of = "link, "};
  TAILCOAT_TRY(evidence, gather(run, outlet, *link.data, setting.loss, link.shape, steps, [] { return true; }));
  const Optimum optimum = optimum_of(evidence, link.shape);
  const Eigen::VectorXd& k = link.shape.curvature;
  const double sampling = evidence.mean_square / (3 * evidence.rows * std::pow(evidence.curvature, 2));
  link.values = link.shape.map * optimum.value.cwiseQuotient(k);
  link.covariance = link.shape.map *
                    ((optimum.variance.array() + sampling) / k.array().square()).matrix().asDiagonal() *
                    link.shape.map.transpose();
  link.loss = evidence.loss;
  if (!keep_what_shows(link.values, link.covariance, spread)) return std::optional<Link>();
  const Eigen::Vector3d away = link.values - straight;
  const double kept = std::max(1 - link.covariance.trace() / away.squaredNorm(), 0.0);
  link.values = straight + kept * away;
  link.covariance *= kept;
  const double most = kDeviation * link.values[kSlope];  // no slope below 0
  link.values[kBend] = std::clamp(link.values[kBend], -most, most);
  return std::optional<Link>(std::move(link));
}

// With z = (margin - middle) / spread the link is level + slope z + bend (|z| - kMean) / kDeviation.
Curve follow(const Link& link, Posterior& posterior, const Shape& shape) {
  const double spread = link.rows->spread(), bend = link.values[kBend] / kDeviation;
  const double slope = link.values[kSlope] / spread, knot = link.values[kLevel] - kMean * bend;
  auto& [w, covariance, sampling_share] = posterior;
  const Eigen::Index last = w.size() - 1;
  Eigen::MatrixXd moves = slope * Eigen::MatrixXd::Identity(last + 1, last + 1);  // 0 for the mean row
  moves.row(last) -= slope * shape.mean_row.transpose();
  const Eigen::VectorXd centred = moves * w;
  const double of_slope = link.covariance(kSlope, kSlope) / std::pow(spread * slope, 2);
  covariance = (moves * covariance * moves.transpose() + of_slope * centred * centred.transpose()).eval();
  const Eigen::Vector3d to_knot(-kMean / kDeviation, 0, 1);
  covariance(last, last) += to_knot.dot(link.covariance * to_knot);
  w = centred;
  w[last] += knot;
  const double turn = std::clamp(bend / (slope * spread), -1.0, 1.0);
  return {knot, 1 - turn, 1 + turn};
}

}  // namespace tailcoat
