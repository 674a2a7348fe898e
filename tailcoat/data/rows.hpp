// Rows: a view of n rows of d numbers, row after row, in double or float. It owns nothing.
#pragma once

#include <cstddef>
#include <span>
#include <variant>

namespace tailcoat {

template <class T>
struct RowsOf {
  const T* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;  // in elements, >= columns

  [[nodiscard]] std::span<const T> row(std::size_t i) const { return {data + i * stride, columns}; }
};

using Rows = std::variant<RowsOf<double>, RowsOf<float>>;

inline std::size_t row_count(const Rows& rows) {
  return std::visit([](const auto& r) { return r.rows; }, rows);
}
inline std::size_t column_count(const Rows& rows) {
  return std::visit([](const auto& r) { return r.columns; }, rows);
}

}  // namespace tailcoat
