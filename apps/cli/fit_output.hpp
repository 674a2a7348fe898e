// What `fit` prints: the model, what was paid for it, and what limits it, as one JSON object or as text of at most 100
// columns.
#pragma once

#include <string>

#include "tailcoat/estimators/fit.hpp"

namespace tailcoat::cli {

std::string fit_json(const Fit&);
std::string fit_text(const Fit&);

}  // namespace tailcoat::cli
