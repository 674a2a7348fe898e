// ArrowColumn: one column of an Arrow stream as cells of a table: numbers, or places in the levels of a text column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "arrow_abi.hpp"
#include "tailcoat/base/result.hpp"
#include "tailcoat/data/column.hpp"

namespace tailcoat::python {

// Types of Arrow that can be read, as far as they differ for us.
enum class ArrowType {
  boolean,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f16,
  f32,
  f64,
  decimal,
  utf8,
  large_utf8,
  utf8_view,
  null
};

// How a decimal is written: a whole number of so many bytes, to be divided by a power of ten.
struct Decimal {
  std::size_t bytes = 16;
  double divisor = 1;
};

class ArrowColumn {
 public:
  // As texts, as numbers, which texts refuse, or as what it is. An error names the column and its type.
  static Result<ArrowColumn> create(const ArrowSchema& schema, std::optional<bool> as_text);

  [[nodiscard]] bool holds_texts() const { return type_ >= ArrowType::utf8 && type_ != ArrowType::null; }
  // "text", "bool", "int" or "float"
  [[nodiscard]] const char* kind() const;
  // At the begin of each batch, if the column has a dictionary: forgets the one before, then learns entries of this
  // one.
  void forget() { meaning_.clear(); }
  void learn(const ArrowArray& dictionary, std::int64_t first, std::int64_t count, Column& column);
  // Cells first, ..., first + count - 1 of the array to out[0], out[stride], ...; new texts go to column.levels.
  Result<void> read(const ArrowArray& array, std::int64_t first, std::int64_t count, double* out, std::size_t stride,
                    Column& column);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  double place_of(std::string_view text, Column& column);
  template <class T>
  void read_numbers(const ArrowArray&, std::int64_t begin, std::int64_t count, double* out, std::size_t stride) const;
  void read_plain(ArrowType, const ArrowArray&, std::int64_t first, std::int64_t count, double* out, std::size_t stride,
                  Column& column);
  Result<void> look_up(std::int64_t count, double* out, std::size_t stride, const Column& column) const;
  void numbers_to_texts(std::int64_t count, double* out, std::size_t stride, Column& column);

  ArrowType type_{};                   // of the values
  ArrowType index_ = ArrowType::null;  // of a dictionary's indices; null: none
  bool as_text_ = false;
  Decimal decimal_;
  std::vector<double> meaning_;  // of the dictionary's entries
  std::unordered_map<std::string, double, Hash, std::equal_to<>> places_;
};

}  // namespace tailcoat::python
