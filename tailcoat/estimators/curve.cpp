#include "tailcoat/estimators/curve.hpp"

#include <algorithm>
#include <cmath>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/estimators/settle.hpp"

namespace tailcoat {
namespace {

constexpr double kMean = 0.79788456, kDeviation = 0.60281027;  // of |z|, z standard normal
constexpr double kReach = 6;                                   // spreads from the middle, where margins are cut
constexpr double kLeverage = 4.3;                              // norm of a row beyond which it weighs less
constexpr double kMomentRadius = 3;                            // that rows are cut to for their second moments
constexpr double kForMoment = 0.15, kForClip = 0.2;            // of the price
constexpr double kShows = 3;                                   // standard errors of a bend, or of a slope
constexpr double kFarSlope = 0.25;                             // of a slope, from that of the margins
constexpr double kLeastSpread = 1e-3;
constexpr DescentRules kRules{.steps = 6, .looks = 1, .of = "curve, "};

Gdp part(Gdp cost, double share) { return {mul_down(cost.mu, sqrt_down(share))}; }

// Three numbers change together, and as far as they stand out of their errors.
void shrink_towards(const Eigen::Vector3d& straight, Coefficients& found) {
  const Eigen::Vector3d away = found.values - straight;
  const double kept = std::max(1 - found.covariance.trace() / away.squaredNorm(), 0.0);
  found.values = straight + kept * away;
  found.covariance *= kept;
}

// What is left of a fit to margins of this slope: all of it, if a bend shows; a slope and a level, if only the slope is
// far off, as a descent may not have come to where slopes are; or nothing.
bool keep_what_shows(Coefficients& found, double slope_before) {
  auto& [values, covariance] = found;
  const auto clear = [&](Eigen::Index j, double away) { return std::abs(away) > kShows * std::sqrt(covariance(j, j)); };
  const double change = values[CurveRows::kSlope] - slope_before;
  if (values[CurveRows::kSlope] <= 0) return false;
  if (clear(CurveRows::kBend, values[CurveRows::kBend])) return true;
  if (std::abs(change) <= kFarSlope * slope_before || !clear(CurveRows::kSlope, change)) return false;
  const Eigen::VectorXd by_bend = covariance.col(CurveRows::kBend) / covariance(CurveRows::kBend, CurveRows::kBend);
  values -= by_bend * values[CurveRows::kBend];
  covariance -= by_bend * covariance.row(CurveRows::kBend).eval();
  return values[CurveRows::kSlope] > 0;
}

}  // namespace

CurveRows::CurveRows(const Design& design, std::vector<float> margins, double middle, double spread)
    : design_(&design), margins_(std::move(margins)), middle_(middle), spread_(spread) {
  whiten(no_whitening(columns()));
}

Result<std::unique_ptr<CurveRows>> CurveRows::create(const Design& design, std::span<const double> x, double middle,
                                                     double spread, Engine& engine) {
  TAILCOAT_TRY(margins, design.margins(engine, x));
  return std::make_unique<CurveRows>(design, std::move(margins), middle, spread);
}

void CurveRows::whiten(Whitening whitening) {
  whitening_ = std::move(whitening);
  matrix_ = whitening_.root_inverse();
}

RowsOf<float> CurveRows::make(std::size_t begin, std::size_t end, const RowSpace& space) const noexcept {
  const std::size_t count = end - begin, stride = padded(columns());
  for (std::size_t i = 0; i < count; ++i) {
    const double z = std::clamp((static_cast<double>(margins_[begin + i]) - middle_) / spread_, -kReach, kReach);
    const Eigen::Vector3d row = matrix_ * Eigen::Vector3d((std::abs(z) - kMean) / kDeviation, z, 1);
    Eigen::Map<Eigen::Vector3f>(space.rows + i * stride) = row.cast<float>();
    space.weights[i] = row.squaredNorm();
  }
  design_->label(begin, {space.labels, count});
  design_->weigh(begin, {space.weights, count}, kLeverage);
  return {space.rows, count, columns(), stride};
}

Result<CurvedFit> look_for_curve(const Design& design, const Coefficients& of_features, const Whitening& whitening,
                                 const Loss& loss, const Start& start, Gdp cost, RunContext run, Outlet outlet) {
  const Eigen::VectorXd x = whitening.root() * of_features.values;
  const double spread = std::max(std::sqrt(size_of_slopes(of_features, whitening)), kLeastSpread);
  TAILCOAT_TRY(rows,
               CurveRows::create(design, view(x), mean_row(whitening).dot(of_features.values), spread, run.engine));
  TAILCOAT_TRY(data, run.engine.load(*rows));
  TAILCOAT_TRY(moment, second_moment(run.engine, data.features(), kMomentRadius, part(cost, kForMoment), outlet,
                                     "curve, second-moment matrix"));
  rows->whiten(whitening_of(moment, rows->columns()));
  const Eigen::Vector3d from = rows->whitening().root() * rows->straight();
  const DescentBudget budget{.gradients = part(cost, 1 - kForMoment - kForClip), .clips = part(cost, kForClip)};
  TAILCOAT_TRY(descent, descend(run, outlet, data, loss,
                                {.x = {from.begin(), from.end()},
                                 .curvature = start.curvature,
                                 .labelled = start.labelled,
                                 .spread = rows->whitening().curvatures().sum()},
                                budget, kRules, [] { return true; }));
  TAILCOAT_TRY(settled, settle(descent, rows->whitening(), data, Gdp{0}, run, outlet));
  Coefficients found{settled.values, settled.errors.noise + settled.errors.sampling};
  if (!keep_what_shows(found, rows->straight()[CurveRows::kSlope])) return CurvedFit{};
  shrink_towards(rows->straight(), found);
  return CurvedFit{std::move(rows), std::move(data), std::move(descent), std::move(found)};
}

// With the margin m of a row, that of the mean row m0 and the spread s, the curve is level + slope z + bend (|z| -
// mean) / deviation, z = (m - m0) / s: two lines whose average slope is slope / s, and which meet in the mean row.
Curve follow(const CurvedFit& curved, Coefficients& of_features, Errors& errors, const Whitening& whitening) {
  const auto& [values, covariance] = curved.found;
  const double spread = curved.rows->spread();
  const double slope = values[CurveRows::kSlope], bend = values[CurveRows::kBend] / kDeviation;
  const double knot = values[CurveRows::kLevel] - kMean * bend;
  auto& w = of_features.values;
  const Eigen::Index last = w.size() - 1;
  const Eigen::VectorXd row = mean_row(whitening);
  w[last] -= row.dot(w);  // now 0 for the mean row
  const double of_slope = covariance(CurveRows::kSlope, CurveRows::kSlope) / (spread * spread);
  const Eigen::MatrixXd by_slope = of_slope * w * w.transpose();
  w *= slope / spread;
  w[last] += knot;
  // Errors of the mean row are those of the knot now.
  Eigen::MatrixXd moves = slope / spread * Eigen::MatrixXd::Identity(last + 1, last + 1);
  moves.row(last) -= slope / spread * row.transpose();
  const double of_knot = variance_of(Eigen::Vector3d(-kMean / kDeviation, 0, 1), covariance);
  errors.move(moves);
  of_features.covariance = (moves * of_features.covariance * moves.transpose()).eval();
  for (Eigen::MatrixXd* of : {&of_features.covariance, &errors.noise}) {
    *of += by_slope;
    (*of)(last, last) += of_knot;
  }
  const double turn = std::clamp(bend / slope, -1.0, 1.0);
  return {knot, 1 - turn, 1 + turn};
}

}  // namespace tailcoat
