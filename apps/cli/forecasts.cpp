#include "forecasts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/table.hpp"
#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat::cli {
namespace {

using namespace experiments;
using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "tailcoat-plan/1";

// One pass goes from row to row; whatever reads the data more often does so in passes that use all cores.
double seconds_of(const Work& work, const Speed& speed) {
  return work.sample_gradients * (work.passes <= 1 ? speed.one_pass : speed.full_pass);
}

// Rows, labels and the norms of the rows.
double memory_of(const Setting& setting) {
  return 8 * static_cast<double>(setting.rows) * (static_cast<double>(setting.dimension) + 2);
}

bool has_certificate(const Forecast& forecast) { return std::isfinite(forecast.bound.excess_risk); }

std::string duration_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.2g} ms", std::max(1e-3, 1e3 * seconds));
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
  if (seconds < 172800) return fmt::format("{:.3g} h", seconds / 3600);
  return fmt::format("{:.3g} days", seconds / 86400);
}

std::string bytes_text(double bytes) {
  if (bytes < 1e6) return fmt::format("{:.3g} kB", bytes / 1e3);
  return bytes < 1e9 ? fmt::format("{:.3g} MB", bytes / 1e6) : fmt::format("{:.3g} GB", bytes / 1e9);
}

// A number of JSON, or nothing where there is no number.
void put(Json& json, const char* name, double value) {
  if (std::isfinite(value)) json[name] = value;
}

Json json_of(const AlgorithmForecast& planned, const Setting& setting, double lower, const Speed& speed) {
  Json json{{"name", planned.algorithm.name}, {"reference", planned.algorithm.reference}};
  json["runs"] = planned.forecast.has_value();
  if (!planned.forecast) {
    json["refused"] = planned.refused;
    return json;
  }
  const auto& [bound, work] = *planned.forecast;
  json["certified"] = has_certificate(*planned.forecast);
  put(json, "certified_bound", bound.excess_risk);
  if (has_certificate(*planned.forecast)) json["bound_failure_probability"] = bound.failure_probability;
  put(json, "lower_bound", lower);
  put(json, "sample_gradients", work.sample_gradients);
  put(json, "passes", work.passes);
  put(json, "wanted_passes", work.wanted_passes);
  put(json, "estimated_seconds", seconds_of(work, speed));
  put(json, "memory_bytes", memory_of(setting));
  return json;
}

struct Panel {
  std::string title, label;
  std::vector<double> values;
  std::function<PlanInputs(double)> inputs_at;
  double here;  // the plan's own value
};

std::vector<double> around(double centre, double lowest, double highest) {
  std::vector<double> values;
  for (int step = -8; step <= 8; ++step) {
    const double value = centre * std::pow(10, step / 4.0);
    if (value >= lowest && value <= highest) values.push_back(value);
  }
  return values;
}

Result<Chart> panel_chart(Engine& engine, const Panel& panel) {
  std::vector<std::vector<AlgorithmForecast>> plans(panel.values.size());
  std::vector<double> lower(panel.values.size());
  TAILCOAT_CHECK(engine.for_each(panel.values.size(), [&](std::size_t i) -> Result<void> {
    const PlanInputs inputs = panel.inputs_at(panel.values[i]);
    plans[i] = forecasts_of(inputs);
    TAILCOAT_TRY(mu, gaussian_budget(inputs.budget));
    lower[i] = lower_bound(inputs.setting, mu);
    return {};
  }));
  Chart chart{.title = panel.title,
              .subtitle = fmt::format("this plan: {} = {:g}", panel.label, panel.here),
              .x = {panel.label},
              .y = {"certified bound on the excess risk"}};
  for (std::size_t a = 0; a < algorithms().size(); ++a) {
    Series series{.label = std::string(algorithms()[a].name), .color = a};
    for (std::size_t i = 0; i < panel.values.size(); ++i)
      if (const auto& forecast = plans[i][a].forecast; forecast && has_certificate(*forecast))
        series.points.push_back({panel.values[i], forecast->bound.excess_risk});
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  Series rate{.label = "lower bound (rate)", .mark = Mark::dotted, .color = 7};
  for (std::size_t i = 0; i < panel.values.size(); ++i) rate.points.push_back({panel.values[i], lower[i]});
  chart.series.push_back(std::move(rate));
  return chart;
}

}  // namespace

