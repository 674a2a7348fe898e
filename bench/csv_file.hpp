// What the suites that read files share: a numeric CSV file that vanishes with its object, reading it, and the memory
// that something takes at its peak.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>

#include "tailcoat/data/open_rows.hpp"

namespace tailcoat::bench {

// Counts, amounts, rounded measurements and doubles in full, in turn, in the temporary directory.
class CsvFile {
 public:
  CsvFile(std::size_t rows, std::size_t columns);
  ~CsvFile();
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;

  [[nodiscard]] std::string path() const { return directory_ + "/rows.csv"; }
  [[nodiscard]] double megabytes() const;
  [[nodiscard]] std::string packed() const;  // writes it, and says where

 private:
  std::string directory_;
};

Table load_or_throw(const std::string& path, Storage storage);

double status_bytes(const std::string& field);  // of /proc/self/status

// Resident memory at the peak of `work`, above what was resident before.
template <class Work>
double peak_memory(Work&& work) {
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts again from here
  const double before = status_bytes("VmRSS");
  work();
  return status_bytes("VmHWM") - before;
}

}  // namespace tailcoat::bench
