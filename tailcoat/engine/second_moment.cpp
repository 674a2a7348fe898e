// The sum of outer products of clipped rows. A row a becomes b = s a with |b|^2 <= R lattice units; its contribution is
// the upper triangle of b b^T, off-diagonal entries times sqrt(2), rounded to integers. Two of them are at most
// sqrt(2) R apart before rounding (lattice.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "tailcoat/base/checked.hpp"
#include "tailcoat/base/rounding.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/pass.hpp"
#include "tailcoat/engine/workers.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

constexpr NumberOption kRadiusOption{
    .name = "radius", .meaning = "largest norm of a row", .lowest = 0x1p-450, .highest = 0x1p450};

// Sums are laid out as the diagonal, followed by all rows of the matrix, each padded.
Result<std::size_t> sum_size(std::size_t columns) {
  const auto products = checked_mul(columns, padded(columns));
  const auto size = products ? checked_add(*products, padded(columns)) : std::nullopt;
  if (size && checked_mul(*size, sizeof(double))) return *size;
  return refusal(fmt::format("a matrix of {0} x {0} numbers is more than memory can hold; use fewer columns", columns));
}

// Adds the rows [begin, end) in tiles; a row that contributes nothing, or is missing in the last tile, is all zeros.
template <class T>
void add_products_of(const RowsOf<T>& rows, const double* norms, Clip clip, std::size_t begin, std::size_t end,
                     LatticeSums& sums) {
  const std::size_t width = padded(rows.columns);
  AlignedVector tile(kTileRows * width);
  const std::array<const double*, kTileRows> b = {&tile[0], &tile[width], &tile[2 * width], &tile[3 * width]};
  for (std::size_t first = begin; first < end; first += kTileRows) {
    std::ranges::fill(tile, 0.0);
    for (std::size_t i = first; i < std::min(end, first + kTileRows); ++i) {
      const double s = std::min(clip.scale, clip.limit * norms[i]);
      if (s == 0) continue;
      const auto row = rows.row(i);
      double* const scaled = &tile[(i - first) * width];
      for (std::size_t j = 0; j < rows.columns; ++j) scaled[j] = s * static_cast<double>(row[j]);
    }
    double* const diagonal = sums.room_for(kTileRows);
    add_outer_products(b, rows.columns, diagonal, diagonal + width);
  }
}

std::vector<std::int64_t> packed_triangle(const std::vector<std::int64_t>& sums, std::size_t columns) {
  std::vector<std::int64_t> packed;
  packed.reserve(columns * (columns + 1) / 2);
  for (std::size_t j = 0; j < columns; ++j) {
    packed.push_back(sums[j]);
    const auto row = sums.begin() + static_cast<std::ptrdiff_t>((j + 1) * padded(columns));
    packed.insert(packed.end(), row + static_cast<std::ptrdiff_t>(j + 1), row + static_cast<std::ptrdiff_t>(columns));
  }
  return packed;
}

}  // namespace

Result<SensitiveSum> Engine::second_moment_sum(const RowData& data, double radius, Gdp cost) try {
  TAILCOAT_CHECK(check(kRadiusOption, radius));
  TAILCOAT_CHECK(check_norms(data));
  const std::size_t columns = data.dimension(), size = columns * (columns + 1) / 2;
  TAILCOAT_TRY(layout, sum_size(columns));
  const double factor = sqrt_up(2);
  TAILCOAT_TRY(units, contribution_units(factor, size, cost));
  const Clip clip{.scale = std::sqrt(units) / radius, .limit = sqrt_down(shrunk_units(units, columns, kOuterSlack))};

  const auto sum = [&](const auto& rows) {
    const double* norms = SensitiveKey::open(data.contents_).inverse_norms.data();
    // A product is at most units in magnitude; sqrt(2) times that where products holds what means nothing.
    const SumShape shape{
        .rows = rows.rows,
        .chunk = std::min(chunk_rows(rows, *workers_), rows.rows / (8 * workers_->count()) + kTileRows),
        .size = layout,
        .largest_term = 1.5 * units};
    return exact_sum(*workers_, shape, [&](LatticeSums& sums, std::size_t begin, std::size_t end) {
      add_products_of(rows, norms, clip, begin, end, sums);
    });
  };
  TAILCOAT_TRY(sums, std::visit(sum, SensitiveKey::open(data.contents_).features));
  return SensitiveSum{.units = Sensitive(packed_triangle(sums, columns)),
                      .size = size,
                      .unit = radius * radius / units,
                      .sensitivity = rounded_sensitivity(factor, units, size)};
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace tailcoat
