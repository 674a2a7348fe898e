#include "forecasts.hpp"

#include <fmt/format.h>

#include <cmath>

#include "experiments/table.hpp"
#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat::cli {
namespace {

using namespace experiments;

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
  std::vector<double> rates(panel.values.size()), trivial(panel.values.size());
  TAILCOAT_CHECK(engine.for_each(panel.values.size(), [&](std::size_t i) -> Result<void> {
    const PlanInputs inputs = panel.inputs_at(panel.values[i]);
    plans[i] = forecasts_of(inputs);
    TAILCOAT_TRY(rate, rate_of(inputs));
    rates[i] = rate;
    trivial[i] = trivial_bound(inputs.setting);
    return {};
  }));
  Chart chart{.title = panel.title,
              .subtitle = fmt::format("this plan: {} = {:g}", panel.label, panel.here),
              .x = {panel.label},
              .y = {"certified bound on the excess risk"}};
  for (std::size_t a = 0; a < algorithms().size(); ++a) {
    Series series{.label = std::string(algorithms()[a].name), .color = a};
    for (std::size_t i = 0; i < panel.values.size(); ++i)
      if (const auto& forecast = plans[i][a].forecast; forecast && has_certificate(*forecast))  // at most the trivial
        series.points.push_back({panel.values[i], forecast->bound.excess_risk});
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  const auto add_line = [&](const char* label, const std::vector<double>& values, std::size_t color) {
    Series line{.label = label, .mark = Mark::dotted, .color = color};
    for (std::size_t i = 0; i < panel.values.size(); ++i) line.points.push_back({panel.values[i], values[i]});
    chart.series.push_back(std::move(line));
  };
  add_line("rate", rates, 7);
  add_line("trivial bound", trivial, 6);
  return chart;
}

}  // namespace

Result<std::string> forecast_table(const PlanInputs& inputs, const Speed& speed) {
  const Setting& setting = inputs.setting;
  TAILCOAT_TRY(rate, rate_of(inputs));
  TextTable table({"algorithm", "bound", "holds", "gradients", "passes", "wanted", "time"});
  std::string refusals;
  bool any_trivial = false;
  for (const AlgorithmForecast& planned : forecasts_of(inputs)) {
    if (!planned.forecast) {
      refusals += fmt::format("{}\n{}", planned.algorithm.name, wrapped(planned.refused, "  "));
      continue;
    }
    const auto& [bound, work] = *planned.forecast;
    const double failure = bound.failure_probability;
    any_trivial = any_trivial || bound.trivial;
    const std::string holds = !has_certificate(*planned.forecast) ? "no certificate"
                              : bound.trivial                     ? "trivial"
                              : failure > 0                       ? fmt::format("w.p. {:.4g}", 1 - failure)
                                                                  : "on average";
    table.add({std::string(planned.algorithm.name), figures(bound.excess_risk), holds, figures(work.sample_gradients),
               figures(work.passes), figures(work.wanted_passes), duration_text(seconds_of(work, speed))});
  }
  std::string text = fmt::format("epsilon {:g}, delta 0: pure epsilon-DP\n", inputs.budget.epsilon);
  if (inputs.budget.delta > 0) {
    TAILCOAT_TRY(mu, gaussian_budget(inputs.budget));
    text = fmt::format("epsilon {:g}, delta {:.2g}: mu {:.4g}, rho {:.4g}\n", inputs.budget.epsilon,
                       inputs.budget.delta, mu.mu, rho_of(mu));
  }
  text += fmt::format("rate {} (the best there can be, up to a constant)\n", figures(rate));
  text += fmt::format("trivial bound {} (of the centre of the domain, without looking at data)\n",
                      figures(trivial_bound(setting)));
  text += fmt::format("memory {}\n\n{}", bytes_text(memory_of(setting)), table.text());
  if (any_trivial) text += "trivial: its theorem promises no less; the number is that of the centre of the domain\n";
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
