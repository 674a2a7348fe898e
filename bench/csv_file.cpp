#include "csv_file.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <random>
#include <stdexcept>
#include <vector>

namespace tailcoat::bench {
namespace {

constexpr std::size_t kDifferentRows = 13000;  // the file repeats them

std::string header(std::size_t columns) {
  std::string names;
  for (std::size_t j = 0; j < columns; ++j) names += fmt::format("{}x{}", j == 0 ? "" : ",", j);
  return names + '\n';
}

std::vector<std::string> different_rows(std::size_t columns) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> measurement;
  std::lognormal_distribution<double> amount(5, 2);
  std::vector<std::string> rows(kDifferentRows);
  for (std::string& row : rows) {
    for (std::size_t j = 0; j < columns; ++j) {
      if (j > 0) row += ',';
      if (j % 4 == 0) row += fmt::format("{}", random() % 100);
      if (j % 4 == 1) row += fmt::format("{:.2f}", amount(random));
      if (j % 4 == 2) row += fmt::format("{:.6f}", measurement(random));
      if (j % 4 == 3) row += fmt::format("{}", measurement(random));
    }
    row += '\n';
  }
  return rows;
}

}  // namespace

CsvFile::CsvFile(std::size_t rows, std::size_t columns) {
  std::string pattern = (std::filesystem::temp_directory_path() / "tailcoat-bench-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory for the benchmark's file");
  directory_ = pattern;
  std::ofstream file(path());
  file << header(columns);
  const std::vector<std::string> texts = different_rows(columns);
  for (std::size_t i = 0; i < rows; ++i) file << texts[i % kDifferentRows];
  if (!file.flush()) throw std::runtime_error("no room for the benchmark's file");
}

CsvFile::~CsvFile() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

double CsvFile::megabytes() const { return static_cast<double>(std::filesystem::file_size(path())) / 1e6; }

std::string CsvFile::packed() const {
  const std::string name = path() + ".gz";
  std::ifstream plain(path(), std::ios::binary);
  const gzFile gz = gzopen(name.c_str(), "wb1");
  std::vector<char> chunk(1 << 20);
  while (plain.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), plain.gcount() > 0)
    gzwrite(gz, chunk.data(), static_cast<unsigned>(plain.gcount()));
  if (gzclose(gz) != Z_OK) throw std::runtime_error("no room for the benchmark's packed file");
  return name;
}

Table load_or_throw(const std::string& path, Storage storage) {
  auto source = open_rows(path);
  if (!source) throw std::runtime_error(source.error().message);
  auto table = load(**source, storage);
  if (!table) throw std::runtime_error(table.error().message);
  return std::move(*table);
}

double status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stod(line.substr(field.size() + 1)) * 1024;
  }
  throw std::runtime_error("no " + field + " in /proc/self/status");
}

}  // namespace tailcoat::bench
