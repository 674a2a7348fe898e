#include "tailcoat/algorithms/localized.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/algorithms/aggregate.hpp"
#include "tailcoat/algorithms/localized_plan.hpp"
#include "tailcoat/algorithms/noisy_gradients.hpp"

namespace tailcoat {
namespace {

Result<PlannedStage> plan_stage(const Setting& setting, Gdp budget, const Options& options) {
  if (options.constants == Constants::paper) return text_stage(setting, budget, options);
  return tight_stage(setting, budget, options);
}

void add_work(LocalizedPlan& plan, const LocalizedStage& stage) {
  for (const LocalizedPhase& phase : stage.phases) {
    const double samples = static_cast<double>(phase.copies) * static_cast<double>(phase.rows);
    plan.work.sample_gradients += samples * phase.descent.passes();
    plan.work.wanted_passes += samples * phase.wanted_steps;  // not yet per row
  }
}

// Stages of the given sizes: each starts where the one before ended, in a domain cut down to where the minimiser of a
// strongly convex F must then be.
Result<LocalizedPlan> plan_stages(const Setting& setting, Gdp budget, const Options& options,
                                  const std::vector<std::size_t>& sizes) {
  LocalizedPlan plan;
  Options of_stage = options;
  of_stage.failure_probability = options.failure_probability / static_cast<double>(sizes.size());
  const double mu = setting.strong_convexity;
  double radius = mu > 0 ? std::min(setting.start_distance, setting.moments.g2 / mu) : setting.start_distance;
  for (const std::size_t rows : sizes) {
    Setting part = setting;
    part.rows = rows;
    part.start_distance = radius;
    part.diameter = mu > 0 ? std::min(setting.diameter, 2 * radius) : setting.diameter;
    TAILCOAT_TRY(planned, plan_stage(part, budget, of_stage));
    if (mu > 0) planned.stage.radius = radius;
    add_work(plan, planned.stage);
    plan.stages.push_back(std::move(planned.stage));
    plan.bound.excess_risk = planned.excess_risk;
    if (mu > 0) radius = std::min(setting.diameter, std::sqrt(2 * planned.excess_risk / mu));
  }
  const auto n = static_cast<double>(setting.rows);
  plan.bound.failure_probability = options.failure_probability;
  plan.work.passes = plan.work.sample_gradients / n;
  plan.work.wanted_passes /= n;
  return plan;
}

// N_j = 2^(j-2) n / log2(n), j = 1, ..., ceil(log2(log2(n))).
std::vector<std::size_t> text_stages(std::size_t rows) {
  const double n = static_cast<double>(rows), log_n = std::max(2.0, std::log2(n));
  std::vector<std::size_t> sizes;
  for (double j = 1; j <= std::ceil(std::log2(log_n)); ++j)
    sizes.push_back(static_cast<std::size_t>(std::exp2(j - 2) * n / log_n));
  return sizes;
}

// `count` stages, each `growth` times as long as the one before, of all the rows.
std::vector<std::size_t> growing_stages(std::size_t rows, std::size_t count, double growth) {
  double parts = 0;
  for (std::size_t j = 0; j < count; ++j) parts = parts * growth + 1;
  std::vector<std::size_t> sizes;
  double part = static_cast<double>(rows) / parts;
  for (std::size_t j = 0; j < count; ++j, part *= growth) sizes.push_back(static_cast<std::size_t>(part));
  return sizes;
}

Result<LocalizedPlan> plan_strongly_convex(const Setting& setting, Gdp budget, const Options& options) {
  if (options.constants == Constants::paper) return plan_stages(setting, budget, options, text_stages(setting.rows));
  LocalizedPlan best;
  for (std::size_t count = 1; count <= 4; ++count) {
    for (const double growth : {2.0, 4.0}) {
      const std::vector<std::size_t> sizes = growing_stages(setting.rows, count, growth);
      if (sizes[0] < 2) continue;
      TAILCOAT_TRY(plan, plan_stages(setting, budget, options, sizes));
      if (plan.bound.excess_risk < best.bound.excess_risk) best = std::move(plan);
    }
  }
  return best;
}

std::size_t solves(const LocalizedPlan& plan) {
  std::size_t count = 0;
  for (const LocalizedStage& stage : plan.stages)
    for (const LocalizedPhase& phase : stage.phases) count += phase.copies;
  return count;
}

double releases(const LocalizedPlan& plan) {
  double count = 0;
  for (const LocalizedStage& stage : plan.stages)
    for (const LocalizedPhase& phase : stage.phases)
      count += static_cast<double>(phase.copies) * static_cast<double>(phase.descent.steps);
  return count;
}

// The domain, cut down to a ball around a public point. An intersection is enough: privacy rests on the releases alone.
Result<Domain> within(const Domain& domain, std::span<const double> centre, double radius) {
  if (!(radius < domain.diameter())) return domain;
  TAILCOAT_TRY(ball, Domain::ball({centre.begin(), centre.end()}, radius));
  return Domain::intersection({domain, ball});
}

// What the phases of a run share: unused samples and meters, from the front.
class Run {
 public:
  Run(RunContext context, const Samples& samples, const Moments& moments, std::vector<PrivacyMeter>& meters)
      : context_(context), samples_(samples), moments_(moments), meters_(meters) {}

