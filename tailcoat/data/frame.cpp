#include "tailcoat/data/frame.hpp"

#include <fmt/format.h>

#include "tailcoat/data/text.hpp"

namespace tailcoat {
namespace {

template <class T>
Result<void> check_layout(const RowsOf<T>& cells) {
  if (cells.stride < cells.columns)
    return usage_error(
        fmt::format("rows of {} cells are {} apart; they must not overlap", cells.columns, cells.stride));
  if (cells.data == nullptr && cells.rows > 0) return usage_error("the pointer to the cells is null");
  return {};
}

}  // namespace

Rows Frame::column(std::size_t position) const {
  if (position == column_count(cells)) return RowsOf<double>{apart.data(), apart.size(), 1, 1};
  return std::visit(
      [&]<class T>(const RowsOf<T>& all) -> Rows {
        return RowsOf<T>{all.data + position, all.rows, 1, all.stride};
      },
      cells);
}

Frame frame_of(const Table& table) { return {.columns = table.columns(), .cells = table.view()}; }

Result<void> check(const Frame& frame) {
  TAILCOAT_CHECK(check_columns(frame.columns));
  TAILCOAT_CHECK(std::visit([](const auto& cells) { return check_layout(cells); }, frame.cells));
  const std::size_t columns = column_count(frame.cells) + (frame.apart.empty() ? 0 : 1);
  if (frame.columns.size() != columns)
    return usage_error(fmt::format("{} columns are named, but {} are there", frame.columns.size(), columns));
  if (!frame.apart.empty() && frame.apart.size() != frame.rows())
    return data_error(fmt::format("column {} has {} numbers for {} rows; give one for each",
                                  in_quotes(frame.columns.back().name), frame.apart.size(), frame.rows()));
  return {};
}

Result<void> check_apart(const Frame& frame, std::string_view name) {
  if (frame.apart.empty() || frame.columns.back().name == name) return {};
  return usage_error(fmt::format("column {} is kept apart, which only the target {} can be",
                                 in_quotes(frame.columns.back().name), in_quotes(name)));
}

}  // namespace tailcoat
