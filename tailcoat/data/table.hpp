// Table: named columns over one row-major matrix of doubles or floats that it owns. A missing cell is NaN, no cell is
// infinite, a text cell is the index of its level. The number of rows and the names are public, the cells are not.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/data/buffer.hpp"
#include "tailcoat/data/column.hpp"
#include "tailcoat/data/rows.hpp"

namespace tailcoat {

class RowSource;

enum class Storage { f64, f32 };

class Table {
 public:
  // Without rows yet.
  static Result<Table> create(std::vector<Column> columns, Storage storage);

  // Adds whole rows, one after the other. Refuses infinities, indices of no level and, in f32, numbers beyond a float;
  // then the table stays as it was.
  Result<void> append(std::span<const double> cells);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  [[nodiscard]] Storage storage() const { return storage_; }
  [[nodiscard]] Result<std::size_t> index_of(std::string_view name) const { return find_column(columns_, name); }

  // All columns. Valid until the table changes or moves.
  [[nodiscard]] Rows view() const;

  // A copy of one column, e.g. the label.
  [[nodiscard]] Result<std::vector<double>> values(std::string_view name) const;

  // The matrix itself, where it is; the table has no rows afterwards.
  Buffer take_matrix() &&;

  // Keep these columns, in this order, or all but these. In place: needs no second matrix and frees what is left over.
  Result<void> select(std::span<const std::string> names);
  Result<void> drop(std::span<const std::string> names);

 private:
  friend Result<Table> load(RowSource& source, Storage storage);

  Table(std::vector<Column> columns, Storage storage) : columns_(std::move(columns)), storage_(storage) {}

  [[nodiscard]] std::size_t cell_size() const { return storage_ == Storage::f64 ? sizeof(double) : sizeof(float); }
  // `columns` may know more levels than columns_ while a source is being loaded.
  Result<void> append(std::span<const double> cells, std::span<const Column> columns);
  [[nodiscard]] Result<void> check(std::span<const double> cells, std::span<const Column> columns) const;
  Result<void> reserve(std::size_t rows);
  void keep(std::span<const std::size_t> positions);

  std::vector<Column> columns_;
  Storage storage_;
  std::size_t rows_ = 0;
  Buffer matrix_;
};

}  // namespace tailcoat
