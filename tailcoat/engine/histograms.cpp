// A histogram of every column in one pass. A row is in one bin of each column, so replacing it moves one count of a
// column down and one up, by 1: sqrt(2 d) in all, for d columns with bins. Counts are whole numbers, taken `weight` times (lattice.md).
#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "tailcoat/engine/engine.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/pass.hpp"
#include "tailcoat/engine/workers.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

using Counts = std::vector<std::int64_t>;

std::size_t counted_columns(std::span<const BinGrid> grids) {
  return static_cast<std::size_t>(std::ranges::count_if(grids, [](const BinGrid& grid) { return bin_count(grid) > 0; }));
}

Result<void> check_grids(std::span<const BinGrid> grids, std::size_t columns) {
  if (grids.size() != columns)
    return usage_error(fmt::format("{} grids for {} columns; give one for each", grids.size(), columns));
  for (const BinGrid& grid : grids) TAILCOAT_CHECK(check(grid));
  if (counted_columns(grids) > 0) return {};
  return usage_error("no column has bins; give at least one a grid");
}

// Where the counts of each column start; in the end, their number.
std::vector<std::size_t> bin_offsets(std::span<const BinGrid> grids) {
  std::vector<std::size_t> offsets(grids.size() + 1);
  for (std::size_t j = 0; j < grids.size(); ++j) offsets[j + 1] = offsets[j] + bin_count(grids[j]);
  return offsets;
}

template <class T, class Index>
void count_column(const RowsOf<T>& block, std::size_t column, const Index& index, std::int64_t* counts) {
  const T* value = block.data + column;
  for (std::size_t i = 0; i < block.rows; ++i, value += block.stride) ++counts[index(static_cast<double>(*value))];
}

// Column by column within blocks that stay in the cache: what kind a grid is, is asked once per block.
template <class T>
void count_rows(const RowsOf<T>& rows, std::span<const BinGrid> grids, std::span<const std::size_t> offsets,
                Counts& counts) {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 14, kLeastRows = 64;
  const std::size_t step = std::max(kBlockBytes / (rows.columns * sizeof(T)), kLeastRows);
  for (std::size_t first = 0; first < rows.rows; first += step) {
    const RowsOf<T> block = part_of(rows, first, std::min(rows.rows, first + step));
    for (std::size_t j = 0; j < rows.columns; ++j) {
      if (offsets[j] == offsets[j + 1]) continue;
      with_index(grids[j], [&](const auto& index) { count_column(block, j, index, counts.data() + offsets[j]); });
    }
  }
}

}  // namespace

Result<SensitiveSum> Engine::histograms(const RowData& data, std::span<const BinGrid> grids, Gdp cost) try {
  TAILCOAT_CHECK(check_grids(grids, data.dimension()));
  TAILCOAT_TRY(lattice, count_lattice(data.rows(), 2 * static_cast<double>(counted_columns(grids)), cost));
  const std::vector<std::size_t> offsets = bin_offsets(grids);
  std::vector<Counts> parts(workers_->count());
  const auto count = [&](const auto& rows) {
    return workers_->for_each_chunk(rows.rows, chunk_rows(rows, *workers_),
                                    [&](std::size_t worker, std::size_t begin, std::size_t end) {
                                      parts[worker].resize(offsets.back());
                                      count_rows(part_of(rows, begin, end), grids, offsets, parts[worker]);
                                    });
  };
  if (const auto thrown = std::visit(count, SensitiveKey::open(data.contents_).features)) return error_of(thrown);
  Counts total(offsets.back());
  for (const Counts& part : parts)
    for (std::size_t i = 0; i < part.size(); ++i) total[i] += part[i];
  return on_lattice(lattice, std::move(total));
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace tailcoat
