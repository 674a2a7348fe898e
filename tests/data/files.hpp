// Files and tables for the tests: a directory that vanishes with the test, gzip, and tables compared cell by cell.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tailcoat/data/open_rows.hpp"

namespace tailcoat {

class TemporaryFiles {
 public:
  TemporaryFiles() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tailcoat-data-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    directory_ = pattern;
  }
  ~TemporaryFiles() { std::filesystem::remove_all(directory_); }
  TemporaryFiles(const TemporaryFiles&) = delete;
  TemporaryFiles& operator=(const TemporaryFiles&) = delete;

  [[nodiscard]] std::string path(std::string_view name) const { return directory_ + "/" + std::string(name); }

  [[nodiscard]] std::string write(std::string_view name, std::string_view bytes) const {
    std::filesystem::remove(path(name));  // some file systems write a truncated file to disk at once
    std::ofstream file(path(name), std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }

 private:
  std::string directory_;
};

inline std::string gzip(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline Result<Table> load_file(const std::string& path, const ReadOptions& options = {},
                               Storage storage = Storage::f64) {
  TAILCOAT_TRY(source, open_rows(path, options));
  return load(*source, storage);
}

// Row after row; a missing cell is NaN.
inline std::vector<double> cells_of(const Table& table) {
  std::vector<double> cells;
  std::visit(
      [&](const auto& view) {
        for (std::size_t i = 0; i < view.rows; ++i) {
          for (const auto cell : view.row(i)) cells.push_back(static_cast<double>(cell));
        }
      },
      table.view());
  return cells;
}

inline std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns()) names.push_back(column.name);
  return names;
}

// Equal bits, so that 0 differs from -0; any NaN equals any other.
inline bool same_cells(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
           return (std::isnan(x) && std::isnan(y)) ||
                  std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
         });
}

inline const double kMissing = std::nan("");

}  // namespace tailcoat
