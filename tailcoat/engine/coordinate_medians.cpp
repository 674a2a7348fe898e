// Medians over groups of samples, one for each coordinate, of sums of gradients clipped coordinate by coordinate. A
// coordinate of a sample is a whole number of lattice units in [-units, units], so replacing a sample moves one group's
// sum by at most 2 units, and a median by no more than the group that moves most: sqrt(d) 2 units in all.
#include <fmt/format.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <variant>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/pass.hpp"
#include "tailcoat/engine/workers.hpp"
#include "tailcoat/noise/gaussian.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

// The largest whole number of units with sqrt(d) 2 units <= 2^26 mu.
Result<double> coordinate_units(std::size_t dimension, std::size_t group, Gdp cost) {
  TAILCOAT_CHECK(check(cost));
  const double root = sqrt_up(static_cast<double>(dimension));
  const double units = std::floor(div_down(mul_down(kGaussianScale, cost.mu), 2 * root));
  const double most = std::min(kMostUnits, std::floor(div_down(kLargestTotal, static_cast<double>(group))));
  if (units >= 1 && units <= most) return units;
  return refusal(
      fmt::format("mu = {} makes clipped coordinates of {} lattice units in groups of {} samples; give mu "
                  "between {:.4g} and {:.4g}",
                  cost.mu, units, group, 2 * root / kGaussianScale, most * (2 * root / kGaussianScale)));
}

// Adds the gradient, clipped and rounded, unless it is not finite.
void add_coordinates(std::span<const double> gradient, double scale, double units, std::span<std::int64_t> sums) {
  double zero = 0;
  for (const double part : gradient) zero += 0 * part;
  if (zero != 0) return;               // NaN
  constexpr double kRound = 0x1.8p52;  // adding it rounds to a whole number
  for (std::size_t j = 0; j < gradient.size(); ++j)
    sums[j] += static_cast<std::int64_t>(std::clamp(gradient[j] * scale, -units, units) + kRound - kRound);
}

std::vector<std::int64_t> lower_medians(std::vector<std::int64_t> sums, std::size_t groups, std::size_t dimension) {
  std::vector<std::int64_t> medians(dimension), column(groups);
  for (std::size_t j = 0; j < dimension; ++j) {
    for (std::size_t i = 0; i < groups; ++i) column[i] = sums[i * dimension + j];
    const auto middle = column.begin() + static_cast<std::ptrdiff_t>((groups - 1) / 2);
    std::nth_element(column.begin(), middle, column.end());
    medians[j] = *middle;
  }
  return medians;
}

}  // namespace

Result<SensitiveSum> Engine::clipped_coordinate_medians(const Samples& samples, std::span<const double> x, double clip,
                                                        std::size_t groups, Gdp cost) try {
  const std::size_t d = samples.dimension();
  TAILCOAT_CHECK(check_samples(samples, x));
  TAILCOAT_CHECK(check_unweighted(samples, "a median of gradients"));
  TAILCOAT_CHECK(check(kClipThresholdOption, clip));
  if (groups == 0 || groups > samples.size())
    return usage_error(fmt::format("{} groups of {} samples; give between 1 and that many", groups, samples.size()));
  const std::size_t group = samples.size() / groups;  // what is left over is in no group
  TAILCOAT_TRY(units, coordinate_units(d, group, cost));
  const double scale = units / clip;

  std::vector<std::int64_t> sums(groups * d);
  const auto for_each_sample = [&](const auto& gradient_of) {
    return workers_->for_each_chunk(groups, 1, [&](std::size_t, std::size_t begin, std::size_t end) {
      std::vector<double> gradient(d);
      for (std::size_t i = begin * group; i < end * group; ++i) {
        std::ranges::fill(gradient, 0.0);
        gradient_of(samples.first_ + i, gradient);
        add_coordinates(gradient, scale, units, std::span(sums).subspan(i / group * d, d));
      }
    });
  };
  std::exception_ptr thrown;
  if (samples.glm_loss() != nullptr) {
    const double* labels = SensitiveKey::open(samples.data_->labels_).data();
    const AlignedVector padded_x = padded_copy(x);
    thrown = std::visit(
        [&](const auto& loss, const auto& rows) {
          return for_each_sample([&](std::size_t i, std::span<double> gradient) {
            const auto* row = rows.data + i * rows.stride;
            const double slope = loss.derivative(row_margin(row, padded_x.data(), d), labels[i]);
            for (std::size_t j = 0; j < d; ++j) gradient[j] = slope * static_cast<double>(row[j]);
          });
        },
        samples.loss_, SensitiveKey::open(samples.data_->features_.contents_).features);
  } else {
    const SampleGradient& gradient = samples.functions()->gradient;
    thrown = for_each_sample([&](std::size_t i, std::span<double> result) {
      gradient(i, x, result);
      std::fesetenv(FE_DFL_ENV);  // a callback may have changed it; Workers sets it back afterwards
    });
  }
  if (thrown) return error_of(thrown);
  return SensitiveSum{.units = Sensitive(lower_medians(std::move(sums), groups, d)),
                      .size = d,
                      .unit = clip / units,
                      .sensitivity = mul_up(2 * units, sqrt_up(static_cast<double>(d)))};
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace tailcoat
