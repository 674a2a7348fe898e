// From a file to a model: what the fit adds to reading, in time and in memory, and whether both grow no faster than the
// rows and the columns. Squared loss, epsilon = 1, all cores; the best of some rounds, in each of which the file is
// read once by itself and once for a fit. The file stays in the page cache; reading a disk is not measured.
#include <fmt/format.h>

#include <algorithm>

#include "csv_file.hpp"
#include "suite.hpp"
#include "tailcoat/estimators/fit.hpp"

namespace tailcoat::bench {
namespace {

struct Shape {
  std::size_t rows, columns;
};
constexpr Shape kShapes[] = {{100'000, 20},  {1'000'000, 20}, {10'000'000, 20},
                             {1'000'000, 5}, {1'000'000, 10}, {1'000'000, 40}};
constexpr int kRounds = 3;

void fit_file(const std::string& path, const FitOptions& options) {
  Engine engine;
  BitSource noise = BitSource::insecure_seeded(1);
  const Result<Fit> fitted = fit(load_or_throw(path, Storage::f64), options, {engine, noise});
  if (!fitted) stop_at(fitted.error());
}

}  // namespace

void file_suite(const Report& report) {
  for (const auto& [rows, columns] : kShapes) {
    const CsvFile file(rows, columns + 1);
    const FitOptions options{.target = fmt::format("x{}", columns), .budget = {1, 1e-6}};
    const double table_bytes = static_cast<double>(rows * (columns + 1) * sizeof(double));
    const double peak = peak_memory([&] { fit_file(file.path(), options); });
    double load = 1e300, both = 1e300;
    for (int i = 0; i < kRounds; ++i) {
      load = std::min(load, best_seconds(1, [&] { load_or_throw(file.path(), Storage::f64); }));
      both = std::min(both, best_seconds(1, [&] { fit_file(file.path(), options); }));
    }
    const double cells = static_cast<double>(rows * columns);
    report(fmt::format("{} x {}", rows, columns), {{"load, ns per cell", 1e9 * load / cells},
                                                   {"load + fit, ns per cell", 1e9 * both / cells},
                                                   {"(load + fit) / load", both / load},
                                                   {"peak memory / table", peak / table_bytes}});
  }
}

}  // namespace tailcoat::bench
