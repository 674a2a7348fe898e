// Readers: how fast a numeric CSV file becomes a table, against a scan that only finds its line ends, and how much
// memory that takes beyond the table. The file stays in the page cache; reading a disk is not measured.
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "suite.hpp"
#include "tailcoat/data/open_rows.hpp"

namespace tailcoat::bench {
namespace {

constexpr std::size_t kColumns = 20;
constexpr std::size_t kRowsOfABlock = 13000;  // different rows; the file repeats them
constexpr std::size_t kBlocks = 50;
constexpr int kRepeats = 5;

// Counts, amounts, rounded measurements and doubles in full, in turn.
std::string block_of_rows() {
  std::mt19937_64 random(1);
  std::normal_distribution<double> measurement;
  std::lognormal_distribution<double> amount(5, 2);
  std::string rows;
  for (std::size_t i = 0; i < kRowsOfABlock; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      if (j > 0) rows += ',';
      if (j % 4 == 0) rows += fmt::format("{}", random() % 100);
      if (j % 4 == 1) rows += fmt::format("{:.2f}", amount(random));
      if (j % 4 == 2) rows += fmt::format("{:.6f}", measurement(random));
      if (j % 4 == 3) rows += fmt::format("{}", measurement(random));
    }
    rows += '\n';
  }
  return rows;
}

std::string header() {
  std::string names;
  for (std::size_t j = 0; j < kColumns; ++j) names += fmt::format("{}x{}", j == 0 ? "" : ",", j);
  return names + '\n';
}

// The file, plain and packed; both vanish with it.
class Files {
 public:
  Files() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tailcoat-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory for the CSV benchmark");
    directory_ = pattern;
    std::ofstream file(plain());
    const gzFile gz = gzopen(packed().c_str(), "wb1");
    const auto put = [&](const std::string& text) {
      file << text;
      bytes_ += text.size();
      gzwrite(gz, text.data(), static_cast<unsigned>(text.size()));
    };
    put(header());
    const std::string rows = block_of_rows();
    for (std::size_t i = 0; i < kBlocks; ++i) put(rows);
    if (gzclose(gz) != Z_OK || !file.flush()) throw std::runtime_error("no room for the file of the CSV benchmark");
  }
  ~Files() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  [[nodiscard]] std::string plain() const { return directory_ + "/rows.csv"; }
  [[nodiscard]] std::string packed() const { return directory_ + "/rows.csv.gz"; }
  [[nodiscard]] double megabytes() const { return static_cast<double>(bytes_) / 1e6; }

 private:
  std::string directory_;
  std::size_t bytes_ = 0;
};

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

double status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stod(line.substr(field.size() + 1)) * 1024;
  }
  throw std::runtime_error("no " + field + " in /proc/self/status");
}

Table load_or_throw(const std::string& path, Storage storage) {
  auto source = open_rows(path);
  if (!source) throw std::runtime_error(source.error().message);
  auto table = load(**source, storage);
  if (!table) throw std::runtime_error(table.error().message);
  return std::move(*table);
}

// Peak resident memory of one load above what was resident before.
double peak_of_load(const std::string& path, Storage storage) {
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts again from here
  const double before = status_bytes("VmRSS");
  const Table table = load_or_throw(path, storage);
  return status_bytes("VmHWM") - before;
}

}  // namespace

void csv_suite(const Report& report) {
  const Files files;
  const double scan = best_seconds(kRepeats, [&] {
    if (count_lines(files.plain()) != kRowsOfABlock * kBlocks + 1) throw std::runtime_error("lines were lost");
  });
  const auto measure = [&](const std::string& label, const std::string& path, Storage storage, std::size_t cell_size) {
    const double table_bytes = static_cast<double>(kRowsOfABlock * kBlocks * kColumns * cell_size);
    const double peak = peak_of_load(path, storage);
    const double seconds = best_seconds(kRepeats, [&] { load_or_throw(path, storage); });
    report(label, {{"threads", 1},
                   {"megabytes", files.megabytes()},
                   {"megabytes_per_second", files.megabytes() / seconds},
                   {"over_line_scan", seconds / scan},
                   {"peak_memory_over_table", peak / table_bytes}});
  };
  measure("csv to f64", files.plain(), Storage::f64, sizeof(double));
  measure("csv to f32", files.plain(), Storage::f32, sizeof(float));
  measure("csv.gz to f64", files.packed(), Storage::f64, sizeof(double));
}

}  // namespace tailcoat::bench
