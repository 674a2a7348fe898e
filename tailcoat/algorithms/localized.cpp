#include "tailcoat/algorithms/localized.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <variant>

#include "tailcoat/algorithms/aggregate.hpp"
#include "tailcoat/algorithms/localized_as_stated.hpp"
#include "tailcoat/privacy/sampled_gaussian.hpp"

namespace tailcoat {
namespace {

Result<LocalizedPlan> plan_tight(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_CHECK(check(setting, setting.generalised_linear ? LeastOrder::above_one : LeastOrder::two));
  TAILCOAT_CHECK(check(kMaxPassesOption, options.max_passes));
  TAILCOAT_CHECK(check(kFailureProbabilityOption, options.failure_probability));
  if (std::holds_alternative<Gdp>(budget)) return refusal(kSampledStepsNeedDelta);
  TAILCOAT_TRY(total, approximate_budget(budget, "localized"));
  if (setting.rows < 2) return refusal(fmt::format("localized needs at least 2 rows, the data has {}", setting.rows));
  TAILCOAT_TRY(plan, tight_plan(setting, total, options));
  if (std::isfinite(plan.bound.excess_risk)) return plan;
  return refusal(
      fmt::format("localized certifies nothing for G2 = {}, Gk = {} and diameter = {}: out of the range of double",
                  setting.moments.g2, setting.moments.gk, setting.diameter));
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
Samples without_quadratic(const Problem& problem, double mu) {
  if (mu == 0) return problem.samples;
  assert(problem.samples.functions() != nullptr);  // no sample of a GLM is strongly convex
  SampleFunctions functions = *problem.samples.functions();
  functions.gradient = [own = functions.gradient, centre = problem.domain.centre(), mu](
                           std::size_t row, std::span<const double> x, std::span<double> gradient) {
    own(row, x, gradient);
    for (std::size_t j = 0; j < x.size(); ++j) gradient[j] -= mu * (x[j] - centre[j]);
  };
  return problem.samples.with(std::move(functions));
}

// What all runs share: unused samples and meters, from the front.
class Run {
 public:
  Run(RunContext context, const Problem& problem, std::vector<PrivacyMeter>& meters)
      : context_(context), problem_(problem), meters_(meters) {}

  // Algorithm 2.
  Result<std::vector<double>> localize(const std::vector<LocalizedPhase>& phases) {
    std::vector<double> x(problem_.domain.centre().begin(), problem_.domain.centre().end());
    for (const LocalizedPhase& phase : phases) {
      TAILCOAT_TRY(next, aggregated_solves(x, phase));
      x = std::move(next);
    }
    return x;
  }

  Result<std::size_t> select(const Selection& selection, const std::vector<std::vector<double>>& candidates) {
    return select_best(context_, problem_.samples.block(first_row_, selection.rows), problem_.domain.centre(),
                       candidates, selection.bound, meters_[first_meter_]);
  }

 private:
  // Algorithm 3.
  Result<std::vector<double>> aggregated_solves(std::span<const double> x, const LocalizedPhase& phase) {
    const std::vector<double> centre = centre_of(x, phase);
    const Samples samples = without_quadratic(problem_, phase.convexity);
    std::vector<BitSource> noises = context_.noise.split(phase.copies);
    std::vector<std::vector<double>> points(phase.copies);
    const auto solve = [&](std::size_t j) -> Result<void> {
      const Samples block = samples.block(first_row_ + j * phase.rows, phase.rows);
      TAILCOAT_TRY(point,
                   solve_sampled(context_.engine, block, problem_.domain, centre, phase.descent,
                                 fmt::format("solve on {} rows", phase.rows), {meters_[first_meter_ + j], noises[j]}));
      points[j] = std::move(point);
      return {};
    };
    TAILCOAT_CHECK(phase.copies == 1 ? solve(0) : context_.engine.for_each(phase.copies, solve));
    first_row_ += phase.copies * phase.rows;
    first_meter_ += phase.copies;
    return std::move(points[aggregate(points)]);
  }

  // Both quadratics around their common centre: (lambda / 2) |. - x|^2 + (mu / 2) |. - x_0|^2.
  [[nodiscard]] std::vector<double> centre_of(std::span<const double> x, const LocalizedPhase& phase) const {
    std::vector<double> centre(x.begin(), x.end());
    for (std::size_t j = 0; j < centre.size(); ++j)
      centre[j] += phase.convexity / phase.descent.modulus * (problem_.domain.centre()[j] - centre[j]);
    return centre;
  }

  RunContext context_;
  const Problem& problem_;
  std::vector<PrivacyMeter>& meters_;
  std::size_t first_row_ = 0, first_meter_ = 0;
};

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
  Run run(context, problem, meters);
  std::vector<std::vector<double>> candidates;
  for (std::size_t i = 0; i < plan.runs; ++i) {
    TAILCOAT_TRY(x, run.localize(plan.phases));
    candidates.push_back(std::move(x));
  }
  std::size_t best = 0;
  if (plan.selection.rows > 0) {
    TAILCOAT_TRY(selected, run.select(plan.selection, candidates));
    best = selected;
  }
  meter.join(std::move(meters));
  return Solution{
      .x = std::move(candidates[best]), .receipt = meter.receipt(), .work = plan.work, .certified = plan.bound};
}

}  // namespace tailcoat
