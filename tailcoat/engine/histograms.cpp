// A histogram of every column in one pass. A row is in one bin of each column, so replacing it moves one count of a
// column down and one up, by 1: sqrt(2 d) in all, for d columns with bins. Counts are whole numbers, taken `weight`
// times (lattice.md).
#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "tailcoat/data/frame.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/pass.hpp"
#include "tailcoat/engine/workers.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

using Counts = std::vector<std::int64_t>;

std::size_t counted_columns(std::span<const BinGrid> grids) {
  return static_cast<std::size_t>(
      std::ranges::count_if(grids, [](const BinGrid& grid) { return bin_count(grid) > 0; }));
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

RowsOf<double> as_rows(std::span<const double> column) { return {column.data(), column.size(), 1, 1}; }

Result<void> check_kept(const RowData& data) {
  if (!data.made()) return {};
  return usage_error("counts need rows that are kept in memory, these are made anew in each pass");
}

Counts total(const std::vector<Counts>& parts, std::size_t size) {
  Counts sum(size);
  for (const Counts& part : parts)
    for (std::size_t i = 0; i < part.size(); ++i) sum[i] += part[i];
  return sum;
}

}  // namespace

Result<SensitiveSum> Engine::histograms(const RowData& data, std::span<const BinGrid> grids, Gdp cost) try {
  TAILCOAT_CHECK(check_kept(data));
  TAILCOAT_CHECK(check_grids(grids, data.dimension()));
  TAILCOAT_TRY(lattice, count_lattice(data.rows(), 2 * static_cast<double>(counted_columns(grids)), cost));
  const std::vector<std::size_t> offsets = bin_offsets(grids);
  std::vector<Counts> parts(workers_->count());
  const auto& contents = SensitiveKey::open(data.contents_);
  const auto count = [&](const auto& rows) {
    return workers_->for_each_chunk(
        rows.rows, chunk_rows(rows, *workers_), [&](std::size_t worker, std::size_t begin, std::size_t end) {
          parts[worker].resize(offsets.back());
          count_rows(part_of(rows, begin, end), grids, offsets, parts[worker]);
          if (contents.apart.empty()) return;
          count_rows(part_of(as_rows(contents.apart), begin, end), grids.subspan(rows.columns),
                     std::span(offsets).subspan(rows.columns), parts[worker]);
        });
  };
  if (const auto thrown = std::visit(count, contents.features)) return error_of(thrown);
  return on_lattice(lattice, total(parts, offsets.back()));
} catch (...) {
  return error_of(std::current_exception());
}

Result<Sensitive<std::vector<std::int64_t>>> Engine::level_counts(const RowData& data, std::size_t column,
                                                                  std::size_t levels) try {
  if (column >= data.dimension())
    return usage_error(fmt::format("column {} of {}; the first is 0", column, data.dimension()));
  TAILCOAT_CHECK(check_kept(data));
  std::vector<Counts> parts(workers_->count());
  const auto count = [&](const auto& rows) {
    return workers_->for_each_chunk(rows.rows, chunk_rows(rows, *workers_),
                                    [&](std::size_t worker, std::size_t begin, std::size_t end) {
                                      Counts& counts = parts[worker];
                                      counts.resize(levels + 1);  // the last one is for cells that are no level
                                      for (std::size_t i = begin; i < end; ++i)
                                        ++counts[level_of(static_cast<double>(rows.data[i * rows.stride]), levels)];
                                    });
  };
  const auto& contents = SensitiveKey::open(data.contents_);
  const Rows one = Frame{.columns = {}, .cells = contents.features, .apart = contents.apart}.column(column);
  if (const auto thrown = std::visit(count, one)) return error_of(thrown);
  Counts sum = total(parts, levels + 1);
  sum.pop_back();
  return Sensitive(std::move(sum));
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace tailcoat
