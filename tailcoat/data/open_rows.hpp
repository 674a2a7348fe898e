// Readers: files as row sources. The format is told by the name: .csv, .tsv, .libsvm, .svm (each also with .gz) and
// .npy; formats.md says what each accepts. A file that cannot be served is an error that names line and column; such a
// message quotes the rows, says that it is not private, and belongs in front of the operator alone.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/data/row_source.hpp"

namespace tailcoat {

struct ReadOptions {
  std::vector<std::string> columns = {};       // to read, in this order; empty: all
  std::vector<std::string> text_columns = {};  // CSV: whose cells are texts; all others must be numbers
  std::optional<char> delimiter = {};          // CSV: one of , ; | : tab blank; unset: comma, for .tsv tab
  std::vector<std::string> missing = {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"};  // cells that mean: no value
  std::size_t features = 0;                        // LIBSVM: how many; the largest index is data and must not decide
  std::size_t chunk_bytes = std::size_t{1} << 18;  // read from a text file at a time
};

// No line (or record, where quoted fields span lines) of a text file may be longer.
inline constexpr std::size_t kMaxRecordBytes = std::size_t{1} << 24;

// The reader for the file's name. Reads the header, no rows.
Result<std::unique_ptr<RowSource>> open_rows(const std::string& path, const ReadOptions& options = {});

}  // namespace tailcoat
