// Columns: names (public) and kinds. A kind is declared by the caller and never guessed from the cells, because the
// guess itself would tell something about them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tailcoat/base/result.hpp"

namespace tailcoat {

enum class ColumnKind {
  number,
  text,  // a cell is the index of its text in `levels`
};

struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::number;
  std::vector<std::string> levels = {};  // of a text column, in order of appearance; data, not public
};

inline constexpr std::size_t kMaxColumns = std::size_t{1} << 20;
inline constexpr std::size_t kMaxLevels = std::size_t{1} << 24;  // every level's index is a float

// Refuses none or too many columns, and names that are empty, not UTF-8 or not unique.
Result<void> check_columns(std::span<const Column> columns);

// The position of a column. The error lists the names there are and suggests the nearest.
Result<std::size_t> find_column(std::span<const Column> columns, std::string_view name);

// The positions of several different columns, in the order asked for.
Result<std::vector<std::size_t>> find_columns(std::span<const Column> columns, std::span<const std::string> names);
// The same, where no names mean all columns.
Result<std::vector<std::size_t>> find_columns_or_all(std::span<const Column> columns,
                                                     std::span<const std::string> names);

}  // namespace tailcoat
