#include "tailcoat/mechanisms/sparse_vector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/base/option.hpp"
#include "tailcoat/base/rounding.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

// The lattice has 2^14 units to one sensitivity. Rounding a query to it adds at most one unit to its sensitivity: below
// 2^51 units, where queries saturate, the division is off by at most 1/4 unit, and two integers that come from reals at
// most 2^14 + 1/2 apart are at most 2^14 + 1 apart.
constexpr double kUnitsPerSensitivity = 0x1p14;
constexpr double kSensitivityUnits = kUnitsPerSensitivity + 1;
constexpr double kLargestUnits = 0x1p51;

constexpr NumberOption kSensitivity{
    .name = "sensitivity", .meaning = "largest change of a query", .lowest = 1e-200, .highest = 1e200};
constexpr NumberOption kMaxAbove{
    .name = "max-above", .meaning = "how many answers may be above", .lowest = 1, .highest = 1e5};

std::int64_t to_units(double value, double unit) {
  if (std::isnan(value)) return static_cast<std::int64_t>(-kLargestUnits);
  return static_cast<std::int64_t>(std::nearbyint(std::clamp(value / unit, -kLargestUnits, kLargestUnits)));
}

// How many answers "above" share one threshold noise.
double above_per_threshold(const SparseVectorOptions& options) {
  return options.threshold_noise == ThresholdNoise::keep ? static_cast<double>(options.max_above) : 1;
}

}  // namespace

std::vector<Event> SparseVector::price(const SparseVectorOptions& options) {
  const std::size_t runs = options.threshold_noise == ThresholdNoise::keep ? 1 : options.max_above;
  return std::vector<Event>(runs, PureEvent{options.epsilon});
}

Result<SparseVector> SparseVector::start(std::string what, const SparseVectorOptions& options, Outlet outlet) {
  TAILCOAT_CHECK(check(kEpsilonOption, options.epsilon));
  TAILCOAT_CHECK(check(kSensitivity, options.sensitivity));
  TAILCOAT_CHECK(check(kMaxAbove, static_cast<double>(options.max_above)));

  // epsilon = for_threshold + for_queries, best split 1 : (2c)^(2/3) (Lyu, Su, Li 2017).
  const double c = above_per_threshold(options);
  const double for_threshold = options.epsilon / (1 + std::pow(2 * c, 2.0 / 3));
  const double for_queries = sub_down(options.epsilon, for_threshold);
  TAILCOAT_TRY(threshold_law, DiscreteLaplace::create(div_up(kSensitivityUnits, for_threshold)));
  TAILCOAT_TRY(query_law, DiscreteLaplace::create(div_up(mul_up(2 * c, kSensitivityUnits), for_queries)));

  TAILCOAT_CHECK(outlet.meter.charge({.what = std::move(what),
                                      .mechanism = "sparse-vector",
                                      .values = options.max_above,
                                      .sensitivity = options.sensitivity,
                                      .noise_scale = query_law.scale() * options.sensitivity / kUnitsPerSensitivity,
                                      .secure_noise = outlet.noise.secure()},
                                     price(options)));
  return SparseVector(options, std::move(threshold_law), std::move(query_law), outlet.noise,
                      outlet.noise.next_release());
}

SparseVector::SparseVector(SparseVectorOptions options, DiscreteLaplace threshold_law, DiscreteLaplace query_law,
                           const BitSource& noise, std::uint64_t release)
    : options_(options),
      threshold_law_(std::move(threshold_law)),
      query_law_(std::move(query_law)),
      unit_(options.sensitivity / kUnitsPerSensitivity),
      above_left_(options.max_above),
      bits_(noise.stream(release, 0)) {
  draw_threshold_noise();
}

void SparseVector::draw_threshold_noise() { threshold_noise_ = threshold_law_(bits_); }

Result<bool> SparseVector::above(const Sensitive<double>& query, double threshold) {
  if (above_left_ == 0)
    return refusal(fmt::format("sparse vector is exhausted: max-above = {} answers were above", options_.max_above));
  if (std::isnan(threshold)) return usage_error("threshold = nan; give a number");
  const std::int64_t noisy_query = to_units(SensitiveKey::open(query), unit_) + query_law_(bits_);
  const bool is_above = noisy_query >= to_units(threshold, unit_) + threshold_noise_;
  if (is_above) {
    --above_left_;
    if (options_.threshold_noise == ThresholdNoise::refresh) draw_threshold_noise();
  }
  return is_above;
}

double SparseVector::noise_scale() const {
  const double variance = threshold_law_.scale() * threshold_law_.scale() + query_law_.scale() * query_law_.scale();
  return std::sqrt(2 * variance) * unit_;
}

}  // namespace tailcoat
