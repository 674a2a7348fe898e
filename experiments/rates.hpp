// rates: excess risk against the number of rows for k = 2, 3, 4 moments, per algorithm and problem. The slope fitted to
// the measurements stands next to that of the rate G_2 D / sqrt(n) + G_k D (sqrt(d) / (n sqrt(rho)))^(1 - 1/k) over the
// same rows, which lies between 1/2 and 1 - 1/k; the certified bound next to what was measured. Curved losses may be
// steeper than the rate, `hard` is made to follow it.
#pragma once

#include <string_view>
#include <vector>

#include "experiments/simulate.hpp"
#include "experiments/study.hpp"

namespace tailcoat::experiments {

Result<Report> rates(const StudyContext&);

// Some of it: these problems, orders and algorithms (none: all), with the numbers of rows and runs of the study.
struct RatesPart {
  std::vector<Kind> problems;
  std::vector<double> orders;
  std::vector<std::string_view> algorithms{};
};
Result<Report> rates_in_part(const StudyContext&, const RatesPart&);

}  // namespace tailcoat::experiments
