// What `plan` says about each algorithm, as table, JSON and charts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/chart.hpp"
#include "speed.hpp"
#include "tailcoat/algorithms/catalogue.hpp"

namespace tailcoat::cli {

// All that is known in public.
struct PlanInputs {
  Setting setting;
  ApproxDp budget;
  Options options{};
};

struct AlgorithmForecast {
  Algorithm algorithm;
  std::optional<Forecast> forecast;
  std::string refused;  // why, if there is no forecast
};

// In the order of the catalogue.
std::vector<AlgorithmForecast> forecasts_of(const PlanInputs&);

Result<std::string> forecast_json(const PlanInputs&, const Speed&);
Result<std::string> forecast_table(const PlanInputs&, const Speed&);

// Bounds against the number of rows and against epsilon, around the plan's own. Delta stays as it is.
Result<std::vector<experiments::Chart>> forecast_charts(Engine&, const PlanInputs&);

}  // namespace tailcoat::cli
