#include "experiments/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "experiments/nonprivate.hpp"
#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat::experiments {
namespace {

constexpr double kNotRun = std::numeric_limits<double>::quiet_NaN();
constexpr double kNextToNothing = 1e-9;
constexpr std::size_t kNonprivateRepetitions = 6;  // it varies little, and takes longer than most algorithms

Setting setting_of(const Cell& cell) { return cell.simulation.setting(cell.rows, cell.moments); }

std::uint64_t cell_seed(const StudyContext& context, const TrialPlan& plan, const Cell& cell, std::size_t repetition) {
  const SimulationSpec& spec = cell.simulation.spec();
  return seed_of(plan.name, {context.seed, static_cast<std::uint64_t>(spec.kind),
                             static_cast<std::uint64_t>(1000 * cell.moments.k), cell.rows, repetition});
}

// The rate for what the certificate assumes.
double rate_of(const TrialPlan& plan, const Cell& cell, const Contender& contender, const Forecast& forecast, Gdp mu) {
  const Setting setting = setting_of(cell);
  Setting general = setting;
  general.strong_convexity = 0;
  if (setting.strong_convexity == 0) return optimal_rate(setting, mu);
  const auto without = contender.algorithm.plan(general, plan.budget, contender.options);
  const bool unused = without && without->bound.excess_risk <= forecast.bound.excess_risk;
  return optimal_rate(unused ? general : setting, mu);
}

double straight_bound(const TrialPlan& plan, const Cell& cell, const Contender& contender, const Forecast& forecast) {
  Setting straight = setting_of(cell);
  if (!std::isfinite(straight.smoothness)) return forecast.bound.excess_risk;
  straight.smoothness *= kNextToNothing;
  const auto without = contender.algorithm.plan(straight, plan.budget, contender.options);
  return without ? without->bound.excess_risk : forecast.bound.excess_risk;
}

// Forecast, and how often to run.
Outcome planned(const TrialPlan& plan, const Cell& cell, const Contender& contender, Gdp mu) {
  const auto forecast = contender.algorithm.plan(setting_of(cell), plan.budget, contender.options);
  if (!forecast) return {.refused = forecast.error().message};
  Outcome outcome{.forecast = *forecast,
                  .rate = rate_of(plan, cell, contender, *forecast, mu),
                  .straight_bound = straight_bound(plan, cell, contender, *forecast),
                  .runs = cell.repetitions};
  const double work = forecast->work.sample_gradients * static_cast<double>(cell.simulation.spec().features);
  const double most_work = contender.most_work.value_or(plan.most_work);
  if (work > most_work)
    outcome.refused = fmt::format("would read {:.1e} numbers, the study allows {:.1e}", work, most_work);
  const double affordable = std::max(2.0, most_work / work);
  if (affordable < static_cast<double>(cell.repetitions)) outcome.runs = static_cast<std::size_t>(affordable);
  if (contender.most_runs) outcome.runs = std::min(outcome.runs, contender.most_runs(cell));
  return outcome;
}

// One repetition of a cell: the excess risks of all contenders, then of the fit without privacy.
struct Repetition {
  std::vector<double> excess;
  std::vector<std::string> refused;
  double nonprivate = kNotRun;
};

Result<Repetition> repeat(const StudyContext& context, const TrialPlan& plan, const Cell& cell,
                          const CellOutcome& forecast, std::size_t repetition) {
  const std::uint64_t seed = cell_seed(context, plan, cell, repetition);
  TAILCOAT_TRY(instance, cell.simulation.instance(context.engine, cell.rows, seed));
  const std::size_t count = plan.contenders.size();
  Repetition result{.excess = std::vector<double>(count, kNotRun), .refused = std::vector<std::string>(count)};
  for (std::size_t a = 0; a < count; ++a) {
    if (!forecast.contenders[a].refused.empty() || repetition >= forecast.contenders[a].runs) continue;
    const Algorithm& algorithm = plan.contenders[a].algorithm;
    BitSource noise = BitSource::insecure_seeded(seed_of(algorithm.name, {seed, a}));
    const auto solution = algorithm.solve({context.engine, noise}, *instance->problem, cell.moments, plan.budget,
                                          plan.contenders[a].options);
    if (solution)
      result.excess[a] = cell.simulation.excess(solution->x);
    else
      result.refused[a] = solution.error().message;
  }
  if (repetition < kNonprivateRepetitions)
    result.nonprivate = cell.simulation.excess(nonprivate_fit(cell.simulation, instance->sample));
  return result;
}

void summarise(CellOutcome& outcome, std::span<const Repetition> repetitions) {
  std::vector<double> nonprivate;
  for (const Repetition& repetition : repetitions)
    if (!std::isnan(repetition.nonprivate)) nonprivate.push_back(repetition.nonprivate);
  outcome.nonprivate = mean_of(nonprivate);
  for (std::size_t a = 0; a < outcome.contenders.size(); ++a) {
    Outcome& contender = outcome.contenders[a];
    std::vector<double> excess;
    for (const Repetition& repetition : repetitions) {
      if (!std::isnan(repetition.excess[a])) excess.push_back(repetition.excess[a]);
      if (contender.refused.empty()) contender.refused = repetition.refused[a];
    }
    contender.excess = mean_of(excess);
    contender.runs = excess.size();
  }
}

}  // namespace

