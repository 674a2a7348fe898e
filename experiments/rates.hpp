// rates: excess risk against the number of rows for k = 2, 3, 4 moments, per algorithm and problem. The slope fitted to
// the measurements stands next to that of the rate G_2 D / sqrt(n) + G_k D (sqrt(d) / (n sqrt(rho)))^(1 - 1/k) over the
// same rows, which lies between 1/2 and 1 - 1/k; the certified bound next to what was measured. Curved losses may be
// steeper than the rate, `hard` is made to follow it.
#pragma once

#include "experiments/study.hpp"

namespace tailcoat::experiments {

Result<Report> rates(const StudyContext&);

}  // namespace tailcoat::experiments
