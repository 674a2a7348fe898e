// A whole fit of 1,000,000 x 20 numbers, on all cores: of memory that somebody else owns (a frame, as Python passes it)
// and of a table that is used up. The best of some fits in a row, in seconds on the wall and of the processor.
// bench/python_fit makes the same rows and compares the time of the same fit from Python.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>

#include "memory.hpp"
#include "suite.hpp"
#include "tailcoat/estimators/fit.hpp"

namespace tailcoat::bench {
namespace {

constexpr std::size_t kRows = 1'000'000, kColumns = 20;
constexpr int kFits = 3;

double seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// `fit_once` is given what to fit by `prepare`, whose time does not count.
template <class Prepare, class FitOnce>
Row measured(Prepare&& prepare, FitOnce&& fit_once) {
  double wall = 1e300, processor = 1e300, slope = 0;
  for (int i = 0; i < kFits; ++i) {
    auto prepared = prepare();
    Engine engine;
    BitSource noise = BitSource::insecure_seeded(1);
    const double wall_start = seconds(CLOCK_MONOTONIC), start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    const Result<Fit> fitted = fit_once(std::move(prepared), RunContext{engine, noise});
    wall = std::min(wall, seconds(CLOCK_MONOTONIC) - wall_start);
    processor = std::min(processor, seconds(CLOCK_PROCESS_CPUTIME_ID) - start);
    if (!fitted) stop_at(fitted.error());
    slope = fitted->model.parts[0].coefficients[0].value;
  }
  return {{"seconds", wall}, {"processor_seconds", processor}, {"first_slope", slope}};
}

std::vector<Column> columns_of(std::size_t count) {
  std::vector<Column> columns;
  for (std::size_t j = 0; j < count; ++j) columns.push_back({.name = fmt::format("x{}", j)});
  columns.push_back({.name = "y"});
  return columns;
}

// The target: the first column and a part of the second that is not linear.
double target_of(const double* row) { return row[0] + row[1] * row[1]; }

Table table_of(const std::vector<double>& cells) {
  auto table = Table::create(columns_of(kColumns), Storage::f64);
  if (!table) stop_at(table.error());
  std::vector<double> row(kColumns + 1);
  for (std::size_t i = 0; i < kRows; ++i) {
    std::copy_n(&cells[i * kColumns], kColumns, row.begin());
    row.back() = target_of(row.data());
    if (const auto added = table->append(row); !added) stop_at(added.error());
  }
  return std::move(*table);
}

}  // namespace

void fit_suite(const Report& report) {
  std::vector<double> cells(kRows * kColumns), labels(kRows);
  fill(cells.data(), cells.size());
  for (std::size_t i = 0; i < kRows; ++i) labels[i] = target_of(&cells[i * kColumns]);
  const FitOptions options{.target = "y", .budget = {1, 1e-6}};
  const auto frame = [&] {
    return Frame{.columns = columns_of(kColumns),
                 .cells = RowsOf<double>{cells.data(), kRows, kColumns, kColumns},
                 .apart = labels};
  };
  report("frame", measured(frame, [&](const Frame& rows, RunContext run) { return fit(rows, options, run); }));
  report("table", measured([&] { return table_of(cells); },
                           [&](Table rows, RunContext run) { return fit(std::move(rows), options, run); }));
}

}  // namespace tailcoat::bench
