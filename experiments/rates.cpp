#include "experiments/rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "experiments/table.hpp"
#include "experiments/trials.hpp"

namespace tailcoat::experiments {
namespace {

constexpr ApproxDp kBudget{8, 1e-6};  // rho = 1.2: rates show from few rows on
constexpr std::size_t kFeatures = 5;
constexpr std::size_t kRunsForASlope = 12;
constexpr double kSmoothnessCosts = 2;  // a certificate that is worse by so much is not at the rate of its theorem

struct Grid {
  std::vector<Kind> kinds{};
  std::vector<double> orders{};
  std::size_t sizes;  // how many numbers of rows per problem
  TrialPlan plan;
  [[nodiscard]] std::size_t index(std::size_t kind, std::size_t order, std::size_t size) const {
    return (kind * orders.size() + order) * sizes + size;
  }
};

Result<Grid> grid_of(const StudyContext& context, const RatesPart& part) {
  Grid grid{.kinds = part.problems,
            .orders = part.orders,
            .sizes = context.quick ? std::size_t{3} : std::size_t{6},
            .plan = {}};
  grid.plan = {.name = "rates",
               .cells = {},
               .contenders = all_contenders({.max_passes = context.quick ? 10.0 : 50.0}),
               .budget = kBudget,
               .most_work = context.quick ? 1e7 : 5e8};
  if (!part.algorithms.empty())
    std::erase_if(grid.plan.contenders, [&](const Contender& contender) {
      return std::ranges::find(part.algorithms, contender.algorithm.name) == part.algorithms.end();
    });
  for (Contender& contender : grid.plan.contenders) {
    const std::string_view name = contender.algorithm.name;
    // Planning one of these takes 50 to 100 ms, longer than its run.
    if (name == "smooth-svt" || name == "objective-perturbation")
      contender.most_runs = [](const Cell&) { return kRunsForASlope; };
    // Its theorem is the paper's first, and needs its passes to show its rate; on `hard` its excess varies so much that
    // 12 runs leave a slope with an error of .12.
    if (name == "localized") {
      contender.options.max_passes = 1e4;
      contender.most_work = std::numeric_limits<double>::infinity();
      contender.most_runs = [](const Cell& cell) {
        return cell.simulation.spec().kind == Kind::hard ? cell.repetitions : kRunsForASlope;
      };
    }
  }
  for (const Kind kind : grid.kinds) {
    // The hard problem looks the same at every size, so that fewer rows and more repetitions will do.
    const std::size_t first = kind == Kind::hard ? 11 : 12, step = context.quick ? 2 : 1;
    const std::size_t repetitions = kind == Kind::hard ? 64 : 24;
    for (const double k : grid.orders) {
      for (std::size_t i = 0; i < grid.sizes; ++i) {
        const std::size_t rows = std::size_t{1} << (first + i * step);
        TAILCOAT_TRY(cell, cell_of(kind, k, kFeatures, rows, kBudget, context.seed, repetitions));
        grid.plan.cells.push_back(cell);
      }
    }
  }
  return grid;
}

// Why theory may say nothing about a slope. The table has their letters.
constexpr struct {
  char letter;
  std::string_view reason;
} kReasons[] = {{'t', "the certificate is not below the trivial bound"},
                {'s', "its theorem is for smoother losses: smoothness limits the certificate"},
                {'p', "fewer passes than its theorem asks for"},
                {'c', "no better than the centre"},
                {'r', "too few repetitions"},
                {'n', "not run for all numbers of rows"}};

// One algorithm on one problem with k moments, over all rows.
struct Curve {
  std::size_t kind, order, contender;
  std::vector<LogLogPoint> measured{}, certified{}, rate{};
  std::set<char> not_comparable{};  // letters of reasons why theory does not predict its slope; empty: it does
  std::string refused{};            // the last reason
};

Curve curve_of(const Grid& grid, const std::vector<CellOutcome>& outcomes, std::size_t kind, std::size_t order,
               std::size_t contender) {
  Curve curve{.kind = kind, .order = order, .contender = contender};
  for (std::size_t r = 0; r < grid.sizes; ++r) {
    const CellOutcome& cell = outcomes[grid.index(kind, order, r)];
    const Outcome& outcome = cell.contenders[contender];
    const auto rows = static_cast<double>(grid.plan.cells[grid.index(kind, order, r)].rows);
    if (!outcome.refused.empty()) {
      curve.refused = outcome.refused;
      continue;
    }
    curve.measured.push_back({rows, outcome.excess.value, outcome.excess.standard_error});
    const double bound = outcome.forecast.bound.excess_risk;
    if (std::isfinite(bound)) curve.certified.push_back({rows, bound});
    if (!(bound < cell.trivial_bound)) curve.not_comparable.insert('t');
    if (bound > kSmoothnessCosts * outcome.straight_bound) curve.not_comparable.insert('s');
    if (outcome.forecast.work.passes < 0.99 * outcome.forecast.work.wanted_passes) curve.not_comparable.insert('p');
    if (outcome.excess.value > 0.9 * cell.at_centre) curve.not_comparable.insert('c');
    if (outcome.runs < kRunsForASlope) curve.not_comparable.insert('r');
    curve.rate.push_back({rows, outcome.rate});
  }
  if (curve.measured.size() < grid.sizes) curve.not_comparable.insert('n');
  return curve;
}

std::vector<Curve> curves_of(const Grid& grid, const std::vector<CellOutcome>& outcomes) {
  std::vector<Curve> curves;
  for (std::size_t kind = 0; kind < grid.kinds.size(); ++kind)
    for (std::size_t a = 0; a < grid.plan.contenders.size(); ++a)
      for (std::size_t order = 0; order < grid.orders.size(); ++order)
        curves.push_back(curve_of(grid, outcomes, kind, order, a));
  return curves;
}

std::string_view algorithm_name(const Grid& grid, const Curve& curve) {
  return grid.plan.contenders[curve.contender].algorithm.name;
}

// Where there is a certificate, no mean is above it.
bool within_certificate(const Curve& curve) {
  for (const LogLogPoint& bound : curve.certified)
    for (const LogLogPoint& point : curve.measured)
      if (point.x == bound.x && point.y > bound.y) return false;
  return true;
}

Json fit_json(const Grid& grid, const Curve& curve) {
  const double k = grid.orders[curve.order];
  Json json{{"problem", kind_name(grid.kinds[curve.kind])}, {"k", k}, {"algorithm", algorithm_name(grid, curve)}};
  json["points"] = curve.measured.size();
  put_estimate(json, "slope", log_log_slope(curve.measured));
  json["theory_slope"] = log_log_slope(curve.rate).value;
  json["private_slope"] = -(1 - 1 / k);
  json["statistical_slope"] = -0.5;
  if (curve.certified.size() > 1) json["certified_slope"] = log_log_slope(curve.certified).value;
  json["not_comparable"] = Json::array();
  for (const auto& [letter, reason] : kReasons)
    if (curve.not_comparable.contains(letter)) json["not_comparable"].push_back(reason);
  json["within_certificate"] = within_certificate(curve);
  return json;
}

Json cell_json(const Grid& grid, const std::vector<CellOutcome>& outcomes, std::size_t i) {
  const Cell& cell = grid.plan.cells[i];
  const CellOutcome& outcome = outcomes[i];
  Json json{{"problem", kind_name(cell.simulation.spec().kind)},
            {"k", cell.moments.k},
            {"rows", cell.rows},
            {"g2", cell.moments.g2},
            {"gk", cell.moments.gk},
            {"rate", outcome.rate},
            {"excess_at_centre", outcome.at_centre}};
  put_estimate(json, "excess_nonprivate", outcome.nonprivate);
  json["algorithms"] = Json::array();
  for (std::size_t a = 0; a < outcome.contenders.size(); ++a) {
    const Outcome& contender = outcome.contenders[a];
    Json entry{{"name", grid.plan.contenders[a].algorithm.name}};
    if (!contender.refused.empty()) {
      entry["refused"] = contender.refused;
    } else {
      entry["repetitions"] = contender.runs;
      put_estimate(entry, "excess", contender.excess);
      put_finite(entry, "certified_bound", contender.forecast.bound.excess_risk);
      entry["bound_failure_probability"] = contender.forecast.bound.failure_probability;
    }
    json["algorithms"].push_back(std::move(entry));
  }
  return json;
}

std::string comparable_text(const Curve& curve) {
  std::string letters;
  for (const char letter : curve.not_comparable) letters += letter;
  return letters.empty() ? "yes" : letters;
}

std::string table_text(const Grid& grid, const std::vector<Curve>& curves) {
  std::string text = fmt::format("epsilon {}, delta {:.0e}, {} features; excess risk with the first and last rows\n\n",
                                 kBudget.epsilon, kBudget.delta, kFeatures);
  TextTable table({"algorithm", "problem", "k", "first", "last", "bound", "slope", "+-", "theory", "comparable"});
  std::set<std::string> refusals;
  std::set<char> letters;
  for (const Curve& curve : curves) {
    const std::string name(algorithm_name(grid, curve)), problem(kind_name(grid.kinds[curve.kind]));
    if (!curve.refused.empty())
      refusals.insert(fmt::format("{}, {}:\n{}", name, problem, wrapped(curve.refused, "  ")));
    if (curve.measured.empty()) continue;
    const auto [slope, error] = log_log_slope(curve.measured);
    table.add({name, problem, figures(grid.orders[curve.order]), figures(curve.measured.front().y),
               figures(curve.measured.back().y), curve.certified.empty() ? "-" : figures(curve.certified.back().y),
               fmt::format("{:.2f}", slope), fmt::format("{:.2f}", error),
               fmt::format("{:.2f}", log_log_slope(curve.rate).value), comparable_text(curve)});
    letters.insert(curve.not_comparable.begin(), curve.not_comparable.end());
  }
  text += table.text();
  if (!letters.empty()) text += "\nA slope is not comparable with that of theory where there is a letter:\n";
  for (const auto& [letter, reason] : kReasons)
    if (letters.contains(letter)) text += fmt::format("  {}  {}\n", letter, reason);
  if (!refusals.empty()) text += "\nRefused, or left out:\n";
  for (const std::string& refusal : refusals) text += refusal;
  return text;
}

// Each algorithm on each problem: measurements, certified bound and rate for every k.
std::vector<NamedChart> charts_of(const Grid& grid, const std::vector<Curve>& curves) {
  std::vector<NamedChart> charts;
  for (std::size_t first = 0; first < curves.size(); first += grid.orders.size()) {
    const std::string name(algorithm_name(grid, curves[first])), problem(kind_name(grid.kinds[curves[first].kind]));
    Chart chart{.title = fmt::format("{} on {}", name, problem),
                .subtitle = fmt::format("epsilon {}, delta {:.0e}, {} features; bars: two standard errors",
                                        kBudget.epsilon, kBudget.delta, kFeatures),
                .x = {"rows"},
                .y = {"excess risk"}};
    const auto add = [&](const std::string& label, const std::vector<LogLogPoint>& points, Mark mark,
                         std::size_t color) {
      Series series{.label = label, .mark = mark, .color = color};
      for (const LogLogPoint& point : points) series.points.push_back({point.x, point.y, 2 * point.y_error});
      if (!points.empty()) chart.series.push_back(std::move(series));
    };
    for (std::size_t order = 0; order < grid.orders.size(); ++order) {
      const Curve& curve = curves[first + order];
      const std::string k = fmt::format("k = {}", grid.orders[order]);
      add(k + ", measured", curve.measured, Mark::line_points, order);
      add(k + ", certified", curve.certified, Mark::dashed, order);
      add(k + ", rate", curve.rate, Mark::dotted, order);
    }
    if (!chart.series.empty()) charts.push_back({fmt::format("rates-{}-{}", problem, name), std::move(chart)});
  }
  return charts;
}

}  // namespace

Result<Report> rates(const StudyContext& context) {
  RatesPart all{.problems = {Kind::absolute, Kind::smooth, Kind::hard}, .orders = {2, 3, 4}};
  if (!context.quick)
    all.problems = {Kind::mean, Kind::linear, Kind::absolute, Kind::logistic, Kind::smooth, Kind::hard};
  return rates_in_part(context, all);
}

Result<Report> rates_in_part(const StudyContext& context, const RatesPart& part) {
  TAILCOAT_TRY(grid, grid_of(context, part));
  TAILCOAT_TRY(outcomes, run_trials(context, grid.plan));
  const std::vector<Curve> curves = curves_of(grid, outcomes);
  Report report{.table = table_text(grid, curves), .json = {}, .charts = charts_of(grid, curves)};
  report.json = {{"schema", "tailcoat-experiment-rates/1"},
                 {"quick", context.quick},
                 {"seed", context.seed},
                 {"epsilon", kBudget.epsilon},
                 {"delta", kBudget.delta},
                 {"features", kFeatures}};
  report.json["fits"] = Json::array();
  for (const Curve& curve : curves)
    if (!curve.measured.empty()) report.json["fits"].push_back(fit_json(grid, curve));
  report.json["cells"] = Json::array();
  for (std::size_t i = 0; i < outcomes.size(); ++i) report.json["cells"].push_back(cell_json(grid, outcomes, i));
  return report;
}

}  // namespace tailcoat::experiments
