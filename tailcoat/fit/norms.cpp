#include "tailcoat/fit/norms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tailcoat/estimators/runs.hpp"
#include "tailcoat/mechanisms/histograms.hpp"

namespace tailcoat {
namespace {

constexpr double kSlack = 2, kVisible = 5;  // of bars, in deviations of noise
constexpr int kBarsPerOctave = 2;

}  // namespace

Result<Magnitudes> Magnitudes::release(Engine& engine, const RowData& column, Signs signs, const std::string& what,
                                       Gdp cost, Outlet outlet) {
  const BinGrid grid = magnitude_bins(kBarsPerOctave);
  TAILCOAT_TRY(histogram, column_histograms(engine, column, std::span(&grid, 1), what, cost, outlet));
  const std::vector<double>& counts = histogram.counts[0];
  const std::size_t zero = counts.size() / 2, per_sign = counts.size() - zero - 1;
  const bool both = signs == Signs::both;  // where there are no negative values, their bins hold noise alone
  std::vector<double> folded(per_sign);
  for (std::size_t i = 0; i < per_sign; ++i) folded[i] = counts[zero + 1 + i] + (both ? counts[zero - 1 - i] : 0);
  Magnitudes found;
  found.noise_ = (both ? std::numbers::sqrt2 : 1.0) * histogram.noise_scale;
  const std::vector<char> visible = visible_bins(folded, found.noise_, kSlack, kVisible);
  for (std::size_t i = 0; i < per_sign; ++i) {
    if (!visible[i]) continue;
    const double low = lower_edge(grid, zero + 1 + i), high = upper_edge(grid, zero + 1 + i);
    found.bars_.push_back({low, std::isinf(high) ? 2 * low : high, std::max(folded[i], 0.0)});
  }
  return found;
}

double Magnitudes::rows() const { return rows_within(HUGE_VAL); }

double Magnitudes::rows_within(double limit) const {
  double sum = 0;
  for (const Bar& bar : bars_) sum += bar.high <= limit ? bar.rows : 0;
  return sum;
}

double Magnitudes::rows_beyond(double limit) const {
  double sum = 0;
  for (const Bar& bar : bars_) sum += bar.middle() > limit ? bar.rows : 0;
  return sum;
}

double Magnitudes::quantile(double share) const {
  double left = share * rows();
  for (const Bar& bar : bars_)
    if ((left -= bar.rows) <= 0) return bar.high;
  return bars_.back().high;
}

double Magnitudes::median() const {
  double left = 0.5 * rows();
  for (const Bar& bar : bars_) {
    if (bar.rows >= left && bar.rows > 0) return bar.low + (bar.high - bar.low) * left / bar.rows;
    left -= bar.rows;
  }
  return bars_.back().high;
}

double Magnitudes::square_sum(double limit) const {
  double sum = 0;
  for (const Bar& bar : bars_) sum += bar.rows * std::pow(std::min(bar.middle(), limit), 2);
  return sum;
}

double Magnitudes::best_limit(double rows, double noise_per_limit) const {
  double best = bars_.back().high, least = HUGE_VAL;
  for (const Bar& candidate : bars_) {
    double bias = 0;
    for (const Bar& bar : bars_) bias += bar.rows * std::max(bar.middle() - candidate.high, 0.0) / rows;
    const double error = bias * bias + std::pow(noise_per_limit * candidate.high, 2);
    if (error < least) least = error, best = candidate.high;
  }
  return best;
}

}  // namespace tailcoat
