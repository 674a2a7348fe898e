// What `plan` says about each algorithm, as table and charts.
#pragma once

#include <string>
#include <vector>

#include "experiments/chart.hpp"
#include "tailcoat/estimators/planner.hpp"

namespace tailcoat::cli {

Result<std::string> forecast_table(const PlanInputs&, const Speed&);

// Bounds against the number of rows and against epsilon, around the plan's own. Delta stays as it is.
Result<std::vector<experiments::Chart>> forecast_charts(Engine&, const PlanInputs&);

}  // namespace tailcoat::cli
