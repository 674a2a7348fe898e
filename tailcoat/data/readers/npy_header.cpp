#include "tailcoat/data/readers/npy_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tailcoat/base/checked.hpp"
#include "tailcoat/data/column.hpp"
#include "tailcoat/data/text.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kMaxHeaderBytes = 1 << 16;

struct Entries {
  std::string type;  // as written, without quotes
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::size_t>> shape;
};

// Reads the Python dictionary {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }. Only what NumPy writes.
class DictionaryParser {
 public:
  explicit DictionaryParser(std::string_view text) : rest_(text) {}

  std::optional<Entries> parse() {
    Entries entries;
    if (!take("{")) return std::nullopt;
    while (!take("}")) {
      if (!parse_entry(entries)) return std::nullopt;
      if (!take(",") && !peek("}")) return std::nullopt;
    }
    skip_blanks();
    if (!rest_.empty() || entries.type.empty() || !entries.fortran_order || !entries.shape) return std::nullopt;
    return entries;
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }

  bool peek(std::string_view token) {
    skip_blanks();
    return rest_.starts_with(token);
  }

  bool take(std::string_view token) {
    if (!peek(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  bool parse_entry(Entries& entries) {
    if (take("'descr'")) return take(":") && parse_type(entries.type);
    if (take("'fortran_order'")) return take(":") && parse_bool(entries.fortran_order);
    if (take("'shape'")) return take(":") && parse_shape(entries.shape);
    return false;
  }

  bool parse_bool(std::optional<bool>& value) {
    if (take("True")) value = true;
    if (take("False")) value = false;
    return value.has_value();
  }

  // A string, or the list of fields of a structured type, which is kept for the message that refuses it.
  bool parse_type(std::string& type) {
    const bool structured = peek("[");
    if (!structured && !take("'")) return false;
    const std::size_t end = rest_.find(structured ? ']' : '\'');
    if (end == std::string_view::npos) return false;
    type = rest_.substr(0, structured ? end + 1 : end);
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool parse_shape(std::optional<std::vector<std::size_t>>& shape) {
    if (!take("(")) return false;
    std::vector<std::size_t> extents;
    while (!take(")")) {
      skip_blanks();
      std::size_t extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc()) return false;
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      extents.push_back(extent);
      if (!take(",") && !peek(")")) return false;
    }
    shape = std::move(extents);
    return true;
  }

  std::string_view rest_;
};

std::string shown(const InputFile& file) { return in_quotes(file.path(), 200); }

// The dictionary's text; sets data_offset.
Result<std::string> read_dictionary(const InputFile& file, NpyHeader& header) {
  const Error foreign = data_error(fmt::format("{} is not an NPY file of version 1, 2 or 3", shown(file)));
  unsigned char fixed[12] = {};
  TAILCOAT_TRY(count, file.read_at(0, {reinterpret_cast<char*>(fixed), sizeof fixed}));
  if (count < sizeof fixed || std::memcmp(fixed, "\x93NUMPY", 6) != 0) return foreign;
  const unsigned version = fixed[6];
  if (version < 1 || version > 3) return foreign;
  const std::size_t start = version == 1 ? 10 : 12;
  std::size_t length = fixed[8] + 256u * fixed[9];
  if (version > 1) length += std::size_t{65536} * (fixed[10] + 256u * fixed[11]);
  if (length > kMaxHeaderBytes) {
    return data_error(
        fmt::format("{} has an NPY header of {} bytes; at most {} are served", shown(file), length, kMaxHeaderBytes));
  }
  std::string dictionary(length, '\0');
  TAILCOAT_TRY(got, file.read_at(start, dictionary));
  if (got < length) return data_error(fmt::format("{} ends inside its NPY header; it is incomplete", shown(file)));
  header.data_offset = start + length;
  return dictionary;
}

Result<std::size_t> cell_size_of(const InputFile& file, const std::string& type) {
  if (type == "<f8") return sizeof(double);
  if (type == "<f4") return sizeof(float);
  return data_error(
      fmt::format("{} holds numbers of type {}; save it as little-endian float or double, e.g. with "
                  "array.astype('<f8')",
                  shown(file), in_quotes(type)));
}

Result<void> check_size(const InputFile& file, const NpyHeader& header) {
  if (header.columns == 0 || header.columns > kMaxColumns) {
    return data_error(fmt::format("{} has {} columns; 1 to {} are served", shown(file), header.columns, kMaxColumns));
  }
  const auto cells = checked_mul<std::uint64_t>(header.rows, header.columns);
  const auto bytes = cells ? checked_mul<std::uint64_t>(*cells, header.cell_size) : cells;
  const auto end = bytes ? checked_add<std::uint64_t>(*bytes, header.data_offset) : bytes;
  if (end && *end == file.size()) return {};
  return data_error(fmt::format("{} has {} bytes where an array of {} x {} needs {}; it is incomplete or damaged",
                                shown(file), file.size(), header.rows, header.columns,
                                end ? std::to_string(*end) : "more than there can be"));
}

}  // namespace

Result<NpyHeader> read_npy_header(const InputFile& file) {
  NpyHeader header;
  TAILCOAT_TRY(dictionary, read_dictionary(file, header));
  const auto entries = DictionaryParser(dictionary).parse();
  if (!entries) return data_error(fmt::format("{} has an NPY header that cannot be understood", shown(file)));
  TAILCOAT_TRY(cell_size, cell_size_of(file, entries->type));
  const std::vector<std::size_t>& shape = *entries->shape;
  if (shape.empty() || shape.size() > 2) {
    return data_error(fmt::format("{} holds an array of {} dimensions; 1 or 2 are served", shown(file), shape.size()));
  }
  header.cell_size = cell_size;
  header.fortran_order = *entries->fortran_order;
  header.rows = shape[0];
  header.columns = shape.size() == 2 ? shape[1] : 1;
  TAILCOAT_CHECK(check_size(file, header));
  return header;
}

}  // namespace tailcoat
