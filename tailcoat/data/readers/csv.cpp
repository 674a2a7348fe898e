// CSV after RFC 4180: one header line, quoted fields with doubled quotes and line breaks, CRLF or LF. A number between
// two delimiters is parsed where it stands, in one pass; only what is not one is first delimited and then looked at.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tailcoat/data/readers/cell.hpp"
#include "tailcoat/data/readers/number.hpp"
#include "tailcoat/data/readers/readers.hpp"
#include "tailcoat/data/readers/text_window.hpp"
#include "tailcoat/data/text.hpp"

namespace tailcoat {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101;

// The lowest set bit marks the first byte of the word that equals c.
std::uint64_t matches(std::uint64_t word, char c) {
  const std::uint64_t difference = word ^ (kOnes * static_cast<unsigned char>(c));
  return (difference - kOnes) & ~difference & (kOnes << 7);
}

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using LevelIndex = std::unordered_map<std::string, double, StringHash, std::equal_to<>>;

enum class Parsed {
  record,
  blank,       // an empty line
  incomplete,  // the window ends inside the record
  failed,      // error_ says why
};

class CsvRows final : public RowSource {
 public:
  CsvRows(ByteStream stream, const ReadOptions& options, char delimiter)
      : window_(std::move(stream), options.chunk_bytes), cells_(options.missing), delimiter_(delimiter) {}

  Result<void> open(const ReadOptions& options);

  std::span<const Column> columns() const override { return columns_; }

 private:
  enum class Action { skip, number, text };

  // What becomes of a field of the file.
  struct Field {
    std::string name;
    Action action = Action::skip;
    std::size_t column = 0;  // of the result
    LevelIndex levels = {};  // of a text
  };

  Result<std::size_t> read_rows(double* block, std::size_t rows) override;
  Result<void> restart() override;

  Result<void> skip_byte_order_mark();
  Parsed parse_header(std::vector<std::string>& names);
  Result<std::vector<std::string>> read_header();
  [[nodiscard]] Result<void> check_header(const std::vector<std::string>& names) const;
  Result<void> choose(const std::vector<std::string>& names, const ReadOptions& options);
  Result<bool> extend();

  Parsed parse_record(double* row);
  Parsed parse_field(const char*& at, std::size_t& line, Field& field, double* row);
  Parsed scan(const char*& at, std::size_t& line, std::string_view& text);
  Parsed scan_quoted(const char*& at, std::size_t& line, std::string_view& text);
  Parsed parse_blank();
  Parsed pass_line_end(const char*& at, std::size_t line);
  Parsed too_few(const char* at, std::size_t line, std::size_t count);
  Parsed parse_text(std::string_view text, std::size_t line, Field& field, double& cell);

  [[nodiscard]] bool ends_field(char c) const { return c == delimiter_ || c == '\n' || c == '\r'; }
  [[nodiscard]] const char* field_end(const char* at) const;
  [[nodiscard]] std::string in_file() const { return " of " + in_quotes(window_.path(), 200); }
  [[nodiscard]] std::string where(std::size_t line, const Field& field) const {
    return fmt::format("line {}, column {}{}", line, in_quotes(field.name), in_file());
  }
  Parsed fail(Error error) {
    error_ = std::move(error);
    return Parsed::failed;
  }
  Parsed fail(std::string message) { return fail(data_error(not_private(std::move(message)))); }

