// What studies say about their measurements: means with standard errors, slopes on log-log paper, and exact confidence
// bounds for probabilities.
#pragma once

#include <cstdint>
#include <span>

namespace tailcoat::experiments {

struct Estimate {
  double value = 0;
  double standard_error = 0;  // 0 for fewer than two numbers
};

Estimate mean_of(std::span<const double> values);

struct LogLogPoint {
  double x;
  double y;
  double y_error = 0;  // standard error of y
};

// The slope of log y against log x by least squares, each point weighted by the precision of log y, but none more than
// as if known to 5 %: beyond that the curve is no line. Points with y <= 0 are left out; 0 +- 0 for fewer than two.
Estimate log_log_slope(std::span<const LogLogPoint> points);

// Clopper and Pearson: the probability of an event seen `hits` times in `runs` is above, or below, with confidence.
double probability_above(std::uint64_t hits, std::uint64_t runs, double confidence);
double probability_below(std::uint64_t hits, std::uint64_t runs, double confidence);

}  // namespace tailcoat::experiments
