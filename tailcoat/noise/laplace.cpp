#include "tailcoat/noise/laplace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cassert>
#include <cmath>
#include <limits>

#include "tailcoat/noise/fail_safe.hpp"

namespace tailcoat {
namespace {

using Real = boost::multiprecision::cpp_bin_float_50;  // 168 bits

constexpr std::int64_t kLargestShift = std::int64_t{1} << 60;
constexpr NumberOption kDelta{.name = "delta",
                              .meaning = "mass that may fall outside the common support",
                              .lowest = 0,
                              .highest = 1,
                              .open_below = true,
                              .open_above = true};

// P[k >= from] of the Laplace cut to |k| <= bound, for 0 <= from <= bound.
Real upper_tail(double scale, std::int64_t bound, std::int64_t from) {
  const auto power = [&](const Real& exponent) -> Real { return exp(-exponent / scale); };
  const Real beyond = power(Real(bound) + 1);
  return (power(Real(from)) - beyond) / (1 + power(1) - 2 * beyond);
}

double rounded_up(const Real& probability) {
  const double nearest = probability.convert_to<double>();
  return std::min(1.0, std::nextafter(nearest, std::numeric_limits<double>::infinity()));
}

}  // namespace

// The bits of a geometric number are independent, bit j being set with probability 1 / (1 + exp(2^j / scale)). Bits
// from the first with 2^j >= 125 scale on are left out: one of them is set with probability exp(-2^j / scale) < 2^-180.
Result<DiscreteLaplace> DiscreteLaplace::create(double scale) {
  TAILCOAT_CHECK(check(kLaplaceScaleOption, scale));
  DiscreteLaplace law;
  law.scale_ = scale;
  for (double place = 1; place < 125 * scale; place *= 2) {
    const Real probability = ldexp(1 / (1 + exp(Real(place) / scale)), 64);
    const Real high = floor(probability);
    const Real low = floor(ldexp(probability - high, 64));
    law.thresholds_.push_back({high.convert_to<std::uint64_t>(), low.convert_to<std::uint64_t>()});
  }
  return law;
}

std::int64_t DiscreteLaplace::geometric(BitStream& words) const {
  abort_unless(!thresholds_.empty(), "a moved-from Laplace law was used");
  std::uint64_t magnitude = 0;
  for (std::size_t j = 0; j < thresholds_.size(); ++j) {
    const std::uint64_t word = words.word();
    const bool set = word != thresholds_[j].high ? word < thresholds_[j].high : words.word() < thresholds_[j].low;
    magnitude |= std::uint64_t{set} << j;
  }
  return static_cast<std::int64_t>(magnitude);
}

std::int64_t DiscreteLaplace::operator()(BitStream& words) const {
  const std::int64_t up = geometric(words);
  const std::int64_t down = geometric(words);
  return up - down;
}

std::int64_t DiscreteLaplace::bounded(std::int64_t bound, BitStream& words) const {
  assert(bound >= 0);
  for (;;) {
    const std::int64_t draw = (*this)(words);
    if (-bound <= draw && draw <= bound) return draw;
  }
}

double bounded_laplace_delta(double scale, std::int64_t bound, std::int64_t shift) {
  if (!check(kLaplaceScaleOption, scale) || bound < 0 || shift < 0) return 1;
  if (shift == 0) return 0;
  if (shift - bound > bound) return 1;  // no common support
  const std::int64_t first_outside = bound - shift + 1;
  if (first_outside >= 0) return rounded_up(upper_tail(scale, bound, first_outside));
  return rounded_up(1 - upper_tail(scale, bound, 1 - first_outside));
}

Result<std::int64_t> smallest_laplace_bound(double scale, std::int64_t shift, double delta) {
  TAILCOAT_CHECK(check(kLaplaceScaleOption, scale));
  TAILCOAT_CHECK(check(kDelta, delta));
  if (shift < 0 || shift > kLargestShift)
    return usage_error(fmt::format("shift = {} is not in [0, 2^60]: largest difference of neighbours", shift));
  // delta falls as the bound grows; at 2^62 it is less than exp(-2^20).
  std::int64_t too_small = -1, enough = std::int64_t{1} << 62;
  while (enough - too_small > 1) {
    const std::int64_t middle = too_small + (enough - too_small) / 2;
    (bounded_laplace_delta(scale, middle, shift) <= delta ? enough : too_small) = middle;
  }
  return enough;
}

}  // namespace tailcoat
