#include "tailcoat/estimators/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "tailcoat-plan/1";

// A number of JSON, or nothing where there is no number.
void put(Json& json, const char* name, double value) {
  if (std::isfinite(value)) json[name] = value;
}

Json json_of(const AlgorithmForecast& planned, const Setting& setting, double rate, const Speed& speed) {
  Json json{{"name", planned.algorithm.name}, {"reference", planned.algorithm.reference}};
  json["runs"] = planned.forecast.has_value();
  if (!planned.forecast) {
    json["refused"] = planned.refused;
    return json;
  }
  const auto& [bound, work] = *planned.forecast;
  json["certified"] = has_certificate(*planned.forecast);
  put(json, "certified_bound", bound.excess_risk);
  json["trivial"] = bound.trivial;
  if (has_certificate(*planned.forecast)) json["bound_failure_probability"] = bound.failure_probability;
  put(json, "rate", rate);
  put(json, "sample_gradients", work.sample_gradients);
  put(json, "passes", work.passes);
  put(json, "wanted_passes", work.wanted_passes);
  put(json, "estimated_seconds", seconds_of(work, speed));
  put(json, "memory_bytes", memory_of(setting));
  return json;
}

}  // namespace

Result<void> set_problem(Setting& setting, std::string_view problem, std::optional<double> step_error) {
  if (problem != "glm" && problem != "general")
    return usage_error(fmt::format("problem '{}' is neither glm nor general", problem));
  setting.generalised_linear = problem == "glm";
  if (!step_error) return {};
  if (setting.generalised_linear)
    return usage_error(
        "step-error is for problem general: the implicit steps of generalised linear models are our own");
  TAILCOAT_TRY(error, check(kStepErrorOption, *step_error));
  setting.given.implicit_step = true;
  setting.given.step_error = error;
  return {};
}

double default_delta(double rows) { return std::min(1e-6, 1 / (10 * rows)); }

Result<void> check(const PlanInputs& inputs) {
  TAILCOAT_CHECK(check(kRowsOption, static_cast<double>(inputs.setting.rows)));
  TAILCOAT_CHECK(check(kFeaturesOption, static_cast<double>(inputs.setting.dimension)));
  TAILCOAT_CHECK(check_theorem_budget(inputs.budget));
  TAILCOAT_CHECK(check(kMaxPassesOption, inputs.options.max_passes));
  TAILCOAT_CHECK(check(kFailureProbabilityOption, inputs.options.failure_probability));
  TAILCOAT_CHECK(check(inputs.setting, LeastOrder::above_one));
  if (inputs.budget.delta > 0) TAILCOAT_CHECK(gaussian_budget(inputs.budget));
  return {};
}

// One pass goes from row to row; whatever reads the data more often does so in passes that use all cores.
double seconds_of(const Work& work, const Speed& speed) {
  return work.sample_gradients * (work.passes <= 1 ? speed.one_pass : speed.full_pass);
}

// Rows, labels and the norms of the rows.
double memory_of(const Setting& setting) {
  return 8 * static_cast<double>(setting.rows) * (static_cast<double>(setting.dimension) + 2);
}

std::vector<AlgorithmForecast> forecasts_of(const PlanInputs& inputs) {
  std::vector<AlgorithmForecast> all;
  for (const Algorithm& algorithm : algorithms()) {
    all.push_back({.algorithm = algorithm, .forecast = std::nullopt, .refused = ""});
    const auto planned = algorithm.plan(inputs.setting, budget_of(inputs.budget), inputs.options);
    if (planned)
      all.back().forecast = {.bound = shown_bound(planned->bound, inputs.setting), .work = planned->work};
    else
      all.back().refused = planned.error().message;
  }
  return all;
}

Result<double> rate_of(const PlanInputs& inputs) {
  const Budget budget = budget_of(inputs.budget);
  if (const auto* pure = std::get_if<PureDp>(&budget)) return optimal_rate(inputs.setting, *pure);
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  return optimal_rate(inputs.setting, mu);
}

Result<std::string> plan_json(const PlanInputs& inputs, const Speed& speed) {
  const auto& [setting, budget, options] = inputs;
  TAILCOAT_TRY(rate, rate_of(inputs));
  Json json{{"schema", kSchema},         {"problem", setting.generalised_linear ? "glm" : "general"},
            {"rows", setting.rows},      {"features", setting.dimension},
            {"epsilon", budget.epsilon}, {"delta", budget.delta}};
  if (budget.delta > 0) {
    TAILCOAT_TRY(mu, gaussian_budget(budget));
    json["mu"] = mu.mu;
    json["rho"] = rho_of(mu);
  }
  put(json["moments"], "k", setting.moments.k);
  put(json["moments"], "g2", setting.moments.g2);
  put(json["moments"], "gk", setting.moments.gk);
  json["diameter"] = setting.diameter;
  json["constants"] = options.constants == Constants::paper ? "paper" : "tight";
  json["max_passes"] = options.max_passes;
  json["failure_probability"] = options.failure_probability;
  put(json, "smoothness", setting.smoothness);
  put(json, "strong_convexity", setting.strong_convexity);
  if (setting.given.implicit_step) put(json, "step_error", setting.given.step_error);
  put(json, "rate", rate);
  put(json, "trivial_bound", trivial_bound(setting));
  json["algorithms"] = Json::array();
  for (const AlgorithmForecast& planned : forecasts_of(inputs))
    json["algorithms"].push_back(json_of(planned, setting, rate, speed));
  return json.dump() + "\n";
}

}  // namespace tailcoat
