#include "arrow_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "tailcoat/data/text.hpp"

namespace tailcoat::python {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// From "d:precision,scale" or "d:precision,scale,bits".
std::optional<Decimal> decimal_of(std::string_view format) {
  int precision = 0, scale = 0, bits = 128;
  if (std::sscanf(std::string(format).c_str(), "d:%d,%d,%d", &precision, &scale, &bits) < 2) return std::nullopt;
  if (bits != 32 && bits != 64 && bits != 128 && bits != 256) return std::nullopt;
  return Decimal{.bytes = static_cast<std::size_t>(bits) / 8, .divisor = std::pow(10.0, scale)};
}

std::optional<ArrowType> type_of(std::string_view format) {
  constexpr std::pair<std::string_view, ArrowType> kTypes[] = {
      {"b", ArrowType::boolean}, {"c", ArrowType::i8},         {"C", ArrowType::u8},         {"s", ArrowType::i16},
      {"S", ArrowType::u16},     {"i", ArrowType::i32},        {"I", ArrowType::u32},        {"l", ArrowType::i64},
      {"L", ArrowType::u64},     {"e", ArrowType::f16},        {"f", ArrowType::f32},        {"g", ArrowType::f64},
      {"u", ArrowType::utf8},    {"U", ArrowType::large_utf8}, {"vu", ArrowType::utf8_view}, {"n", ArrowType::null}};
  for (const auto& [name, type] : kTypes)
    if (name == format) return type;
  if (decimal_of(format)) return ArrowType::decimal;
  return std::nullopt;
}

bool is_text(ArrowType type) { return type >= ArrowType::utf8 && type != ArrowType::null; }

bool bit(const void* bits, std::int64_t i) {
  return (static_cast<const std::uint8_t*>(bits)[i / 8] >> (i % 8) & 1) != 0;
}

bool is_null(const ArrowArray& array, std::int64_t i) {
  return array.null_count != 0 && array.buffers[0] != nullptr && !bit(array.buffers[0], i);
}

// IEEE half precision, which C++20 has no type for.
struct Half {
  std::uint16_t bits;
  explicit operator double() const {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double magnitude = exponent == 31  ? (fraction != 0 ? kMissing : std::numeric_limits<double>::infinity())
                             : exponent == 0 ? std::ldexp(fraction, -24)
                                             : std::ldexp(fraction + 1024, exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
  }
};

// A whole number of 4, 8, 16 or 32 bytes, in two's complement.
double whole_number(const std::uint8_t* bytes, std::size_t count) {
  const bool negative = (bytes[count - 1] & 0x80) != 0;
  double magnitude = 0;
  std::uint64_t limbs[4] = {}, carry = negative ? 1 : 0;
  for (std::size_t k = 0; 8 * k < count; ++k) {
    if (negative) limbs[k] = ~std::uint64_t{0};  // of which 4 bytes replace but a half
    std::memcpy(&limbs[k], bytes + 8 * k, std::min<std::size_t>(8, count));
    if (!negative) continue;
    limbs[k] = ~limbs[k] + carry;
    carry = carry != 0 && limbs[k] == 0 ? 1 : 0;
  }
  for (std::size_t k = 4; k-- > 0;) magnitude = magnitude * 0x1p64 + static_cast<double>(limbs[k]);
  return negative ? -magnitude : magnitude;
}

template <class Offset>
std::string_view text_at(const ArrowArray& array, std::int64_t i) {
  const auto* offsets = static_cast<const Offset*>(array.buffers[1]);
  const auto* bytes = static_cast<const char*>(array.buffers[2]);
  return {bytes + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
}

// A view is a length and up to 12 bytes, or a length, 4 bytes, a buffer and an offset into it.
std::string_view viewed_text(const ArrowArray& array, std::int64_t i) {
  const char* view = static_cast<const char*>(array.buffers[1]) + 16 * i;
  std::int32_t field[4];
  std::memcpy(field, view, sizeof field);
  const auto length = static_cast<std::size_t>(field[0]);
  if (length <= 12) return {view + 4, length};
  return {static_cast<const char*>(array.buffers[2 + field[2]]) + field[3], length};
}

std::string_view text_of(ArrowType type, const ArrowArray& array, std::int64_t i) {
  if (type == ArrowType::utf8) return text_at<std::int32_t>(array, i);
  return type == ArrowType::large_utf8 ? text_at<std::int64_t>(array, i) : viewed_text(array, i);
}

const char* in_words(std::string_view format) {
  if (format.starts_with('t')) return "dates or times";
  if (format.starts_with('+')) return "lists or structures";
  return format.starts_with('z') || format.starts_with('Z') ? "bytes" : "neither numbers nor texts";
}

}  // namespace

Result<ArrowColumn> ArrowColumn::create(const ArrowSchema& schema, std::optional<bool> as_text) {
  const std::string name = in_quotes(schema.name != nullptr ? schema.name : "");
  const ArrowSchema& values = schema.dictionary != nullptr ? *schema.dictionary : schema;
  const auto type = type_of(values.format), index = type_of(schema.format);
  if (!type || !index || values.dictionary != nullptr)
    return data_error(fmt::format("column {} holds {} (Arrow type '{}'); make numbers or texts of it{}, or drop it",
                                  name, in_words(values.format), values.format,
                                  values.format[0] == 't' ? ", such as days since a date" : ""));
  ArrowColumn column;
  column.type_ = *type;
  column.as_text_ = as_text.value_or(is_text(*type));
  if (schema.dictionary != nullptr) column.index_ = *index;
  if (*type == ArrowType::decimal) column.decimal_ = *decimal_of(values.format);
  if (column.holds_texts() && !column.as_text_)
    return data_error(
        fmt::format("column {} holds texts; pass categorical=[{}] (or a dict with its levels: those cost no "
                    "privacy), or drop it",
                    name, name));
  return column;
}

const char* ArrowColumn::kind() const {
  if (as_text_ || holds_texts()) return "text";
  if (type_ == ArrowType::boolean) return "bool";
  return type_ < ArrowType::f16 ? "int" : "float";
}

double ArrowColumn::place_of(std::string_view text, Column& column) {
  if (const auto found = places_.find(text); found != places_.end()) return found->second;
  const auto place = static_cast<double>(column.levels.size());
  column.levels.emplace_back(text);
  places_.emplace(text, place);
  return place;
}

template <class T>
void ArrowColumn::read_numbers(const ArrowArray& array, std::int64_t begin, std::int64_t count, double* out,
                               std::size_t stride) const {
  const T* values = static_cast<const T*>(array.buffers[1]);
  for (std::int64_t i = begin; i < begin + count; ++i, out += stride)
    *out = is_null(array, i) ? kMissing : static_cast<double>(values[i]);
}

void ArrowColumn::read_plain(ArrowType type, const ArrowArray& array, std::int64_t first, std::int64_t count,
                             double* out, std::size_t stride, Column& column) {
  const std::int64_t begin = array.offset + first;
  const auto numbers = [&]<class T>(T) { read_numbers<T>(array, begin, count, out, stride); };
  switch (type) {
    case ArrowType::i8:
      numbers(std::int8_t{});
      break;
    case ArrowType::u8:
      numbers(std::uint8_t{});
      break;
    case ArrowType::i16:
      numbers(std::int16_t{});
      break;
    case ArrowType::u16:
      numbers(std::uint16_t{});
      break;
    case ArrowType::i32:
      numbers(std::int32_t{});
      break;
    case ArrowType::u32:
      numbers(std::uint32_t{});
      break;
    case ArrowType::i64:
      numbers(std::int64_t{});
      break;
    case ArrowType::u64:
      numbers(std::uint64_t{});
      break;
    case ArrowType::f16:
      numbers(Half{});
      break;
    case ArrowType::f32:
      numbers(float{});
      break;
    case ArrowType::f64:
      numbers(double{});
      break;
    case ArrowType::boolean:
      for (std::int64_t i = begin; i < begin + count; ++i, out += stride)
        *out = is_null(array, i) ? kMissing : (bit(array.buffers[1], i) ? 1 : 0);
      break;
    case ArrowType::decimal: {
      const auto* bytes = static_cast<const std::uint8_t*>(array.buffers[1]);
      for (std::int64_t i = begin; i < begin + count; ++i, out += stride)
        *out = is_null(array, i) ? kMissing
                                 : whole_number(bytes + static_cast<std::size_t>(i) * decimal_.bytes, decimal_.bytes) /
                                       decimal_.divisor;
      break;
    }
    case ArrowType::null:
      for (std::int64_t i = 0; i < count; ++i, out += stride) *out = kMissing;
      break;
    case ArrowType::utf8:
    case ArrowType::large_utf8:
    case ArrowType::utf8_view:
      for (std::int64_t i = begin; i < begin + count; ++i, out += stride)
        *out = is_null(array, i) ? kMissing : place_of(text_of(type, array, i), column);
  }
}

void ArrowColumn::learn(const ArrowArray& dictionary, std::int64_t first, std::int64_t count, Column& column) {
  const std::size_t known = meaning_.size();
  meaning_.resize(known + static_cast<std::size_t>(count));
  read_plain(type_, dictionary, first, count, meaning_.data() + known, 1, column);
}

// What indices stand for.
Result<void> ArrowColumn::look_up(std::int64_t count, double* out, std::size_t stride, const Column& column) const {
  for (std::int64_t i = 0; i < count; ++i, out += stride) {
    if (std::isnan(*out)) continue;
    if (!(*out >= 0 && *out < static_cast<double>(meaning_.size())))
      return data_error(fmt::format("column {} has an index outside of its dictionary", in_quotes(column.name)));
    *out = meaning_[static_cast<std::size_t>(*out)];
  }
  return {};
}

void ArrowColumn::numbers_to_texts(std::int64_t count, double* out, std::size_t stride, Column& column) {
  for (std::int64_t i = 0; i < count; ++i, out += stride) {
    if (std::isnan(*out)) continue;
    *out = place_of(type_ == ArrowType::boolean ? (*out != 0 ? "True" : "False") : fmt::format("{}", *out), column);
  }
}

Result<void> ArrowColumn::read(const ArrowArray& array, std::int64_t first, std::int64_t count, double* out,
                               std::size_t stride, Column& column) {
  const bool indices = index_ != ArrowType::null;
  read_plain(indices ? index_ : type_, array, first, count, out, stride, column);
  if (indices) TAILCOAT_CHECK(look_up(count, out, stride, column));
  if (as_text_ && !is_text(type_)) numbers_to_texts(count, out, stride, column);
  return {};
}

}  // namespace tailcoat::python
