// Planner: what each algorithm promises and costs, from public numbers alone.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tailcoat/algorithms/catalogue.hpp"
#include "tailcoat/estimators/speed.hpp"

namespace tailcoat {

// All that is known in public.
struct PlanInputs {
  Setting setting;
  ApproxDp budget;  // delta = 0: pure
  Options options{};
};

inline constexpr NumberOption kRowsOption{.name = "rows", .meaning = "rows of the data", .lowest = 1, .highest = 1e15};
inline constexpr NumberOption kFeaturesOption{
    .name = "features", .meaning = "parameters of the model", .lowest = 1, .highest = 1e7};

// The losses to plan for: "glm", or "general", a convex loss of the user's own. Of that the gradient of a sample is
// given and, if there is a step error, the implicit step with that error.
Result<void> set_problem(Setting&, std::string_view problem, std::optional<double> step_error);

// What a plan takes for delta if none is given: well below 1 / rows.
double default_delta(double rows);

// Refuses what no algorithm could plan for.
Result<void> check(const PlanInputs&);

struct AlgorithmForecast {
  Algorithm algorithm;
  std::optional<Forecast> forecast;  // its bound as shown_bound() tells it
  std::string refused;               // why, if there is no forecast
};

// In the order of the catalogue.
std::vector<AlgorithmForecast> forecasts_of(const PlanInputs&);

// The rate under this budget (rates.hpp).
Result<double> rate_of(const PlanInputs&);

// How long that takes, and how much memory.
double seconds_of(const Work&, const Speed&);
double memory_of(const Setting&);
inline bool has_certificate(const Forecast& forecast) { return std::isfinite(forecast.bound.excess_risk); }

// One JSON object, schema "tailcoat-plan/1".
Result<std::string> plan_json(const PlanInputs&, const Speed&);

}  // namespace tailcoat
