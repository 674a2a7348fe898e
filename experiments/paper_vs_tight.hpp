// paper-vs-tight: every algorithm of the paper with the text's parameters and with the slack taken out of them, on the
// same data and the same budget, next to the fit without privacy.
#pragma once

#include "experiments/study.hpp"

namespace tailcoat::experiments {

Result<Report> paper_vs_tight(const StudyContext&);

}  // namespace tailcoat::experiments
