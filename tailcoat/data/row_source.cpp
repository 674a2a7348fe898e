#include "tailcoat/data/row_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <vector>

namespace tailcoat {
namespace {

constexpr std::size_t kBlockCells = 1 << 15;  // 256 KiB: stays in the cache between the reader and the table

class TableRows final : public RowSource {
 public:
  explicit TableRows(const Table& table) : table_(table) {}

  std::span<const Column> columns() const override { return table_.columns(); }

 private:
  Result<std::size_t> read_rows(double* block, std::size_t rows) override {
    const std::size_t count = std::min(rows, table_.rows() - next_);
    std::visit(
        [&](const auto& view) {
          for (std::size_t i = 0; i < count; ++i) {
            const auto row = view.row(next_ + i);
            block = std::copy(row.begin(), row.end(), block);
          }
        },
        table_.view());
    next_ += count;
    return count;
  }

  Result<void> restart() override {
    next_ = 0;
    return {};
  }

  const Table& table_;
  std::size_t next_ = 0;
};

Error out_of_memory() { return system_error("no memory left for reading rows; read fewer columns"); }

}  // namespace

Result<std::size_t> RowSource::read(std::span<double> block) {
  const std::size_t width = columns().size();
  if (block.size() < width) {
    return usage_error(fmt::format("a block of {} cells holds no row of {} columns", block.size(), width));
  }
  if (failure_) return *failure_;
  try {
    auto count = read_rows(block.data(), block.size() / width);
    if (!count) failure_ = count.error();
    return count;
  } catch (const std::bad_alloc&) {
    return *(failure_ = out_of_memory());
  }
}

Result<void> RowSource::rewind() {
  try {
    auto restarted = restart();
    failure_ = restarted ? std::nullopt : std::optional(restarted.error());
    return restarted;
  } catch (const std::bad_alloc&) {
    return *(failure_ = out_of_memory());
  }
}

Result<Table> load(RowSource& source, Storage storage) {
  TAILCOAT_CHECK(source.rewind());
  try {
    const std::size_t width = source.columns().size();
    TAILCOAT_TRY(table, Table::create({source.columns().begin(), source.columns().end()}, storage));
    std::vector<double> block(std::max(width, kBlockCells / width * width));
    for (;;) {
      TAILCOAT_TRY(rows, source.read(block));
      if (rows == 0) break;
      TAILCOAT_CHECK(table.append(std::span(block).first(rows * width), source.columns()));
    }
    table.columns_.assign(source.columns().begin(), source.columns().end());
    return std::move(table);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

std::unique_ptr<RowSource> source_of(const Table& table) { return std::make_unique<TableRows>(table); }

}  // namespace tailcoat
