#include "tailcoat/data/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

#include "tailcoat/base/checked.hpp"
#include "tailcoat/data/text.hpp"

namespace tailcoat {
namespace {

template <class T>
T* as(Buffer& buffer) {
  return reinterpret_cast<T*>(buffer.data());
}

template <class T>
const T* as(const Buffer& buffer) {
  return reinterpret_cast<const T*>(buffer.data());
}

// Row by row to the front. A new row ends before the next old one begins, so one row of scratch is enough.
template <class T>
void compact(T* cells, std::size_t rows, std::size_t columns, std::span<const std::size_t> kept) {
  std::vector<T> row(columns);
  for (std::size_t i = 0; i < rows; ++i) {
    std::copy_n(cells + i * columns, columns, row.begin());
    T* out = cells + i * kept.size();
    for (std::size_t j = 0; j < kept.size(); ++j) out[j] = row[kept[j]];
  }
}

bool is_level(double cell, const Column& column) {
  if (std::isnan(cell)) return true;
  return cell >= 0 && cell < static_cast<double>(column.levels.size()) && cell == std::floor(cell);
}

}  // namespace

Result<Table> Table::create(std::vector<Column> columns, Storage storage) {
  TAILCOAT_CHECK(check_columns(columns));
  return Table(std::move(columns), storage);
}

Result<void> Table::check(std::span<const double> cells, std::span<const Column> columns) const {
  const double largest = storage_ == Storage::f64 ? std::numeric_limits<double>::max()
                                                  : static_cast<double>(std::numeric_limits<float>::max());
  bool all_fit = true;
  for (const double cell : cells) all_fit &= !(std::abs(cell) > largest);  // NaN fits
  const auto is_number = [](const Column& column) { return column.kind == ColumnKind::number; };
  if (all_fit && std::all_of(columns.begin(), columns.end(), is_number)) return {};

  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Column& column = columns[i % columns.size()];
    const bool fits = !(std::abs(cells[i]) > largest);
    if (fits && (is_number(column) || is_level(cells[i], column))) continue;
    const std::string reason = fits                   ? fmt::format("is none of its {} levels", column.levels.size())
                               : std::isinf(cells[i]) ? "is not finite; leave it empty if it is missing"
                                                      : "does not fit a float; use f64 storage";
    return data_error(not_private(fmt::format("{} in row {}, column {} {}", cells[i], rows_ + i / columns.size() + 1,
                                              in_quotes(column.name), reason)));
  }
  return {};
}

Result<void> Table::reserve(std::size_t rows) {
  const auto cells = checked_mul(rows, columns_.size());
  const auto bytes = cells ? checked_mul(*cells, cell_size()) : cells;
  if (!bytes) return data_error(fmt::format("{} rows of {} columns are too many", rows, columns_.size()));
  if (*bytes <= matrix_.size()) return {};
  // Half as much again is address space, not memory, until it is written.
  if (const std::size_t ahead = matrix_.size() + matrix_.size() / 2; ahead > *bytes && matrix_.resize(ahead)) return {};
  return matrix_.resize(*bytes);
}

Result<void> Table::append(std::span<const double> cells) { return append(cells, columns_); }

Result<void> Table::append(std::span<const double> cells, std::span<const Column> columns) {
  if (cells.size() % columns_.size() != 0) {
    return usage_error(fmt::format("{} cells are no whole rows of {} columns", cells.size(), columns_.size()));
  }
  TAILCOAT_CHECK(check(cells, columns));
  const std::size_t added = cells.size() / columns_.size();
  TAILCOAT_CHECK(reserve(rows_ + added));
  const std::size_t end = rows_ * columns_.size();
  if (storage_ == Storage::f64) {
    std::copy(cells.begin(), cells.end(), as<double>(matrix_) + end);
  } else {
    std::transform(cells.begin(), cells.end(), as<float>(matrix_) + end,
                   [](double cell) { return static_cast<float>(cell); });
  }
  rows_ += added;
  return {};
}

Rows Table::view() const {
  const std::size_t columns = columns_.size();
  if (storage_ == Storage::f64) return RowsOf<double>{as<double>(matrix_), rows_, columns, columns};
  return RowsOf<float>{as<float>(matrix_), rows_, columns, columns};
}

Result<std::vector<double>> Table::values(std::string_view name) const {
  TAILCOAT_TRY(position, index_of(name));
  try {
    std::vector<double> values(rows_);
    std::visit(
        [&](const auto& rows) {
          for (std::size_t i = 0; i < rows_; ++i) values[i] = static_cast<double>(rows.row(i)[position]);
        },
        view());
    return values;
  } catch (const std::bad_alloc&) {
    return system_error(fmt::format("no memory for {} values of column {}", rows_, in_quotes(name)));
  }
}

Buffer Table::take_matrix() && {
  rows_ = 0;
  return std::exchange(matrix_, {});
}

Result<void> Table::select(std::span<const std::string> names) {
  if (names.empty()) return usage_error("a selection of no columns; name at least one");
  TAILCOAT_TRY(positions, find_columns(columns_, names));
  keep(positions);
  return {};
}

Result<void> Table::drop(std::span<const std::string> names) {
  TAILCOAT_TRY(dropped, find_columns(columns_, names));
  if (dropped.size() == columns_.size()) return usage_error("no columns would be left; keep at least one");
  std::sort(dropped.begin(), dropped.end());
  std::vector<std::size_t> all(columns_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::size_t> kept;
  std::set_difference(all.begin(), all.end(), dropped.begin(), dropped.end(), std::back_inserter(kept));
  keep(kept);
  return {};
}

void Table::keep(std::span<const std::size_t> positions) {
  if (storage_ == Storage::f64) {
    compact(as<double>(matrix_), rows_, columns_.size(), positions);
  } else {
    compact(as<float>(matrix_), rows_, columns_.size(), positions);
  }
  std::vector<Column> kept;
  for (const std::size_t position : positions) kept.push_back(std::move(columns_[position]));
  columns_ = std::move(kept);
  // A failure to give memory back harms nobody.
  static_cast<void>(matrix_.resize(rows_ * columns_.size() * cell_size()));
}

}  // namespace tailcoat
