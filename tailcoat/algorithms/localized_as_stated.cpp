#include "tailcoat/algorithms/localized_as_stated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/algorithms/aggregate.hpp"
#include "tailcoat/algorithms/localization.hpp"
#include "tailcoat/algorithms/noisy_gradients.hpp"

namespace tailcoat {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A stage and what it guarantees, except with probability options.failure_probability. The radius is for the caller.
struct PlannedStage {
  StatedStage stage;
  double excess_risk = kInfinity;
};

double text_copies(double phases, double failure) { return std::ceil(400 * std::log(phases / failure)); }

// The text says "smaller than polylog(n)".
bool small_odds(double rows, double failure) { return 1 / failure <= std::log(rows) * std::log(rows); }

// J_i and m_i of the text. For 1/delta beyond polylog(n) one J and m a power of two; else J_i for delta / 2^i.
std::vector<StatedPhase> text_sizes(std::size_t rows, double failure) {
  const auto n = static_cast<double>(rows);
  std::vector<StatedPhase> phases;
  const auto add = [&](double copies, double m) {
    if (!(m >= 2)) return false;  // E19, E20
    phases.push_back({.copies = static_cast<std::size_t>(copies), .rows = static_cast<std::size_t>(m)});
    return true;
  };
  const double all = std::floor(std::log2(n));
  if (small_odds(n, failure)) {
    for (double i = 1; i <= all; ++i) {
      const double copies = text_copies(all, failure / std::exp2(i));
      if (!add(copies, std::floor(n / (std::exp2(i) * copies)))) break;
    }
    return phases;
  }
  for (double count = all; count >= 1; --count) {
    const double copies = text_copies(count, failure);
    if (std::floor(std::log2(n / copies)) < count) continue;
    for (double i = 1; i <= count; ++i)
      if (!add(copies, std::exp2(count - i))) break;
    break;
  }
  return phases;
}

// The least n for which text_sizes has a phase, for rows that are too few. J may grow with n, hence the loop.
double rows_for_text(std::size_t rows, double failure) {
  auto n = static_cast<double>(std::max<std::size_t>(rows, 2));
  while (text_sizes(static_cast<std::size_t>(n), failure).empty())
    n = 4 * (small_odds(n, failure) ? text_copies(std::floor(std::log2(n)), failure / 2) : text_copies(2, failure));
  return n;
}

Result<PlannedStage> text_stage(const Setting& original, Gdp budget, const Options& options) {
  Setting setting = original;
  setting.generalised_linear = false;  // C_i changes from phase to phase: so does the loss that clipping leaves
  const auto d = static_cast<double>(setting.dimension);
  const auto [k, g2, gk] = setting.moments;
  PlannedStage plan;
  std::vector<StatedPhase>& phases = plan.stage.phases;
  phases = text_sizes(setting.rows, options.failure_probability);
  if (phases.empty())
    return refusal(fmt::format(
        "the text's J = 400 ln(I/delta) makes {} solves on at least 2 samples each in a phase of at most n/2 "
        "samples: n >= {}, and there are {} rows; use constants = tight",
        rows_for_text(setting.rows, options.failure_probability) / 4,
        rows_for_text(setting.rows, options.failure_probability), setting.rows));
  // C_rp = sqrt(640): clipped_dp_sgd.md, "The text's constants".
  const double m = 2 * static_cast<double>(phases[0].rows), c_rp = std::sqrt(640);
  const double delta =
      3 * c_rp * (gk * std::pow(std::sqrt(d) / (m * std::sqrt(rho_of(budget))), 1 - 1 / k) + g2 / std::sqrt(m));
  const double lambda = std::sqrt(2 * g2 * delta / std::pow(8, phases.size()) + delta * delta / 2) / setting.diameter;
  std::vector<double> lambdas;
  std::vector<ChainPhase> chain;
  double growth = 1, regularisation = lambda;
  for (StatedPhase& phase : phases) {
    growth *= 4;
    regularisation *= 32;
    phase.wanted_steps = text_steps(setting, phase.rows, budget);
    phase.descent = {.rule = Constants::paper,
                     .clip = text_clip(setting, phase.rows, budget),
                     .lambda = regularisation,
                     .steps = allowed_steps(phase.wanted_steps, options)};
    phase.descent.uses = phase.descent.steps;
    // Markov: 4/5 for the solver, 0.95 for the distance of the empirical minimiser (E15). Fewer steps than the text's
    // may need a larger R.
    const double solver = solver_distance(setting, phase.rows, 2 * g2 / regularisation, budget, phase.descent);
    const double near = std::sqrt(5) * regularisation * solver + 4.48 * g2 / std::sqrt(static_cast<double>(phase.rows));
    phase.spread = std::max(delta * growth, 3 * near);
    lambdas.push_back(regularisation);
    chain.push_back({.spread = phase.spread});
  }
  plan.excess_risk = localization_bound(lambdas, chain, setting.start_distance, g2);
  return plan;
}

void add_work(StatedPlan& plan, const StatedStage& stage) {
  for (const StatedPhase& phase : stage.phases) {
    const double samples = static_cast<double>(phase.copies) * static_cast<double>(phase.rows);
    plan.work.sample_gradients += samples * phase.descent.passes();
    plan.work.wanted_passes += samples * phase.wanted_steps;  // not yet per row
  }
}

// Stages of the given sizes: each starts where the one before ended, in a domain cut down to where the minimiser of a
// strongly convex F must then be.
Result<StatedPlan> plan_stages(const Setting& setting, Gdp budget, const Options& options,
                               const std::vector<std::size_t>& sizes) {
  StatedPlan plan;
  Options of_stage = options;
  of_stage.failure_probability = options.failure_probability / static_cast<double>(sizes.size());
  const double mu = setting.strong_convexity;
  double radius = mu > 0 ? std::min(setting.start_distance, setting.moments.g2 / mu) : setting.start_distance;
  for (const std::size_t rows : sizes) {
    Setting part = setting;
    part.rows = rows;
    part.start_distance = radius;
    part.diameter = mu > 0 ? std::min(setting.diameter, 2 * radius) : setting.diameter;
    TAILCOAT_TRY(planned, text_stage(part, budget, of_stage));
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

std::size_t solves(const StatedPlan& plan) {
  std::size_t count = 0;
  for (const StatedStage& stage : plan.stages)
    for (const StatedPhase& phase : stage.phases) count += phase.copies;
  return count;
}

double releases(const StatedPlan& plan) {
  double count = 0;
  for (const StatedStage& stage : plan.stages)
    for (const StatedPhase& phase : stage.phases)
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
  Result<std::vector<double>> localize(const Domain& domain, std::vector<double> x, const StatedStage& stage) {
    for (const StatedPhase& phase : stage.phases) {
      TAILCOAT_TRY(next, aggregated_solves(domain, x, phase));
      x = std::move(next);
    }
    return x;
  }

 private:
  // Algorithm 3.
  Result<std::vector<double>> aggregated_solves(const Domain& domain, std::span<const double> centre,
                                                const StatedPhase& phase) {
    TAILCOAT_TRY(domain_near, within(domain, centre, 2 * moments_.g2 / phase.descent.lambda));
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
    return points[aggregate_within(points, phase.spread / phase.descent.lambda).value_or(aggregate(points))];
  }

  RunContext context_;
  const Samples& samples_;
  const Moments& moments_;
  std::vector<PrivacyMeter>& meters_;
  std::size_t first_row_ = 0, first_meter_ = 0;
};

}  // namespace

Result<StatedPlan> plan_localized_as_stated(const Setting& setting, const Budget& budget, const Options& given) {
  Options options = given;
  options.failure_probability = positive_failure_probability(given);
  TAILCOAT_CHECK(check(setting));
  TAILCOAT_CHECK(check(kMaxPassesOption, options.max_passes));
  TAILCOAT_CHECK(check(kFailureProbabilityOption, options.failure_probability));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  if (setting.rows < 2) return refusal(fmt::format("localized needs at least 2 rows, the data has {}", setting.rows));
  const Options within = for_lattice(setting, mu, options);
  const bool in_stages = setting.strong_convexity > 0;
  auto plan =
      plan_stages(setting, mu, within, in_stages ? text_stages(setting.rows) : std::vector<std::size_t>{setting.rows});
  if (!plan) return plan;
  if (!std::isfinite(plan->bound.excess_risk))
    return refusal(
        fmt::format("localized certifies nothing for G2 = {}, Gk = {} and diameter = {}: out of the range of double",
                    setting.moments.g2, setting.moments.gk, setting.diameter));
  for (const StatedStage& stage : plan->stages) {
    for (const auto& [copies, rows, descent, spread, wanted] : stage.phases) {
      TAILCOAT_CHECK(check_gradients(setting, mu, descent.clip, descent.uses));
    }
  }
  return plan;
}

Result<Solution> localized_as_stated(RunContext run, const Problem& problem, const Moments& moments,
                                     const Budget& budget, const Options& options) {
  const Setting setting = setting_of(problem, moments);
  TAILCOAT_TRY(plan, plan_localized_as_stated(setting, budget, options));
  TAILCOAT_CHECK(check_releases(setting, releases(plan)));
  TAILCOAT_TRY(meter, open_meter(budget));
  TAILCOAT_TRY(meters, meter.split(solves(plan), meter.total()));
  Run phases(run, problem.samples, moments, meters);
  std::vector<double> x(problem.domain.centre().begin(), problem.domain.centre().end());
  for (const StatedStage& stage : plan.stages) {
    TAILCOAT_TRY(domain, within(problem.domain, x, stage.radius));
    TAILCOAT_TRY(next, phases.localize(domain, std::move(x), stage));
    x = std::move(next);
  }
  meter.join(std::move(meters));
  return Solution{.x = std::move(x), .receipt = meter.receipt(), .work = plan.work, .certified = plan.bound};
}

}  // namespace tailcoat
