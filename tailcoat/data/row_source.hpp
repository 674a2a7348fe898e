// RowSource: rows that come block by block, from a file or from memory; what algorithms stream from and tables are
// loaded from. Every cell is finite or NaN (missing).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "tailcoat/base/result.hpp"
#include "tailcoat/data/column.hpp"
#include "tailcoat/data/table.hpp"

namespace tailcoat {

class RowSource {
 public:
  virtual ~RowSource() = default;

  // At least one. The levels of text columns grow as rows are read and keep their indices after a rewind.
  [[nodiscard]] virtual std::span<const Column> columns() const = 0;

  // Fills `block` with the next rows, one after the other, and returns how many there are: as many as fit, fewer at the
  // end, then 0. The block must hold one row at least. An error stays until rewind().
  Result<std::size_t> read(std::span<double> block);

  // The next read gives the first row again.
  Result<void> rewind();

 private:
  virtual Result<std::size_t> read_rows(double* block, std::size_t rows) = 0;
  virtual Result<void> restart() = 0;

  std::optional<Error> failure_;
};

// The whole source from its first row on, in memory. Peak memory is the table and some blocks.
Result<Table> load(RowSource& source, Storage storage);

// The rows of a table, which must outlive the source and not change.
std::unique_ptr<RowSource> source_of(const Table& table);

}  // namespace tailcoat
