// Counts of values outside an interval, one per column. A row moves each count by at most 1, so d counts move by at
// most sqrt(d).
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <variant>

#include "tailcoat/engine/engine.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/pass.hpp"
#include "tailcoat/engine/workers.hpp"
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

}  // namespace

Result<SensitiveSum> Engine::counts_outside(const RowData& data, std::span<const double> lower,
                                            std::span<const double> upper, Gdp cost) try {
  const std::size_t columns = data.dimension();
  TAILCOAT_CHECK(check_plain(data, "counts"));
  TAILCOAT_CHECK(check_bounds("lower", lower, columns));
  TAILCOAT_CHECK(check_bounds("upper", upper, columns));
  TAILCOAT_TRY(lattice, count_lattice(data.rows(), static_cast<double>(columns), cost));

  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const AlignedVector below = padded_copy(lower, -kInfinity), above = padded_copy(upper, kInfinity);
  const auto count = [&](const auto& rows) {
    const SumShape shape{.rows = rows.rows, .chunk = chunk_rows(rows, *workers_), .size = columns, .largest_term = 1};
    return exact_sum(*workers_, shape, [&](LatticeSums& sums, std::size_t begin, std::size_t end) {
      count_outside(part_of(rows, begin, end), below.data(), above.data(), sums.room_for(end - begin));
    });
  };
  TAILCOAT_TRY(counts, std::visit(count, SensitiveKey::open(data.contents_).features));
  return on_lattice(lattice, std::move(counts));
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace tailcoat
