#include "tailcoat/estimators/bends.hpp"

#include <algorithm>
#include <cmath>

#include "tailcoat/mechanisms/clipped_gradient.hpp"

namespace tailcoat {
namespace {

constexpr double kClear = 4;       // deviations of noise and sampling
constexpr double kSampling = 0.5;  // deviation of a row's derivative, about
constexpr double kWorth = 0.03;    // of a derivative along a kink of unit variance, in units of residuals

// Residuals count as they do in a robust fit: how large they are is not known yet.
Loss loss_of_residuals(const Loss& loss) {
  const bool unbounded = std::holds_alternative<SquaredLoss>(loss) || std::holds_alternative<HuberLoss>(loss);
  return unbounded ? Loss(HuberLoss{1}) : loss;
}

}  // namespace

Result<Design> rows_of_halves(const Frame& frame, const FitOptions& options, std::span<const Candidate> candidates,
                              double leverage) {
  DesignColumns columns{.features = {}, .fitted = {}, .target = options.target, .exposure = options.exposure};
  for (const Candidate& candidate : candidates) {
    columns.features.push_back(candidate.halves.below);
    columns.features.push_back(candidate.halves.above);
  }
  for (std::size_t j = 0; j < columns.features.size(); ++j) columns.fitted.push_back(j);
  TAILCOAT_TRY(rows, Design::create(frame, columns, leverage));
  // A kink for each candidate, and the constant.
  const std::size_t d = candidates.size() + 1;
  std::vector<double> matrix((columns.features.size() + 1) * d);
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    matrix[2 * k * d + k] = candidates[k].halves.mix_below;
    matrix[(2 * k + 1) * d + k] = candidates[k].halves.mix_above;
  }
  matrix.back() = 1;
  rows.set_matrix(matrix);
  return std::move(rows);
}

Result<std::vector<std::size_t>> found_bends(const Design& rows, std::size_t candidates, const Loss& loss,
                                             const Start& start, Gdp cost, RunContext run, Outlet outlet) {
  TAILCOAT_TRY(data, run.engine.load(rows));
  std::vector<double> constant(rows.columns());
  constant.back() = start.margin;
  const double clip = std::sqrt(static_cast<double>(candidates + 1));
  TAILCOAT_TRY(gradient, clipped_gradient(run.engine, Samples(data, loss_of_residuals(loss)), constant, clip, "bends",
                                          cost, outlet));
  const auto size = [&](std::size_t k) { return std::abs(gradient.mean[k]); };
  const double error = std::hypot(gradient.noise, kSampling / std::sqrt(static_cast<double>(rows.rows())));
  std::vector<std::size_t> bends;
  for (std::size_t k = 0; k < candidates; ++k)
    if (size(k) > std::max(kClear * error, kWorth)) bends.push_back(k);
  std::ranges::stable_sort(bends, std::ranges::greater(), size);
  return bends;
}

void bend(std::vector<Feature>& features, std::vector<std::size_t>& fitted, const Candidate& candidate) {
  const std::size_t at = candidate.feature;
  features[at] = candidate.halves.below;
  features.insert(features.begin() + static_cast<std::ptrdiff_t>(at) + 1, candidate.halves.above);
  for (std::size_t& other : fitted)
    if (other > at) ++other;
  fitted.insert(std::ranges::upper_bound(fitted, at), at + 1);
}

void straighten(std::vector<Feature>& features, std::size_t above, Feature number) {
  Feature& below = features[above - 1];
  number.centre = below.centre + features[above].centre - below.high;  // a missing cell stays what it was
  below = std::move(number);
  features.erase(features.begin() + static_cast<std::ptrdiff_t>(above));
}

}  // namespace tailcoat