std::vector<AlgorithmForecast> forecasts_of(const PlanInputs& inputs) {
  std::vector<AlgorithmForecast> all;
  for (const Algorithm& algorithm : algorithms()) {
    all.push_back({.algorithm = algorithm, .forecast = std::nullopt, .refused = ""});
    const auto planned = algorithm.plan(inputs.setting, inputs.budget, inputs.options);
    if (planned)
      all.back().forecast = *planned;
    else
      all.back().refused = planned.error().message;
  }
  return all;
}

Result<std::string> forecast_json(const PlanInputs& inputs, const Speed& speed) {
  const auto& [setting, budget, options] = inputs;
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  Json json{{"schema", kSchema},
            {"rows", setting.rows},
            {"features", setting.dimension},
            {"epsilon", budget.epsilon},
            {"delta", budget.delta},
            {"mu", mu.mu},
            {"rho", rho_of(mu)},
            {"moments", {{"k", setting.moments.k}, {"g2", setting.moments.g2}, {"gk", setting.moments.gk}}},
            {"diameter", setting.diameter},
            {"constants", options.constants == Constants::paper ? "paper" : "tight"},
            {"max_passes", options.max_passes},
            {"failure_probability", options.failure_probability}};
  put(json, "smoothness", setting.smoothness);
  put(json, "strong_convexity", setting.strong_convexity);
  const double lower = lower_bound(setting, mu);
  put(json, "lower_bound", lower);
  put(json, "trivial_bound", trivial_bound(setting));
  json["algorithms"] = Json::array();
  for (const AlgorithmForecast& planned : forecasts_of(inputs))
    json["algorithms"].push_back(json_of(planned, setting, lower, speed));
  return json.dump() + "\n";
}

Result<std::string> forecast_table(const PlanInputs& inputs, const Speed& speed) {
  const Setting& setting = inputs.setting;
  TAILCOAT_TRY(mu, gaussian_budget(inputs.budget));
  TextTable table({"algorithm", "bound", "holds", "gradients", "passes", "wanted", "time"});
  std::string refusals;
  for (const AlgorithmForecast& planned : forecasts_of(inputs)) {
    if (!planned.forecast) {
      refusals += fmt::format("{}\n{}", planned.algorithm.name, wrapped(planned.refused, "  "));
      continue;
    }
    const auto& [bound, work] = *planned.forecast;
    const double failure = bound.failure_probability;
    const std::string holds = !has_certificate(*planned.forecast) ? "no certificate"
                              : failure > 0                       ? fmt::format("w.p. {:.4g}", 1 - failure)
                                                                  : "on average";
    table.add({std::string(planned.algorithm.name), figures(bound.excess_risk), holds, figures(work.sample_gradients),
               figures(work.passes), figures(work.wanted_passes), duration_text(seconds_of(work, speed))});
  }
  std::string text = fmt::format("epsilon {:g}, delta {:.2g}: mu {:.4g}, rho {:.4g}\n", inputs.budget.epsilon,
                                 inputs.budget.delta, mu.mu, rho_of(mu));
  text += fmt::format("lower bound {} (the best rate there can be, without its constant)\n",
                      figures(lower_bound(setting, mu)));
  text += fmt::format("trivial bound {} (the centre of the domain, without looking at data)\n",
                      figures(trivial_bound(setting)));
  text += fmt::format("memory {}\n\n{}", bytes_text(memory_of(setting)), table.text());
  if (!refusals.empty()) text += "\nRefused:\n" + refusals;
  return text;
}

Result<std::vector<Chart>> forecast_charts(Engine& engine, const PlanInputs& inputs) {
  const auto rows = static_cast<double>(inputs.setting.rows);
  const auto with_rows = [&](double n) {
    PlanInputs changed = inputs;
    changed.setting.rows = static_cast<std::size_t>(n);
    return changed;
  };
  const auto with_epsilon = [&](double epsilon) {
    PlanInputs changed = inputs;
    changed.budget.epsilon = epsilon;
    return changed;
  };
  TAILCOAT_TRY(against_rows, panel_chart(engine, {.title = "Excess risk against the number of rows",
                                                  .label = "rows",
                                                  .values = around(rows, 4, 1e15),
                                                  .inputs_at = with_rows,
                                                  .here = rows}));
  TAILCOAT_TRY(against_epsilon, panel_chart(engine, {.title = "Excess risk against epsilon",
                                                     .label = "epsilon",
                                                     .values = around(inputs.budget.epsilon, 1e-4, 100),
                                                     .inputs_at = with_epsilon,
                                                     .here = inputs.budget.epsilon}));
  return std::vector<Chart>{against_rows, against_epsilon};
}

}  // namespace tailcoat::cli
