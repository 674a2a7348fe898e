// NPY: a vector or matrix of floats or doubles, in C or Fortran order, as the columns x0, x1, .... Rows are copied into
// the caller's memory and never mapped: what bounds the sensitivity of a row is computed once, so the row must not
// change with the file afterwards.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "tailcoat/data/readers/npy_header.hpp"
#include "tailcoat/data/readers/readers.hpp"
#include "tailcoat/data/text.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kStagedBytes = 1 << 18;

class NpyRows final : public RowSource {
 public:
  NpyRows(InputFile file, NpyHeader header, std::vector<Column> columns, std::vector<std::size_t> kept)
      : file_(std::move(file)), header_(header), columns_(std::move(columns)), kept_(std::move(kept)) {}

  std::span<const Column> columns() const override { return columns_; }

 private:
  Result<std::size_t> read_rows(double* block, std::size_t rows) override;
  Result<void> restart() override;

  Result<void> read_by_rows(double* block, std::size_t count);
  Result<void> read_by_columns(double* block, std::size_t count);
  Result<void> stage(std::uint64_t first_cell, std::size_t cells);
  [[nodiscard]] double staged(std::size_t i) const;
  [[nodiscard]] Result<void> check_finite(const double* block, std::size_t count) const;

  InputFile file_;
  NpyHeader header_;
  std::vector<Column> columns_;
  std::vector<std::size_t> kept_;  // which of the file's columns
  std::size_t next_ = 0;
  std::vector<char> staged_;
};

// Reads consecutive cells of the file.
Result<void> NpyRows::stage(std::uint64_t first_cell, std::size_t cells) {
  staged_.resize(cells * header_.cell_size);
  TAILCOAT_TRY(got, file_.read_at(header_.data_offset + first_cell * header_.cell_size, staged_));
  if (got == staged_.size()) return {};
  TAILCOAT_CHECK(file_.check_unchanged());
  return system_error(fmt::format("{} cannot be read to its end", in_quotes(file_.path(), 200)));
}

double NpyRows::staged(std::size_t i) const {
  if (header_.cell_size == sizeof(double)) {
    double cell = 0;
    std::memcpy(&cell, staged_.data() + i * sizeof cell, sizeof cell);
    return cell;
  }
  float cell = 0;
  std::memcpy(&cell, staged_.data() + i * sizeof cell, sizeof cell);
  return static_cast<double>(cell);
}

Result<void> NpyRows::read_by_rows(double* block, std::size_t count) {
  const std::size_t width = header_.columns;
  TAILCOAT_CHECK(stage(next_ * width, count * width));
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::size_t column : kept_) *block++ = staged(i * width + column);
  }
  return {};
}

Result<void> NpyRows::read_by_columns(double* block, std::size_t count) {
  for (std::size_t j = 0; j < kept_.size(); ++j) {
    TAILCOAT_CHECK(stage(kept_[j] * std::uint64_t{header_.rows} + next_, count));
    for (std::size_t i = 0; i < count; ++i) block[i * kept_.size() + j] = staged(i);
  }
  return {};
}

Result<void> NpyRows::check_finite(const double* block, std::size_t count) const {
  const double* end = block + count * kept_.size();
  const double* bad = std::find_if(block, end, [](double cell) { return std::isinf(cell); });
  if (bad == end) return {};
  const auto at = static_cast<std::size_t>(bad - block);
  return data_error(not_private(fmt::format(
      "{} in row {}, column {} of {} is not finite; save a missing value as NaN", *bad, next_ + at / kept_.size() + 1,
      in_quotes(columns_[at % kept_.size()].name), in_quotes(file_.path(), 200))));
}

Result<std::size_t> NpyRows::read_rows(double* block, std::size_t rows) {
  const std::size_t staged_rows = std::max<std::size_t>(1, kStagedBytes / (header_.columns * header_.cell_size));
  std::size_t count = 0;
  while (count < rows && next_ < header_.rows) {
    const std::size_t batch = std::min({rows - count, header_.rows - next_, staged_rows});
    double* out = block + count * kept_.size();
    TAILCOAT_CHECK(header_.fortran_order ? read_by_columns(out, batch) : read_by_rows(out, batch));
    TAILCOAT_CHECK(check_finite(out, batch));
    next_ += batch;
    count += batch;
  }
  if (count < rows) TAILCOAT_CHECK(file_.check_unchanged());
  return count;
}

Result<void> NpyRows::restart() {
  next_ = 0;
  return file_.check_unchanged();
}

}  // namespace

Result<std::unique_ptr<RowSource>> open_npy(const std::string& path, const ReadOptions& options) {
  if (!options.text_columns.empty()) return usage_error("an NPY file holds numbers; it has no text columns");
  TAILCOAT_TRY(file, InputFile::open(path));
  TAILCOAT_TRY(header, read_npy_header(file));
  std::vector<Column> all;
  for (std::size_t j = 0; j < header.columns; ++j) all.push_back({.name = fmt::format("x{}", j)});
  TAILCOAT_TRY(kept, find_columns_or_all(all, options.columns));
  std::vector<Column> columns;
  columns.reserve(kept.size());
  for (const std::size_t position : kept) columns.push_back(all[position]);
  return std::unique_ptr<RowSource>(
      std::make_unique<NpyRows>(std::move(file), header, std::move(columns), std::move(kept)));
}

}  // namespace tailcoat
