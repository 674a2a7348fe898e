#include "tailcoat/estimators/bends.hpp"

#include <algorithm>
#include <cmath>

#include "tailcoat/estimators/fit_checks.hpp"
#include "tailcoat/mechanisms/clipped_gradient.hpp"

namespace tailcoat {
namespace {

constexpr double kClear = 4;           // deviations of noise and sampling
constexpr double kOfDifference = 1.5;  // deviations that a difference of two of them has
constexpr double kSteepest = 8;        // slope of a number of unit variance
constexpr double kSampling = 0.5;      // deviation of a row's derivative, about
constexpr double kWorth = 0.03;        // of a derivative along a kink of unit variance, in units of residuals

// Residuals count as they do in a robust fit: how large they are is not known yet.
Loss loss_of_residuals(const Loss& loss) {
  const bool unbounded = std::holds_alternative<SquaredLoss>(loss) || std::holds_alternative<HuberLoss>(loss);
  return unbounded ? Loss(HuberLoss{1}) : loss;
}

std::size_t columns_of(std::size_t candidates, const Loss& loss) {
  return (is_exponential(loss) ? 2 : 1) * candidates + 1;
}

// What a model without a bend shows along the kink: its responses bend where their margin does not. Of them the mean is
// known, and the derivative along the number.
double kink_of_a_line(const Halves& halves, bool counts, double mean, double along_number) {
  const auto& points = halves.points;
  const auto sum = [&](const auto& of) {
    double total = 0;
    for (const Halves::Point& point : points) total += point.share * of(point);
    return total;
  };
  const auto response = [&](double margin) { return counts ? std::exp(margin) : 1 / (1 + std::exp(-margin)); };
  // A root of a function that grows, between two numbers.
  const auto root = [](double low, double high, const auto& f) {
    for (int i = 0; i < 50; ++i) {
      const double middle = low + (high - low) / 2;
      (f(middle) < 0 ? low : high) = middle;
    }
    return low;
  };
  const auto level = [&](double slope) {
    return root(-60, 60, [&](double a) {
      return sum([&](const Halves::Point& p) { return response(a + slope * p.number); }) - mean;
    });
  };
  const double slope = root(-kSteepest, kSteepest, [&](double b) {
    const double a = level(b);
    return sum([&](const Halves::Point& p) { return p.number * response(a + b * p.number); }) - along_number;
  });
  const double a = level(slope);
  return sum([&](const Halves::Point& p) { return p.kink * response(a + slope * p.number); });
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
  // A kink for each candidate, for likelihoods the number itself too, and the constant.
  const std::size_t count = candidates.size(), d = columns_of(count, options.loss);
  std::vector<double> matrix((columns.features.size() + 1) * d);
  for (std::size_t k = 0; k < count; ++k) {
    const auto& [below, above, mix_below, mix_above, unit, points] = candidates[k].halves;
    double *const of_below = &matrix[2 * k * d], *const of_above = &matrix[(2 * k + 1) * d];
    of_below[k] = mix_below;
    of_above[k] = mix_above;
    if (!is_exponential(options.loss)) continue;
    of_below[count + k] = below.scale / unit;
    of_above[count + k] = above.scale / unit;
  }
  matrix.back() = 1;
  rows.set_matrix(matrix);
  return std::move(rows);
}

Result<std::vector<std::size_t>> found_bends(const Design& rows, std::span<const Candidate> candidates,
                                             const Loss& loss, const Start& start, Gdp cost, RunContext run,
                                             Outlet outlet) {
  TAILCOAT_TRY(data, run.engine.load(rows));
  std::vector<double> constant(rows.columns());
  constant.back() = start.margin;
  // Residuals of counts are as large as they are.
  const bool likelihood = is_exponential(loss), counts = is_count(loss);
  const double unit = counts ? std::max(start.curvature, 1.0) : 1;
  const double clip = unit * std::sqrt(static_cast<double>(rows.columns()));
  TAILCOAT_TRY(gradient, clipped_gradient(run.engine, Samples(data, loss_of_residuals(loss)), constant, clip,
                                          "where numbers bend", cost, outlet));
  const double sampling = unit * kSampling / std::sqrt(static_cast<double>(rows.rows()));
  const double labelled = start.labelled / static_cast<double>(rows.rows());
  const double error = (likelihood ? kOfDifference : 1) * std::hypot(gradient.noise, sampling) / labelled;
  const double mean = counts ? start.curvature : 1 / (1 + std::exp(-start.margin));
  std::vector<double> sizes;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    double derivative = -gradient.mean[k] / labelled;
    if (likelihood)
      derivative -=
          kink_of_a_line(candidates[k].halves, counts, mean, -gradient.mean[candidates.size() + k] / labelled);
    sizes.push_back(std::abs(derivative));
  }
  std::vector<std::size_t> bends;
  for (std::size_t k = 0; k < candidates.size(); ++k)
    if (sizes[k] > std::max(kClear * error, kWorth * unit)) bends.push_back(k);
  std::ranges::stable_sort(bends, std::ranges::greater(), [&](std::size_t k) { return sizes[k]; });
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

}  // namespace tailcoat
