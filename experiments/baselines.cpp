#include "experiments/baselines.hpp"

#include <fmt/format.h>

#include <set>

#include "experiments/table.hpp"
#include "experiments/trials.hpp"

namespace tailcoat::experiments {
namespace {

constexpr ApproxDp kBudget{1, 1e-6};
constexpr std::size_t kFeatures = 10;
constexpr double kOrder = 3;

std::vector<std::size_t> sizes(const StudyContext& context) {
  if (context.quick) return {1u << 11, 1u << 13, 1u << 15};
  return {1u << 11, 1u << 13, 1u << 15, 1u << 17};
}

// One problem: a line per algorithm, a column per number of rows.
struct Block {
  std::string_view problem;
  std::span<const CellOutcome> cells;  // by rows
};

std::string table_of(const Block& block, const std::vector<std::size_t>& rows) {
  std::vector<std::string> header{std::string(block.problem)};
  for (const std::size_t n : rows) header.push_back(fmt::format("n = {}", n));
  TextTable table(header);
  for (std::size_t a = 0; a < algorithms().size(); ++a) {
    std::vector<std::string> line{std::string(algorithms()[a].name)};
    for (const CellOutcome& cell : block.cells) {
      const Outcome& outcome = cell.contenders[a];
      line.push_back(outcome.refused.empty() ? figures(outcome.excess.value) : "refused");
    }
    table.add(line);
  }
  std::vector<std::string> nonprivate{"not private"}, centre{"centre of the domain"};
  for (const CellOutcome& cell : block.cells) {
    nonprivate.push_back(figures(cell.nonprivate.value));
    centre.push_back(figures(cell.at_centre));
  }
  table.add(nonprivate);
  table.add(centre);
  return table.text() + '\n';
}

std::string refusals_of(const std::vector<Block>& blocks) {
  std::string text;
  for (std::size_t a = 0; a < algorithms().size(); ++a) {
    std::set<std::string> reasons;
    for (const Block& block : blocks)
      for (const CellOutcome& cell : block.cells)
        if (const std::string& reason = cell.contenders[a].refused; !reason.empty() && reasons.insert(reason).second)
          text += fmt::format("{}, {}:\n{}", algorithms()[a].name, block.problem, wrapped(reason, "  "));
  }
  return text.empty() ? "" : "Refused, or left out:\n" + text;
}

Chart chart_of(const Block& block, const std::vector<std::size_t>& rows) {
  Chart chart{.title = fmt::format("All algorithms on {}", block.problem),
              .subtitle = fmt::format("epsilon {}, delta {:.0e}, {} features, k = {}; bars: two standard errors",
                                      kBudget.epsilon, kBudget.delta, kFeatures, kOrder),
              .x = {"rows"},
              .y = {"excess risk"}};
  for (std::size_t a = 0; a < algorithms().size(); ++a) {
    Series series{.label = std::string(algorithms()[a].name), .color = a};
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (const Outcome& outcome = block.cells[i].contenders[a]; outcome.refused.empty())
        series.points.push_back(
            {static_cast<double>(rows[i]), outcome.excess.value, 2 * outcome.excess.standard_error});
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  Series nonprivate{.label = "not private", .mark = Mark::dashed, .color = 7};
  Series centre{.label = "centre of the domain", .mark = Mark::dotted, .color = 7};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    nonprivate.points.push_back({static_cast<double>(rows[i]), block.cells[i].nonprivate.value});
    centre.points.push_back({static_cast<double>(rows[i]), block.cells[i].at_centre});
  }
  chart.series.push_back(std::move(nonprivate));
  chart.series.push_back(std::move(centre));
  return chart;
}

Json json_of(const Block& block, const std::vector<std::size_t>& rows) {
  Json cells = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CellOutcome& outcome = block.cells[i];
    Json cell{{"problem", block.problem}, {"rows", rows[i]}, {"excess_at_centre", outcome.at_centre}};
    put_estimate(cell, "excess_nonprivate", outcome.nonprivate);
    cell["algorithms"] = Json::array();
    for (std::size_t a = 0; a < algorithms().size(); ++a) {
      Json entry{{"name", algorithms()[a].name}, {"reference", algorithms()[a].reference}};
      if (!outcome.contenders[a].refused.empty())
        entry["refused"] = outcome.contenders[a].refused;
      else
        put_estimate(entry, "excess", outcome.contenders[a].excess);
      cell["algorithms"].push_back(std::move(entry));
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace

Result<Report> baselines(const StudyContext& context) {
  const std::vector<std::size_t> rows = sizes(context);
  const std::vector<Kind> kinds{Kind::mean, Kind::linear, Kind::absolute, Kind::logistic, Kind::smooth};
  const std::size_t repetitions = context.quick ? 4 : 16;
  TrialPlan plan{.name = "baselines",
                 .cells = {},
                 .contenders = all_contenders({.max_passes = context.quick ? 50.0 : 500.0}),
                 .budget = kBudget,
                 .most_work = context.quick ? 5e7 : 4e9};
  for (const Kind kind : kinds) {
    for (const std::size_t n : rows) {
      TAILCOAT_TRY(cell, cell_of(kind, kOrder, kFeatures, n, kBudget, context.seed, repetitions));
      plan.cells.push_back(cell);
    }
  }
  TAILCOAT_TRY(outcomes, run_trials(context, plan));
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    blocks.push_back({kind_name(kinds[i]), std::span(outcomes).subspan(i * rows.size(), rows.size())});
  Report report;
  report.table = fmt::format("excess risk, epsilon {}, delta {:.0e}, {} features, k = {}\n\n", kBudget.epsilon,
                             kBudget.delta, kFeatures, kOrder);
  report.json = {{"schema", "tailcoat-experiment-baselines/1"},
                 {"quick", context.quick},
                 {"seed", context.seed},
                 {"features", kFeatures},
                 {"k", kOrder},
                 {"epsilon", kBudget.epsilon},
                 {"delta", kBudget.delta}};
  report.json["cells"] = Json::array();
  for (const Block& block : blocks) {
    report.table += table_of(block, rows);
    for (Json& cell : json_of(block, rows)) report.json["cells"].push_back(std::move(cell));
    report.charts.push_back({fmt::format("baselines-{}", block.problem), chart_of(block, rows)});
  }
  report.table += refusals_of(blocks);
  return report;
}

}  // namespace tailcoat::experiments
