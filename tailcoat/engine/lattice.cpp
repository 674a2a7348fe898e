#include "tailcoat/engine/lattice.hpp"

#include <fmt/format.h>

#include "tailcoat/base/rounding.hpp"
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

}  // namespace tailcoat
