#include "experiments/paper_vs_tight.hpp"

#include <fmt/format.h>

#include "experiments/table.hpp"
#include "experiments/trials.hpp"

namespace tailcoat::experiments {
namespace {

constexpr ApproxDp kBudget{4, 1e-6};
constexpr std::size_t kFeatures = 5;
constexpr double kOrder = 3;

// Contenders come in pairs: an algorithm with the paper's constants, then with tight ones. Our own have no others.
TrialPlan plan_of(const StudyContext& context) {
  TrialPlan plan{.name = "paper-vs-tight",
                 .cells = {},
                 .contenders = {},
                 .budget = kBudget,
                 .most_work = context.quick ? 5e7 : 5e8};
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.reference != "ours")
      for (const Constants constants : {Constants::paper, Constants::tight})
        plan.contenders.push_back({algorithm, {.constants = constants, .max_passes = context.quick ? 100.0 : 300.0}});
  return plan;
}

struct Comparison {
  std::string_view algorithm, reference, problem;
  const Outcome *paper, *tight;
  Estimate nonprivate;

  [[nodiscard]] bool ran() const { return paper->refused.empty() && tight->refused.empty(); }
};

Json json_of(const Comparison& comparison) {
  Json json{{"name", comparison.algorithm}, {"reference", comparison.reference}, {"problem", comparison.problem}};
  const auto add = [&](const std::string& which, const Outcome& outcome) {
    if (!outcome.refused.empty()) {
      json["refused_" + which] = outcome.refused;
      return;
    }
    put_estimate(json, "excess_" + which, outcome.excess);
    put_finite(json, "bound_" + which, outcome.forecast.bound.excess_risk);
  };
  add("paper", *comparison.paper);
  add("tight", *comparison.tight);
  put_estimate(json, "excess_nonprivate", comparison.nonprivate);
  return json;
}

std::string cell_text(const Outcome& outcome, bool bound) {
  if (!outcome.refused.empty()) return "refused";
  return figures(bound ? outcome.forecast.bound.excess_risk : outcome.excess.value);
}

std::string table_text(const std::vector<Comparison>& comparisons, std::size_t rows) {
  TextTable table({"algorithm", "problem", "paper", "tight", "not private", "bound, paper", "bound, tight"});
  std::string refusals;
  for (const Comparison& comparison : comparisons) {
    const std::string name(comparison.algorithm), problem(comparison.problem);
    table.add({name, problem, cell_text(*comparison.paper, false), cell_text(*comparison.tight, false),
               figures(comparison.nonprivate.value), cell_text(*comparison.paper, true),
               cell_text(*comparison.tight, true)});
    for (const auto& [which, outcome] : {std::pair{"paper", comparison.paper}, std::pair{"tight", comparison.tight}})
      if (!outcome->refused.empty())
        refusals += fmt::format("{}, {}, {}:\n{}", name, problem, which, wrapped(outcome->refused, "  "));
  }
  std::string text = fmt::format("excess risk at {} rows, {} features, k = {}, epsilon {}, delta {:.0e}\n\n", rows,
                                 kFeatures, kOrder, kBudget.epsilon, kBudget.delta);
  text += table.text();
  return refusals.empty() ? text : text + "\nRefused, or left out:\n" + refusals;
}

// The algorithms that ran on a problem, side by side.
Chart chart_of(const std::vector<Comparison>& comparisons, std::string_view problem, std::size_t rows) {
  Chart chart{.title = fmt::format("The paper's constants and tight ones: {}", problem),
              .subtitle = fmt::format("{} rows, epsilon {}, {} features, k = {}; bars: two standard errors", rows,
                                      kBudget.epsilon, kFeatures, kOrder),
              .x = {"", false},
              .y = {"excess risk"},
              .series = {{"paper's constants", {}, Mark::points, 1},
                         {"tight constants", {}, Mark::points, 0},
                         {"not private", {}, Mark::points, 7}}};
  for (const Comparison& comparison : comparisons) {
    if (comparison.problem != problem || !comparison.ran()) continue;
    chart.x.names.emplace_back(comparison.algorithm);
    const auto place = static_cast<double>(chart.x.names.size());
    const Estimate estimates[] = {comparison.paper->excess, comparison.tight->excess, comparison.nonprivate};
    for (std::size_t i = 0; i < std::size(estimates); ++i)
      chart.series[i].points.push_back({place, estimates[i].value, 2 * estimates[i].standard_error});
  }
  return chart;
}

}  // namespace

Result<Report> paper_vs_tight(const StudyContext& context) {
  const std::size_t rows = std::size_t{1} << (context.quick ? 14 : 16);
  const std::size_t repetitions = context.quick ? 6 : 16;
  TrialPlan plan = plan_of(context);
  for (const Kind kind : {Kind::absolute, Kind::smooth, Kind::mean, Kind::hard}) {
    TAILCOAT_TRY(cell, cell_of(kind, kOrder, kFeatures, rows, kBudget, context.seed, repetitions));
    plan.cells.push_back(cell);
  }
  TAILCOAT_TRY(outcomes, run_trials(context, plan));
  std::vector<Comparison> comparisons;
  for (std::size_t a = 0; a < plan.contenders.size(); a += 2)
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      comparisons.push_back({.algorithm = plan.contenders[a].algorithm.name,
                             .reference = plan.contenders[a].algorithm.reference,
                             .problem = kind_name(plan.cells[i].simulation.spec().kind),
                             .paper = &outcomes[i].contenders[a],
                             .tight = &outcomes[i].contenders[a + 1],
                             .nonprivate = outcomes[i].nonprivate});
  Report report{.table = table_text(comparisons, rows), .json = {}, .charts = {}};
  report.json = {{"schema", "tailcoat-experiment-paper-vs-tight/1"},
                 {"quick", context.quick},
                 {"seed", context.seed},
                 {"rows", rows},
                 {"features", kFeatures},
                 {"k", kOrder},
                 {"epsilon", kBudget.epsilon},
                 {"delta", kBudget.delta}};
  report.json["algorithms"] = Json::array();
  report.json["refused"] = Json::array();
  for (const Comparison& comparison : comparisons)
    report.json[comparison.ran() ? "algorithms" : "refused"].push_back(json_of(comparison));
  for (const Cell& cell : plan.cells) {
    const std::string_view problem = kind_name(cell.simulation.spec().kind);
    if (Chart chart = chart_of(comparisons, problem, rows); !chart.x.names.empty())
      report.charts.push_back({fmt::format("paper-vs-tight-{}", problem), std::move(chart)});
  }
  return report;
}

}  // namespace tailcoat::experiments
