#include "tailcoat/algorithms/localized.hpp"

#include <fmt/format.h>

#include <cassert>
#include <variant>

#include "tailcoat/algorithms/aggregate.hpp"
#include "tailcoat/algorithms/localized_as_stated.hpp"
#include "tailcoat/algorithms/localized_blocks.hpp"
#include "tailcoat/privacy/sampled_gaussian.hpp"

namespace tailcoat {
namespace {

Result<LocalizedPlan> plan_tight(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_CHECK(check(setting, setting.generalised_linear ? LeastOrder::above_one : LeastOrder::two));
  TAILCOAT_CHECK(check_localized(setting, options));
  if (std::holds_alternative<Gdp>(budget)) return refusal(kSampledStepsNeedDelta);
  TAILCOAT_TRY(total, approximate_budget(budget, "localized"));
  TAILCOAT_TRY(plan, tight_plan(setting, total, options));
  TAILCOAT_CHECK(check_certifies(plan.bound, setting));
  return plan;
}

// One branch for each solve, and one for the selection: blocks of rows that are disjoint by their public index.
ParallelEvent event_of(const LocalizedPlan& plan, Gdp budget) {
  ParallelEvent event;
  for (std::size_t run = 0; run < plan.runs; ++run)
    for (const LocalizedPhase& phase : plan.phases)
      event.branches.insert(event.branches.end(), phase.copies, {phase.descent.event});
  if (plan.selection.rows > 0) event.branches.push_back({GaussianEvent{budget.mu}});
  return event;
}

// The part of the loss that is not the quadratic (mu / 2) |x - x_0|^2 of a strongly convex problem: the steps know that
// one exactly.
Samples without_quadratic(const Samples& samples, std::span<const double> centre, double mu) {
  if (mu == 0) return samples;
  assert(samples.functions() != nullptr);  // no sample of a GLM is strongly convex
  SampleFunctions functions = *samples.functions();
  for (SampleGradient* of : {&functions.gradient, &functions.gradient_alone}) {
    if (!*of) continue;
    *of = [own = *of, centre, mu](std::size_t row, std::span<const double> x, std::span<double> gradient) {
      own(row, x, gradient);
      for (std::size_t j = 0; j < x.size(); ++j) gradient[j] -= mu * (x[j] - centre[j]);
    };
  }
  return samples.with(std::move(functions));
}

// Both quadratics around their common centre: (lambda / 2) |. - x|^2 + (mu / 2) |. - x_0|^2.
std::vector<double> centre_of(std::span<const double> x, std::span<const double> start, const LocalizedPhase& phase) {
  std::vector<double> centre(x.begin(), x.end());
  for (std::size_t j = 0; j < centre.size(); ++j)
    centre[j] += phase.convexity / phase.descent.modulus * (start[j] - centre[j]);
  return centre;
}

// Algorithm 2: all phases, each around the answer of the one before.
Result<std::vector<double>> localize(Engine& engine, FreshBlocks& blocks, const Problem& problem,
                                     const std::vector<LocalizedPhase>& phases) {
  const std::span<const double> start = problem.domain.centre();
  std::vector<double> x(start.begin(), start.end());
  for (const LocalizedPhase& phase : phases) {
    const std::vector<double> centre = centre_of(x, start, phase);
    const auto solve = [&](const Samples& block, Outlet outlet) {
      return solve_sampled(engine, without_quadratic(block, start, phase.convexity), problem.domain, centre,
                           phase.descent, fmt::format("solve on {} rows", phase.rows), outlet);
    };
    TAILCOAT_TRY(points, blocks.solve(phase.copies, phase.rows, solve));
    x = std::move(points[aggregate(points)]);
  }
  return x;
}

}  // namespace

Result<Forecast> plan_localized(const Setting& setting, const Budget& budget, const Options& options) {
  if (options.constants == Constants::paper) {
    TAILCOAT_TRY(stated, plan_localized_as_stated(setting, budget, options));
    return Forecast(stated);
  }
  TAILCOAT_TRY(plan, plan_tight(setting, budget, options));
  return Forecast(plan);
}

Result<Solution> localized(RunContext context, const Problem& problem, const Moments& moments, const Budget& budget,
                           const Options& options) {
  if (options.constants == Constants::paper) return localized_as_stated(context, problem, moments, budget, options);
  TAILCOAT_TRY(plan, plan_tight(setting_of(problem, moments), budget, options));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  const ParallelEvent event = event_of(plan, mu);
  TAILCOAT_TRY(meter, PrivacyMeter::open(std::get<ApproxDp>(budget), {event}, Gdp{0}));
  TAILCOAT_TRY(meters, meter.split(event));
  FreshBlocks blocks(context, problem.samples, meters);
  std::vector<std::vector<double>> candidates;
  for (std::size_t i = 0; i < plan.runs; ++i) {
    TAILCOAT_TRY(x, localize(context.engine, blocks, problem, plan.phases));
    candidates.push_back(std::move(x));
  }
  std::size_t best = 0;
  if (plan.selection.rows > 0) {
    const auto [held_out, of_selection] = blocks.next(plan.selection.rows);
    TAILCOAT_TRY(selected, select_best(context, held_out, problem.domain.centre(), candidates, plan.selection.bound,
                                       of_selection));
    best = selected;
  }
  meter.join(std::move(meters));
  return Solution{
      .x = std::move(candidates[best]), .receipt = meter.receipt(), .work = plan.work, .certified = plan.bound};
}

}  // namespace tailcoat
