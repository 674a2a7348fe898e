// Counts of values outside an interval, one per column. A row moves each count by at most 1, so d counts move by at
// most sqrt(d): each is taken `weight` times, the largest whole number with weight sqrt(d) <= 2^26 mu.
#include <fmt/format.h>

#include <cmath>
#include <limits>
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

Result<void> check_bounds(const char* name, std::span<const double> bounds, std::size_t columns) {
  if (bounds.size() != columns)
    return usage_error(fmt::format("{} {} bounds for {} columns; give one for each", bounds.size(), name, columns));
  for (std::size_t j = 0; j < columns; ++j) {
    if (std::isnan(bounds[j])) return usage_error(fmt::format("{}[{}] = nan; give a number or an infinity", name, j));
  }
  return {};
}

Result<std::int64_t> count_weight(std::size_t rows, std::size_t columns, Gdp cost) {
  TAILCOAT_CHECK(check(cost));
  const double root = sqrt_up(static_cast<double>(columns));
  const double weight = std::floor(div_down(mul_down(kGaussianScale, cost.mu), root));
  const double most = div_down(kLargestTotal, static_cast<double>(rows));
  if (weight >= 1 && weight <= most) return static_cast<std::int64_t>(weight);
  return refusal(
      fmt::format("mu = {} gives each of {} counts a weight of {} lattice units; give mu between {:.4g} and "
                  "{:.4g}",
                  cost.mu, columns, weight, div_up(root, kGaussianScale), most * (root / kGaussianScale)));
}

}  // namespace

Result<SensitiveSum> Engine::counts_outside(const RowData& data, std::span<const double> lower,
                                            std::span<const double> upper, Gdp cost) try {
  const std::size_t columns = data.dimension();
  TAILCOAT_CHECK(check_bounds("lower", lower, columns));
  TAILCOAT_CHECK(check_bounds("upper", upper, columns));
  TAILCOAT_TRY(weight, count_weight(data.rows(), columns, cost));

  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const AlignedVector below = padded_copy(lower, -kInfinity), above = padded_copy(upper, kInfinity);
  const auto count = [&](const auto& rows) {
    const SumShape shape{.rows = rows.rows, .chunk = chunk_rows(rows, *workers_), .size = columns, .largest_term = 1};
    return exact_sum(*workers_, shape, [&](LatticeSums& sums, std::size_t begin, std::size_t end) {
      count_outside(part_of(rows, begin, end), below.data(), above.data(), sums.room_for(end - begin));
    });
  };
  TAILCOAT_TRY(units, std::visit(count, SensitiveKey::open(data.contents_).features));
  for (std::int64_t& value : units) value *= weight;
  const auto factor = static_cast<double>(weight);
  return SensitiveSum{.units = Sensitive(std::move(units)),
                      .size = columns,
                      .unit = 1 / factor,
                      .sensitivity = mul_up(factor, sqrt_up(static_cast<double>(columns)))};
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace tailcoat
