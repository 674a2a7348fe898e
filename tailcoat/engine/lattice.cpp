#include "tailcoat/engine/lattice.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {

double rounded_sensitivity(double factor, double units, std::size_t size) {
  return add_up(mul_up(factor, units), sqrt_up(static_cast<double>(size)));
}

double shrunk_units(double units, std::size_t dimension, double extra) {
  const double slack = mul_up(add_up(static_cast<double>(dimension), extra), 0x1p-52);
  return mul_down(units, sub_down(1, slack));
}

Result<double> contribution_units(double factor, std::size_t size, Gdp cost) {
  TAILCOAT_CHECK(check(cost));
  if (size == 0) return usage_error("a sum of vectors with 0 numbers; give at least one column");
  const double budget = mul_down(kGaussianScale, cost.mu);
  const double rounding = sqrt_up(static_cast<double>(size));
  if (!(budget >= 2 * rounding)) {
    return refusal(
        fmt::format("mu = {} is too small for sums of {} numbers: the noise covers a change of {:.4g} lattice "
                    "units, and rounding alone may cause {:.4g}; give mu >= {:.4g} or fewer columns",
                    cost.mu, size, budget, rounding, div_up(2 * rounding, kGaussianScale)));
  }
  const double units = div_down(sub_down(budget, rounding), factor);
  if (!(units >= 1 && units <= kMostUnits)) {
    return refusal(
        fmt::format("mu = {} makes contributions of {:.4g} lattice units, not in [1, 2^50]; give mu between "
                    "1e-6 and 1e6",
                    cost.mu, units));
  }
  return units;
}

Result<ClipLattice> clip_lattice(double clip_threshold, std::size_t dimension, Gdp cost) {
  TAILCOAT_CHECK(check(kClipThresholdOption, clip_threshold));
  TAILCOAT_TRY(units, contribution_units(kClipFactor, dimension, cost));
  return ClipLattice{.clip_threshold = clip_threshold,
                     .clip_units = units,
                     .sensitivity = rounded_sensitivity(kClipFactor, units, dimension),
                     .dimension = dimension};
}

Result<void> check(const ClipLattice& lattice, std::size_t dimension) {
  TAILCOAT_CHECK(check(kClipThresholdOption, lattice.clip_threshold));
  if (lattice.dimension != dimension)
    return usage_error(fmt::format("the lattice is for {} columns, the data has {}", lattice.dimension, dimension));
  if (lattice.clip_units >= 1 && lattice.clip_units <= kMostUnits) return {};
  return usage_error(fmt::format("clip_units = {} is not in [1, 2^50]; use clip_lattice()", lattice.clip_units));
}

Result<CountLattice> count_lattice(std::size_t rows, double squared_change, Gdp cost) {
  TAILCOAT_CHECK(check(cost));
  const double change = sqrt_up(squared_change);
  const double weight = std::floor(div_down(mul_down(kGaussianScale, cost.mu), change));
  const double most = div_down(kLargestTotal, static_cast<double>(rows));
  if (weight >= 1 && weight <= most)
    return CountLattice{.weight = static_cast<std::int64_t>(weight), .sensitivity = mul_up(weight, change)};
  return refusal(
      fmt::format("mu = {} gives counts that move by {:.4g} a weight of {} lattice units; give mu between {:.4g} and "
                  "{:.4g}",
                  cost.mu, change, weight, div_up(change, kGaussianScale), most * (change / kGaussianScale)));
}

SensitiveSum on_lattice(const CountLattice& lattice, std::vector<std::int64_t> counts) {
  for (std::int64_t& count : counts) count *= lattice.weight;
  const std::size_t size = counts.size();
  return SensitiveSum{.units = Sensitive(std::move(counts)),
                      .size = size,
                      .unit = 1 / static_cast<double>(lattice.weight),
                      .sensitivity = lattice.sensitivity};
}

Result<SensitiveSum> point_on_lattice(std::span<const double> point, std::span<const double> origin, double sensitivity,
                                      double largest, Gdp cost) {
  TAILCOAT_TRY(units, contribution_units(1, point.size(), cost));
  const double unit = div_up(sensitivity, units);
  if (!(largest <= 0x1p51 * unit))
    return refusal(
        fmt::format("the noise has a lattice unit of {:.3g}, too fine for points {:.3g} apart; give a smaller "
                    "mu, or a smaller domain",
                    unit, largest));
  std::vector<std::int64_t> rounded(point.size());
  for (std::size_t j = 0; j < point.size(); ++j) rounded[j] = std::llround((point[j] - origin[j]) / unit);
  return SensitiveSum{.units = Sensitive(std::move(rounded)),
                      .size = point.size(),
                      .unit = unit,
                      .sensitivity = rounded_sensitivity(1, units, point.size())};
}

}  // namespace tailcoat
