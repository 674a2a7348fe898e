#include "tailcoat/estimators/diagnosis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/estimators/column_sketch.hpp"
#include "tailcoat/mechanisms/histograms.hpp"

namespace tailcoat {
namespace {

constexpr double kSketchShare = 0.4;  // of the price: finds the range of the bars
constexpr double kShareBeyond = 0.02;
constexpr std::size_t kBars = 24;
constexpr std::size_t kMarginBins = 768;  // over +-1.5 offsets, so that a bin is a quarter of a logit
constexpr double kMostMargin = 8;
constexpr std::array kChances = {0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0};

Gdp part(Gdp cost, double share) { return {mul_down(cost.mu, sqrt_down(share))}; }

Result<RowData> residuals_of(const RowMaker& maker, std::span<const double> x, RunContext run) {
  TAILCOAT_TRY(data, run.engine.load(maker));
  return run.engine.residuals(Samples(data, SquaredLoss{}), x);
}

struct Group {
  double bins = 0, yes = 0, no = 0, weight = 0, chance = 0;
};

}  // namespace

Result<Diagnosis> diagnose_numbers(const RowMaker& maker, std::span<const double> x, double unit, Gdp cost,
                                   RunContext run, Outlet outlet) {
  TAILCOAT_TRY(column, residuals_of(maker, x, run));
  const std::size_t only = 0;
  TAILCOAT_TRY(sketches,
               sketch_columns(run.engine, column, std::span(&only, 1), "diagnosis", part(cost, kSketchShare), outlet));
  const double reach =
      std::max({std::abs(sketches[0].quantile(kShareBeyond)), std::abs(sketches[0].quantile(1 - kShareBeyond)), 1e-6});
  const BinGrid grid = linear_bins(-reach, reach, kBars);
  TAILCOAT_TRY(histogram, column_histograms(run.engine, column, std::span(&grid, 1), "diagnosis, residuals",
                                            part(cost, 1 - kSketchShare), outlet));
  Diagnosis diagnosis{.residuals = {}, .calibration = {}, .noise = histogram.noise_scale};
  for (std::size_t bin = 1; bin < histogram.counts[0].size(); ++bin)
    diagnosis.residuals.push_back(
        {unit * lower_edge(grid, bin), unit * upper_edge(grid, bin), histogram.counts[0][bin]});
  return diagnosis;
}

// The residual of a row of the class is offset - margin, that of another -offset - margin: one histogram shows both.
Result<Diagnosis> diagnose_chances(const RowMaker& maker, std::span<const double> x, Gdp cost, RunContext run,
                                   Outlet outlet) {
  TAILCOAT_TRY(column, residuals_of(maker, x, run));
  const BinGrid grid = linear_bins(-1.5 * kClassOffset, 1.5 * kClassOffset, kMarginBins);
  TAILCOAT_TRY(histogram,
               column_histograms(run.engine, column, std::span(&grid, 1), "diagnosis, calibration", cost, outlet));
  std::array<Group, kChances.size()> groups{};
  for (std::size_t bin = 2; bin < 2 + kMarginBins; ++bin) {
    const double middle = lower_edge(grid, bin) / 2 + upper_edge(grid, bin) / 2;
    const double margin = std::copysign(kClassOffset, middle) - middle, chance = 1 / (1 + std::exp(-margin));
    if (std::abs(margin) > kMostMargin) continue;
    Group& group = groups[static_cast<std::size_t>(std::ranges::lower_bound(kChances, chance) - kChances.begin())];
    const double rows = histogram.counts[0][bin];
    (middle > 0 ? group.yes : group.no) += rows;
    group.bins += 1;
    group.weight += std::max(rows, 0.0);
    group.chance += std::max(rows, 0.0) * chance;
  }
  Diagnosis diagnosis{.residuals = {}, .calibration = {}, .noise = histogram.noise_scale};
  for (const Group& group : groups) {
    const double rows = group.yes + group.no, noise = std::sqrt(group.bins) * histogram.noise_scale;
    if (!(rows > 3 * noise)) continue;
    const double observed = std::clamp(group.yes / rows, 0.0, 1.0);
    const double sampling = std::max(observed * (1 - observed), 1 / rows) / rows;
    diagnosis.calibration.push_back({.predicted = group.chance / group.weight,
                                     .rows = rows,
                                     .observed = observed,
                                     .observed_error = std::sqrt(sampling + std::pow(noise / rows, 2) / 2)});
  }
  return diagnosis;
}

}  // namespace tailcoat