std::vector<Contender> all_contenders(const Options& options) {
  std::vector<Contender> contenders;
  for (const Algorithm& algorithm : algorithms()) contenders.push_back({algorithm, options});
  return contenders;
}

Result<std::vector<CellOutcome>> run_trials(const StudyContext& context, const TrialPlan& plan) {
  TAILCOAT_TRY(mu, gaussian_budget(plan.budget));
  const std::size_t cells = plan.cells.size();
  std::vector<CellOutcome> outcomes(cells);
  TAILCOAT_CHECK(context.engine.for_each(cells, [&](std::size_t i) -> Result<void> {
    const Cell& cell = plan.cells[i];
    for (const Contender& contender : plan.contenders)
      outcomes[i].contenders.push_back(planned(plan, cell, contender, mu));
    outcomes[i].at_centre = cell.simulation.excess(cell.simulation.domain().centre());
    outcomes[i].rate = optimal_rate(setting_of(cell), mu);
    outcomes[i].trivial_bound = trivial_bound(setting_of(cell));
    return {};
  }));
  // Cells with more rows come later in a plan; they are started first, so that no core ends with one of them alone.
  std::vector<std::vector<Repetition>> all(cells);
  std::vector<std::pair<std::size_t, std::size_t>> jobs;
  for (std::size_t i = cells; i-- > 0;) {
    all[i].resize(plan.cells[i].repetitions);
    for (std::size_t repetition = 0; repetition < all[i].size(); ++repetition) jobs.emplace_back(i, repetition);
  }
  std::atomic<std::size_t> done = 0;
  TAILCOAT_CHECK(context.engine.for_each(jobs.size(), [&](std::size_t job) -> Result<void> {
    const auto [i, repetition] = jobs[job];
    TAILCOAT_TRY(result, repeat(context, plan, plan.cells[i], outcomes[i], repetition));
    all[i][repetition] = std::move(result);
    context.progress(++done, jobs.size());
    return {};
  }));
  for (std::size_t i = 0; i < cells; ++i) summarise(outcomes[i], all[i]);
  return outcomes;
}

void put_finite(Json& json, const std::string& name, double value) {
  if (std::isfinite(value)) json[name] = value;
}

void put_estimate(Json& json, const std::string& name, const Estimate& estimate) {
  put_finite(json, name, estimate.value);
  put_finite(json, name + "_standard_error", estimate.standard_error);
}

Result<Cell> cell_of(Kind kind, double k, std::size_t features, std::size_t rows, ApproxDp budget, std::uint64_t seed,
                     std::size_t repetitions) {
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  const double d = static_cast<double>(features), n = static_cast<double>(rows);
  const double visible = 16 * std::sqrt(d) / (n * std::sqrt(rho_of(mu)));
  TAILCOAT_TRY(simulation,
               Simulation::create({.kind = kind,
                                   .tail = {Tail::Family::student, (kind == Kind::linear ? 2 * k : k) + 0.5},
                                   .features = features,
                                   .seed = seed,
                                   .rare_probability = std::min(visible, 1.0),
                                   .rare_order = k}));
  TAILCOAT_TRY(moments, simulation.moments(k));
  return Cell{simulation, moments, rows, repetitions};
}

}  // namespace tailcoat::experiments
