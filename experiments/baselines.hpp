// baselines: all algorithms against each other and against what others have published, on the same data and budget:
// excess risk over the number of rows, next to the fit without privacy and to the centre of the domain, which costs
// nothing.
#pragma once

#include "experiments/study.hpp"

namespace tailcoat::experiments {

Result<Report> baselines(const StudyContext&);

}  // namespace tailcoat::experiments
