#include "tailcoat/mechanisms/quantile.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>

#include "tailcoat/base/option.hpp"
#include "tailcoat/base/rounding.hpp"
#include "tailcoat/mechanisms/gaussian_release.hpp"

namespace tailcoat {
namespace {

constexpr int kExponents = 128;  // magnitudes in [2^-64, 2^64)
constexpr NumberOption kShareAbove{.name = "share-above",
                                   .meaning = "share of the rows above the quantile",
                                   .lowest = 0,
                                   .highest = 1,
                                   .open_below = true,
                                   .open_above = true};
constexpr NumberOption kPrecision{.name = "precision", .meaning = "fraction bits", .lowest = 0, .highest = 40};

// The grid in increasing order: key k and -k stand for opposite numbers, 0 for zero.
struct Grid {
  int precision;

  [[nodiscard]] std::int64_t largest() const { return (std::int64_t{kExponents} << precision) - 1; }
  [[nodiscard]] double value(std::int64_t key) const {
    if (key == 0) return 0;
    const std::int64_t place = std::abs(key) - 1;
    const double fraction = std::ldexp(static_cast<double>(place & ((std::int64_t{1} << precision) - 1)), -precision);
    const double magnitude = std::ldexp(1 + fraction, static_cast<int>(place >> precision) - kExponents / 2);
    return key > 0 ? magnitude : -magnitude;
  }
};

// How many halvings bring `candidates` keys down to one: fixed in advance, whatever the counts say.
std::size_t halvings(std::int64_t candidates) {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(candidates - 1)));
}

using CountAbove = std::function<Result<SensitiveSum>(std::span<const double> thresholds, Gdp cost)>;

enum class Sign { any, nonnegative };

// For each column, the smallest number of the grid whose noisy count above is below the target.
Result<std::vector<double>> search(const std::string& what, Sign sign, const RowData& data,
                                   const QuantileSearch& options, Gdp cost, const CountAbove& count, Outlet outlet) {
  TAILCOAT_CHECK(check(kShareAbove, options.share_above));
  TAILCOAT_CHECK(check(kPrecision, options.precision));
  TAILCOAT_CHECK(outlet.meter.affords(what, cost));
  const Grid grid{options.precision};
  const std::int64_t lowest = sign == Sign::any ? -grid.largest() : 0;
  const std::size_t steps = halvings(grid.largest() - lowest + 1);
  const Gdp step_cost{div_down(cost.mu, sqrt_up(static_cast<double>(steps)))};
  const double target = options.share_above * static_cast<double>(data.rows());

  const std::size_t columns = data.dimension();
  std::vector<std::int64_t> low(columns, lowest), high(columns, grid.largest());
  std::vector<double> thresholds(columns);
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t j = 0; j < columns; ++j) thresholds[j] = grid.value(std::midpoint(low[j], high[j]));
    TAILCOAT_TRY(counts, count(thresholds, step_cost));
    TAILCOAT_TRY(above, gaussian_release(fmt::format("{} of {} columns, step {} of {}", what, columns, step + 1, steps),
                                         std::move(counts), outlet));
    for (std::size_t j = 0; j < columns; ++j) {
      if (low[j] == high[j]) continue;
      const std::int64_t middle = std::midpoint(low[j], high[j]);
      (above[j] >= target ? low[j] = middle + 1 : high[j] = middle);
    }
  }
  std::vector<double> found(columns);
  for (std::size_t j = 0; j < columns; ++j) found[j] = grid.value(low[j]);
  return found;
}

}  // namespace

Result<std::vector<double>> column_quantiles(Engine& engine, const RowData& data, QuantileSearch options, Gdp cost,
                                             Outlet outlet) {
  const std::vector<double> lower(data.dimension(), -std::numeric_limits<double>::infinity());
  return search(
      "quantile", Sign::any, data, options, cost,
      [&](std::span<const double> thresholds, Gdp step_cost) {
        return engine.counts_outside(data, lower, thresholds, step_cost);
      },
      outlet);
}

Result<std::vector<double>> column_spreads(Engine& engine, const RowData& data, std::span<const double> centres,
                                           QuantileSearch options, Gdp cost, Outlet outlet) {
  if (centres.size() != data.dimension())
    return usage_error(fmt::format("{} centres for {} columns; give one for each", centres.size(), data.dimension()));
  std::vector<double> lower(centres.size()), upper(centres.size());
  return search(
      "spread", Sign::nonnegative, data, options, cost,
      [&](std::span<const double> thresholds, Gdp step_cost) {
        for (std::size_t j = 0; j < centres.size(); ++j) {
          lower[j] = centres[j] - thresholds[j];
          upper[j] = centres[j] + thresholds[j];
        }
        return engine.counts_outside(data, lower, upper, step_cost);
      },
      outlet);
}

double quantile_rank_noise(std::size_t columns, QuantileSearch options, Gdp cost) {
  const std::size_t steps = halvings(2 * Grid{options.precision}.largest() + 1);
  return std::sqrt(static_cast<double>(columns * steps)) / cost.mu;
}

}  // namespace tailcoat
