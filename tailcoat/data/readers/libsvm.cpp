// LIBSVM: one row per line, "label index:value ...", indices from 1 upwards, '#' begins a comment. Rows come out dense,
// as the columns label, x1, ..., x<features>; an index that is not named is 0.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "tailcoat/data/readers/cell.hpp"
#include "tailcoat/data/readers/number.hpp"
#include "tailcoat/data/readers/readers.hpp"
#include "tailcoat/data/readers/text_window.hpp"
#include "tailcoat/data/text.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kNotRead = std::numeric_limits<std::size_t>::max();

class LibsvmRows final : public RowSource {
 public:
  LibsvmRows(ByteStream stream, const ReadOptions& options, std::vector<Column> columns, std::vector<std::size_t> slots)
      : window_(std::move(stream), options.chunk_bytes),
        cells_(options.missing),
        columns_(std::move(columns)),
        slots_(std::move(slots)) {}

  std::span<const Column> columns() const override { return columns_; }

 private:
  Result<std::size_t> read_rows(double* block, std::size_t rows) override;
  Result<void> restart() override;

  // The next line without comment and blanks around it; without a value at the end of the file.
  Result<std::optional<std::string_view>> next_line();
  Result<void> parse_line(std::string_view line, double* row) const;
  Result<void> parse_feature(std::string_view token, std::size_t& last, double* row) const;
  Result<void> parse_value(std::string_view text, std::size_t feature, double* row) const;
  [[nodiscard]] std::string here() const { return fmt::format("line {} of {}", line_, in_quotes(window_.path(), 200)); }

  TextWindow window_;
  CellParser cells_;
  std::vector<Column> columns_;
  std::vector<std::size_t> slots_;  // the column of the label, of feature 1, ..., or kNotRead
  std::size_t line_ = 0;            // of the line last returned
};

Result<std::optional<std::string_view>> LibsvmRows::next_line() {
  for (;;) {
    const auto* end = static_cast<const char*>(std::memchr(window_.begin(), '\n', window_.size()));
    if (end != nullptr) {
      std::string_view line(window_.begin(), end);
      window_.consume_to(end + 1);
      ++line_;
      line = line.substr(0, line.find('#'));
      if (line.ends_with('\r')) line.remove_suffix(1);
      return std::optional(trimmed(line));
    }
    if (window_.size() >= kMaxRecordBytes) {
      ++line_;
      return data_error(not_private(fmt::format("{} is longer than {} bytes", here(), kMaxRecordBytes)));
    }
    TAILCOAT_TRY(grown, window_.extend());
    if (!grown) return std::optional<std::string_view>();
  }
}

Result<void> LibsvmRows::parse_value(std::string_view text, std::size_t feature, double* row) const {
  double value = 0;
  const char* end = cells_.numbers_are_values() ? parse_plain_number(text.data(), value) : nullptr;
  if (end != text.data() + text.size()) {
    const std::string column = feature == 0 ? "the label" : fmt::format("feature {}", feature);
    const char* problem = text.empty() ? "is no value" : cells_.parse(text, value);
    if (problem != nullptr) return cell_error(text, fmt::format("{}, {}", here(), column), problem);
  }
  if (slots_[feature] != kNotRead) row[slots_[feature]] = value;
  return {};
}

Result<void> LibsvmRows::parse_feature(std::string_view token, std::size_t& last, double* row) const {
  const std::size_t colon = token.find(':');
  if (token.starts_with("qid:")) {
    return data_error(not_private(fmt::format("{} has a qid; ranking data cannot be served", here())));
  }
  std::size_t index = 0;
  const char* colon_at = token.data() + std::min(colon, token.size());
  const auto [stop, error] = std::from_chars(token.data(), colon_at, index);
  if (colon == std::string_view::npos || error != std::errc() || stop != colon_at) {
    return cell_error(token, here(), "is not of the form index:value");
  }
  if (index == 0 || index >= slots_.size()) {
    return cell_error(token, here(), fmt::format("has an index outside 1 .. features = {}", slots_.size() - 1));
  }
  if (index <= last) return cell_error(token, here(), "does not have a larger index than the one before it");
  last = index;
  return parse_value(token.substr(colon + 1), index, row);
}

Result<void> LibsvmRows::parse_line(std::string_view line, double* row) const {
  std::fill_n(row, columns_.size(), 0.0);
  std::size_t last = 0;
  bool first = true;
  while (!line.empty()) {
    const std::string_view token = line.substr(0, line.find_first_of(" \t"));
    if (first) {
      TAILCOAT_CHECK(parse_value(token, 0, row));
    } else {
      TAILCOAT_CHECK(parse_feature(token, last, row));
    }
    first = false;
    line = trimmed(line.substr(token.size()));
  }
  return {};
}

Result<std::size_t> LibsvmRows::read_rows(double* block, std::size_t rows) {
  std::size_t count = 0;
  while (count < rows) {
    TAILCOAT_TRY(line, next_line());
    if (!line) break;
    if (line->empty()) continue;
    TAILCOAT_CHECK(parse_line(*line, block + count * columns_.size()));
    ++count;
  }
  return count;
}

Result<void> LibsvmRows::restart() {
  line_ = 0;
  return window_.rewind();
}

}  // namespace

Result<std::unique_ptr<RowSource>> open_libsvm(const std::string& path, const ReadOptions& options) {
  if (options.features == 0 || options.features >= kMaxColumns) {
    return usage_error(
        fmt::format("features = {} is not in [1, {}]: how many features a LIBSVM file has must be said, because the "
                    "largest index in it is data",
                    options.features, kMaxColumns - 1));
  }
  if (!options.text_columns.empty()) return usage_error("a LIBSVM file holds numbers; it has no text columns");
  std::vector<Column> all{{.name = "label"}};
  for (std::size_t i = 1; i <= options.features; ++i) all.push_back({.name = fmt::format("x{}", i)});
  TAILCOAT_TRY(kept, find_columns_or_all(all, options.columns));
  std::vector<Column> columns;
  std::vector<std::size_t> slots(all.size(), kNotRead);
  for (const std::size_t position : kept) {
    slots[position] = columns.size();
    columns.push_back(all[position]);
  }
  TAILCOAT_TRY(stream, ByteStream::open(path));
  return std::unique_ptr<RowSource>(
      std::make_unique<LibsvmRows>(std::move(stream), options, std::move(columns), std::move(slots)));
}

}  // namespace tailcoat
