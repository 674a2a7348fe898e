// Frame: named columns over numbers that somebody else owns, as a Table or an array of another program. A view: nothing
// is copied, and what it is made of must outlive it and must not change. A missing cell is NaN; in memory that is not a
// Table's a cell may also be infinite, and a text cell may be the index of no level: that counts as missing.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/data/column.hpp"
#include "tailcoat/data/rows.hpp"
#include "tailcoat/data/table.hpp"

namespace tailcoat {

struct Frame {
  std::vector<Column> columns;         // those of `cells`, then the one that is kept apart, if there is one
  Rows cells;                          // row after row
  std::span<const double> apart = {};  // one more column, e.g. the y of an array; empty: none

  [[nodiscard]] std::size_t rows() const { return row_count(cells); }
  [[nodiscard]] Result<std::size_t> index_of(std::string_view name) const { return find_column(columns, name); }
  // One column of the numbers.
  [[nodiscard]] Rows column(std::size_t position) const;
};

// Valid until the table changes or moves.
Frame frame_of(const Table& table);

// Refuses columns that are not as many as there are, or that a Table would refuse, and a length of `apart` that is not
// the number of rows; rows that overlap.
Result<void> check(const Frame& frame);
// Refuses a column apart, if there is one, that is not the one of this name.
Result<void> check_apart(const Frame& frame, std::string_view name);

// The index of a text cell among `levels` levels; `levels` where the cell is missing or no level.
inline std::size_t level_of(double cell, std::size_t levels) {
  const bool within = cell >= 0 && cell < static_cast<double>(levels);
  const auto k = static_cast<std::size_t>(within ? cell : 0);
  return within && static_cast<double>(k) == cell ? k : levels;
}

}  // namespace tailcoat
