// Readers: how fast a numeric CSV file becomes a table, against a scan that only finds its line ends, and how much
// memory that takes beyond the table. The file stays in the page cache; reading a disk is not measured.
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "csv_file.hpp"
#include "suite.hpp"

namespace tailcoat::bench {
namespace {

constexpr std::size_t kRows = 650'000, kColumns = 20;
constexpr int kRepeats = 5;

// Line ends found by memchr, in chunks of the size that the reader uses.
std::size_t count_lines(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> chunk(ReadOptions().chunk_bytes);
  std::size_t lines = 0;
  while (file) {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    const char* end = chunk.data() + file.gcount();
    for (const char* at = chunk.data(); at < end; ++at, ++lines) {
      at = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      if (at == nullptr) break;
    }
  }
  return lines;
}

}  // namespace

void csv_suite(const Report& report) {
  const CsvFile plain(kRows, kColumns);
  const std::string packed = plain.packed();
  const double scan = best_seconds(kRepeats, [&] {
    if (count_lines(plain.path()) != kRows + 1) throw std::runtime_error("lines were lost");
  });
  const auto measure = [&](const std::string& label, const std::string& path, Storage storage, std::size_t cell_size) {
    const double table_bytes = static_cast<double>(kRows * kColumns * cell_size);
    const double peak = peak_memory([&] { return load_or_throw(path, storage); });
    const double seconds = best_seconds(kRepeats, [&] { load_or_throw(path, storage); });
    report(label, {{"threads", 1},
                   {"megabytes", plain.megabytes()},
                   {"megabytes_per_second", plain.megabytes() / seconds},
                   {"over_line_scan", seconds / scan},
                   {"peak_memory_over_table", peak / table_bytes}});
  };
  measure("csv to f64", plain.path(), Storage::f64, sizeof(double));
  measure("csv to f32", plain.path(), Storage::f32, sizeof(float));
  measure("csv.gz to f64", packed, Storage::f64, sizeof(double));
}

}  // namespace tailcoat::bench