  TextWindow window_;
  CellParser cells_;
  char delimiter_;
  std::vector<Field> fields_;
  std::vector<Column> columns_;
  std::size_t line_ = 1;        // where the window begins
  std::size_t blank_line_ = 0;  // first of the empty lines just passed, 0 if none
  std::size_t open_quote_ = 0;  // line of a quote that is still open where the window ends, 0 if none
  std::string unquoted_;
  Error error_{};
};

// The first delimiter, line end or quote; the window has a line feed at its end.
const char* CsvRows::field_end(const char* at) const {
  for (std::uint64_t word = 0;; at += sizeof word) {
    std::memcpy(&word, at, sizeof word);
    const std::uint64_t found =
        matches(word, delimiter_) | matches(word, '\n') | matches(word, '\r') | matches(word, '"');
    if (found != 0) return at + std::countr_zero(found) / 8;
  }
}

// Moves `at` behind the field and `line` by the line breaks in it.
Parsed CsvRows::scan(const char*& at, std::size_t& line, std::string_view& text) {
  if (*at == '"') return scan_quoted(at, line, text);
  const char* after = field_end(at);
  if (after == window_.end()) return Parsed::incomplete;
  if (*after == '"') {
    return fail(fmt::format(
        "a quote inside a field without quotes in line {}{}; put the field in quotes and double those in it", line,
        in_file()));
  }
  text = {at, after};
  at = after;
  return Parsed::record;
}

Parsed CsvRows::scan_quoted(const char*& at, std::size_t& line, std::string_view& text) {
  const char* begin = at + 1;
  unquoted_.clear();
  for (;;) {
    const auto room = static_cast<std::size_t>(window_.end() - begin);
    const auto* quote = static_cast<const char*>(std::memchr(begin, '"', room));
    if (quote == nullptr || quote + 1 == window_.end()) {
      open_quote_ = line;
      return Parsed::incomplete;
    }
    text = {begin, quote};
    begin = quote + 1;
    if (*begin != '"') break;
    unquoted_.append(text).push_back('"');
    ++begin;
  }
  if (!unquoted_.empty()) text = unquoted_.append(text);
  const std::size_t opened = std::exchange(line, line + static_cast<std::size_t>(std::count(at, begin, '\n')));
  at = begin;
  if (ends_field(*at)) return Parsed::record;
  return fail(
      fmt::format("a field in quotes begins in line {}{} and goes on after its closing quote in line {}; double the "
                  "quotes inside it",
                  opened, in_file(), line));
}

Parsed CsvRows::parse_text(std::string_view text, std::size_t line, Field& field, double& cell) {
  if (cells_.is_missing(text)) {
    cell = std::numeric_limits<double>::quiet_NaN();
    return Parsed::record;
  }
  auto found = field.levels.find(text);
  if (found == field.levels.end()) {
    std::vector<std::string>& levels = columns_[field.column].levels;
    if (!is_utf8(text) || text.find('\0') != std::string_view::npos) {
      return fail(cell_error(text, where(line, field), "is not UTF-8 text; convert the file, e.g. with iconv"));
    }
    if (levels.size() == kMaxLevels) {
      return fail(
          fmt::format("{} has more than {} different texts; leave the column out", where(line, field), kMaxLevels));
    }
    levels.emplace_back(text);
    found = field.levels.emplace(text, static_cast<double>(levels.size() - 1)).first;
  }
  cell = found->second;
  return Parsed::record;
}

Parsed CsvRows::parse_field(const char*& at, std::size_t& line, Field& field, double* row) {
  const std::size_t first_line = line;
  std::string_view text;
  if (const Parsed scanned = scan(at, line, text); scanned != Parsed::record) return scanned;
  if (field.action == Action::skip) return Parsed::record;
  double& cell = row[field.column];
  if (field.action == Action::text) return parse_text(text, first_line, field, cell);
  if (const char* problem = cells_.parse(text, cell)) {
    return fail(cell_error(text, where(first_line, field), problem));
  }
  return Parsed::record;
}

// Moves `at`, which stands behind a last field, behind the end of the line.
Parsed CsvRows::pass_line_end(const char*& at, std::size_t line) {
  if (*at == '\r') ++at;
  if (at >= window_.end()) return Parsed::incomplete;
  if (*at != '\n') {
    return fail(
        fmt::format("a carriage return without line feed in line {}{}; lines end with LF or CRLF", line, in_file()));
  }
  ++at;
  return Parsed::record;
}

Parsed CsvRows::parse_blank() {
  const char* at = window_.begin();
  if (const Parsed ended = pass_line_end(at, line_); ended != Parsed::record) return ended;
  // With a single column this may be a row: whether it counts must not depend on what the cell holds.
  if (fields_.size() == 1) {
    return fail(data_error(not_private(
        fmt::format("line {}{} is empty; write a missing cell as NA, and no empty lines", line_, in_file()))));
  }
  window_.consume_to(at);
  if (blank_line_ == 0) blank_line_ = line_;
  ++line_;
  return Parsed::blank;
}

Parsed CsvRows::parse_record(double* row) {
  const char* at = window_.begin();
  if (*at == '\n' || *at == '\r') return parse_blank();
  if (blank_line_ != 0) {
    return fail(fmt::format("line {}{} is empty but rows follow; write a row of one missing cell as NA", blank_line_,
                            in_file()));
  }
  std::size_t line = line_;
  const bool plain_first = cells_.numbers_are_values();
  for (std::size_t j = 0; j < fields_.size(); ++j) {
    Field& field = fields_[j];
    if (j > 0 && *at++ != delimiter_) return too_few(at - 1, line, j);
    const char* after = nullptr;
    if (plain_first && field.action == Action::number) after = parse_plain_number(at, row[field.column]);
    if (after != nullptr && ends_field(*after)) {
      at = after;
    } else if (const Parsed parsed = parse_field(at, line, field, row); parsed != Parsed::record) {
      return parsed;
    }
  }
  if (*at == delimiter_) {
    return fail(
        fmt::format("line {}{} has more than the {} fields that the header names", line, in_file(), fields_.size()));
  }
  if (const Parsed ended = pass_line_end(at, line); ended != Parsed::record) return ended;
  window_.consume_to(at);
  line_ = line + 1;
  return Parsed::record;
}

Parsed CsvRows::too_few(const char* at, std::size_t line, std::size_t count) {
  if (const Parsed ended = pass_line_end(at, line); ended != Parsed::record) return ended;
  return fail(fmt::format("line {}{} has only {} of the {} fields that the header names", line, in_file(), count,
                          fields_.size()));
}

// More text for the record that the window begins with; false at the end of the file.
Result<bool> CsvRows::extend() {
  const std::string quote =
      open_quote_ == 0 ? "" : fmt::format(": the quote opened in line {} is not closed", open_quote_);
  open_quote_ = 0;
  if (window_.size() >= kMaxRecordBytes) {
    return data_error(not_private(fmt::format("the record that begins in line {}{} is longer than {} bytes{}", line_,
                                              in_file(), kMaxRecordBytes, quote)));
  }
  TAILCOAT_TRY(grown, window_.extend());
  if (!grown && window_.size() > 0) {
    return data_error(
        not_private(fmt::format("the record that begins in line {}{} does not end{}", line_, in_file(), quote)));
  }
  return grown;
}

Result<std::size_t> CsvRows::read_rows(double* block, std::size_t rows) {
  std::size_t count = 0;
  while (count < rows) {
    switch (parse_record(block + count * columns_.size())) {
      case Parsed::record:
        ++count;
        break;
      case Parsed::blank:
        break;
      case Parsed::incomplete: {
        TAILCOAT_TRY(grown, extend());
        if (!grown) return count;
        break;
      }
      case Parsed::failed:
        return error_;
    }
  }
  return count;
}

Result<void> CsvRows::skip_byte_order_mark() {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  bool grown = true;
  while (grown && window_.size() < mark.size()) {
    TAILCOAT_TRY(more, window_.extend());
    grown = more;
  }
  if (std::string_view(window_.begin(), window_.size()).starts_with(mark)) {
    window_.consume_to(window_.begin() + mark.size());
  }
  return {};
}

Parsed CsvRows::parse_header(std::vector<std::string>& names) {
  const char* at = window_.begin();
  std::size_t line = line_;
  for (;;) {
    std::string_view name;
    if (const Parsed parsed = scan(at, line, name); parsed != Parsed::record) return parsed;
    names.emplace_back(name);
    if (*at != delimiter_) break;
    ++at;
  }
  if (const Parsed ended = pass_line_end(at, line); ended != Parsed::record) return ended;
  window_.consume_to(at);
  line_ = line + 1;
  return Parsed::record;
}

// The names as they stand in the file; consumes the header.
Result<std::vector<std::string>> CsvRows::read_header() {
  TAILCOAT_CHECK(skip_byte_order_mark());
  for (;;) {
    std::vector<std::string> names;
    const Parsed parsed = parse_header(names);
    if (parsed == Parsed::record) return names;
    if (parsed == Parsed::failed) return error_;
    TAILCOAT_TRY(grown, extend());
    if (!grown) return data_error(in_quotes(window_.path(), 200) + " is empty; a header line with names is needed");
  }
}

// Names are public, rows are not: a first line that looks like a row must not be taken for a header.
Result<void> CsvRows::check_header(const std::vector<std::string>& names) const {
  double value = 0;
  for (const std::string& name : names) {
    if (name.empty() || (parse_number(name, value) == NumberStatus::no_number && !cells_.is_missing(name))) continue;
    return data_error(not_private(fmt::format(
        "{} in the first line{} is no column name; the file needs a header, since names are published and rows are not",
        in_quotes(name), in_file())));
  }
  return {};
}

Result<void> CsvRows::choose(const std::vector<std::string>& names, const ReadOptions& options) {
  std::vector<Column> all;
  all.reserve(names.size());
  for (const std::string& name : names) all.push_back({.name = name});
  TAILCOAT_CHECK(check_columns(all));
  TAILCOAT_TRY(texts, find_columns(all, options.text_columns));
  for (const std::size_t text : texts) all[text].kind = ColumnKind::text;
  TAILCOAT_TRY(kept, find_columns_or_all(all, options.columns));
  for (const std::string& name : names) fields_.push_back({.name = name});
  for (const std::size_t position : kept) {
    fields_[position].action = all[position].kind == ColumnKind::text ? Action::text : Action::number;
    fields_[position].column = columns_.size();
    columns_.push_back(all[position]);
  }
  return {};
}

Result<void> CsvRows::open(const ReadOptions& options) {
  TAILCOAT_TRY(names, read_header());
  TAILCOAT_CHECK(check_header(names));
  return choose(names, options);
}

Result<void> CsvRows::restart() {
  TAILCOAT_CHECK(window_.rewind());
  line_ = 1;
  blank_line_ = 0;
  open_quote_ = 0;
  TAILCOAT_CHECK(read_header());
  return {};
}

}  // namespace

Result<std::unique_ptr<RowSource>> open_csv(const std::string& path, const ReadOptions& options) {
  constexpr std::string_view delimiters = ",;|:\t ";
  const char delimiter = options.delimiter.value_or(',');
  if (delimiters.find(delimiter) == std::string_view::npos) {
    return usage_error(fmt::format("delimiter = {} is not one of , ; | : tab blank", in_quotes({&delimiter, 1})));
  }
  TAILCOAT_TRY(stream, ByteStream::open(path));
  auto rows = std::make_unique<CsvRows>(std::move(stream), options, delimiter);
  TAILCOAT_CHECK(rows->open(options));
  return std::unique_ptr<RowSource>(std::move(rows));
}

}  // namespace tailcoat