  // Algorithm 2.
  Result<std::vector<double>> localize(const Domain& domain, std::vector<double> x, const LocalizedStage& stage) {
    for (const LocalizedPhase& phase : stage.phases) {
      TAILCOAT_TRY(next, aggregated_solves(domain, x, phase));
      x = std::move(next);
    }
    return x;
  }

 private:
  // Algorithm 3.
  Result<std::vector<double>> aggregated_solves(const Domain& domain, std::span<const double> centre,
                                                const LocalizedPhase& phase) {
    const bool paper = phase.descent.rule == Constants::paper;
    const double radius = paper ? 2 * moments_.g2 / phase.descent.lambda : std::numeric_limits<double>::infinity();
    TAILCOAT_TRY(domain_near, within(domain, centre, radius));
    std::vector<BitSource> noises = context_.noise.split(phase.copies);
    std::vector<std::vector<double>> points(phase.copies);
    const auto solve = [&](std::size_t j) -> Result<void> {
      const Samples block = samples_.block(first_row_ + j * phase.rows, phase.rows);
      TAILCOAT_TRY(point, solve_clipped(context_.engine, block, domain_near, centre, phase.descent,
                                        {meters_[first_meter_ + j], noises[j]}));
      points[j] = std::move(point);
      return {};
    };
    // A single solve has all threads for its sums.
    TAILCOAT_CHECK(phase.copies == 1 ? solve(0) : context_.engine.for_each(phase.copies, solve));
    first_row_ += phase.copies * phase.rows;
    first_meter_ += phase.copies;
    if (!paper) return points[aggregate(points)];
    return points[aggregate_within(points, phase.spread / phase.descent.lambda).value_or(aggregate(points))];
  }

  RunContext context_;
  const Samples& samples_;
  const Moments& moments_;
  std::vector<PrivacyMeter>& meters_;
  std::size_t first_row_ = 0, first_meter_ = 0;
};

}  // namespace

Result<LocalizedPlan> plan_localized(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_CHECK(check(setting));
  TAILCOAT_CHECK(check(kMaxPassesOption, options.max_passes));
  TAILCOAT_CHECK(check(kFailureProbabilityOption, options.failure_probability));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  if (setting.rows < 2) return refusal(fmt::format("localized needs at least 2 rows, the data has {}", setting.rows));
  Options within = for_lattice(setting, mu, options);
  within.failure_probability = positive_failure_probability(options);
  auto plan = setting.strong_convexity > 0 ? plan_strongly_convex(setting, mu, within)
                                           : plan_stages(setting, mu, within, {setting.rows});
  if (!plan) return plan;
  if (!std::isfinite(plan->bound.excess_risk))
    return refusal(
        fmt::format("localized certifies nothing for G2 = {}, Gk = {} and diameter = {}: out of the range of double",
                    setting.moments.g2, setting.moments.gk, setting.diameter));
  for (const LocalizedStage& stage : plan->stages) {
    for (const auto& [copies, rows, descent, spread, wanted] : stage.phases) {
      TAILCOAT_CHECK(check_gradients(setting, mu, descent.clip, descent.uses));
    }
  }
  return plan;
}

Result<Solution> localized(RunContext run, const Problem& problem, const Moments& moments, const Budget& budget,
                           const Options& options) {
  const Setting setting = setting_of(problem, moments);
  TAILCOAT_TRY(plan, plan_localized(setting, budget, options));
  TAILCOAT_CHECK(check_releases(setting, releases(plan)));
  TAILCOAT_TRY(meter, open_meter(budget));
  TAILCOAT_TRY(meters, meter.split(solves(plan), meter.total()));
  Run phases(run, problem.samples, moments, meters);
  std::vector<double> x(problem.domain.centre().begin(), problem.domain.centre().end());
  for (const LocalizedStage& stage : plan.stages) {
    TAILCOAT_TRY(domain, within(problem.domain, x, stage.radius));
    TAILCOAT_TRY(next, phases.localize(domain, std::move(x), stage));
    x = std::move(next);
  }
  meter.join(std::move(meters));
  return Solution{.x = std::move(x), .receipt = meter.receipt(), .work = plan.work, .certified = plan.bound};
}

}  // namespace tailcoat
