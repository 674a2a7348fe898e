// The plan of one stage of `localized`: its phases from public numbers.
#pragma once

#include "tailcoat/algorithms/localized.hpp"

namespace tailcoat {

// A stage and what it guarantees, except with probability options.failure_probability. The radius is for the caller.
struct PlannedStage {
  LocalizedStage stage;
  double excess_risk = std::numeric_limits<double>::infinity();
};

// Parameters that minimise the bound; at least 2 rows.
PlannedStage tight_stage(const Setting&, Gdp budget, const Options&);
// The parameters of the text, in both regimes of 1 / delta. Refused where there are too few rows for its J.
Result<PlannedStage> text_stage(const Setting&, Gdp budget, const Options&);

}  // namespace tailcoat
