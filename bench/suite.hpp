// What a benchmark suite is: a function that measures and hands rows of named numbers to a reporter. All figures are
// ratios measured in the same run, or costs per unit; the reporter prints them as a table or as JSON lines.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tailcoat::bench {

using Row = std::vector<std::pair<std::string, double>>;
using Report = std::function<void(const std::string& label, const Row&)>;

void pass_suite(const Report&);   // engine: exact pass against float pass, read bandwidth and BLAS
void steps_suite(const Report&);  // engine: one-pass averages against read bandwidth
void made_suite(const Report&);   // estimators: passes over rows made on the way against kept ones
void fit_suite(const Report&);    // estimators: a whole fit of a frame and of a table
void file_suite(const Report&);   // from a CSV file to a fit, against reading the file
void noise_suite(const Report&);  // samplers: nanoseconds per draw
void csv_suite(const Report&);    // readers: megabytes per second, peak memory over table

// Best of `repeats` runs, in seconds.
template <class F>
double best_seconds(int repeats, F&& work) {
  double best = 1e300;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (elapsed.count() < best) best = elapsed.count();
  }
  return best;
}

}  // namespace tailcoat::bench
