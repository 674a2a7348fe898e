#include "tailcoat/algorithms/localized_as_stated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/algorithms/aggregate.hpp"
#include "tailcoat/algorithms/localization.hpp"
#include "tailcoat/algorithms/localized_blocks.hpp"
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

// Delta, from m samples. C_rp = sqrt(640): clipped_dp_sgd.md, "The text's constants".
double text_error(const Setting& setting, double m, Gdp budget) {
  const auto [k, g2, gk] = setting.moments;
  const double privacy = std::sqrt(static_cast<double>(setting.dimension)) / (m * std::sqrt(rho_of(budget)));
  return 3 * std::sqrt(640) * (gk * std::pow(privacy, 1 - 1 / k) + g2 / std::sqrt(m));
}

// lambda, for so many phases.
double text_weight(const Setting& setting, double error, std::size_t phases) {
  const double last = 2 * setting.moments.g2 * error / std::pow(8, static_cast<double>(phases));
  return std::sqrt(last + error * error / 2) / setting.diameter;
}

// Clip, steps and spread of a phase whose copies, rows and lambda are known. Markov: 4/5 for the solver, 0.95 for the
// distance of the empirical minimiser (E15). Fewer steps than the text's may need a larger R.
void plan_solves(StatedPhase& phase, const Setting& setting, Gdp budget, const Options& options, double text_spread) {
  const double lambda = phase.descent.lambda, g2 = setting.moments.g2;
  phase.wanted_steps = text_steps(setting, phase.rows, budget);
  phase.descent.clip = text_clip(setting, phase.rows, budget);
  phase.descent.steps = phase.descent.uses = allowed_steps(phase.wanted_steps, options);
  const double solver = solver_distance(setting, phase.rows, 2 * g2 / lambda, budget, phase.descent);
  const double near = std::sqrt(5) * lambda * solver + 4.48 * g2 / std::sqrt(static_cast<double>(phase.rows));
  phase.spread = std::max(text_spread, 3 * near);
}

Error too_few_rows(const Setting& setting, double failure) {
  const double needed = rows_for_text(setting.rows, failure);
  return refusal(
      fmt::format("the text's J = 400 ln(I/delta) makes {} solves on at least 2 samples each in a phase of at most n/2 "
                  "samples: n >= {}, and there are {} rows; use constants = tight",
                  needed / 4, needed, setting.rows));
}

Result<PlannedStage> text_stage(const Setting& original, Gdp budget, const Options& options) {
  Setting setting = original;
  setting.generalised_linear = false;  // C_i changes from phase to phase: so does the loss that clipping leaves
  PlannedStage plan{.stage = {.phases = text_sizes(setting.rows, options.failure_probability)}};
  std::vector<StatedPhase>& phases = plan.stage.phases;
  if (phases.empty()) return too_few_rows(setting, options.failure_probability);
  const double error = text_error(setting, 2 * static_cast<double>(phases[0].rows), budget);
  const double lambda = text_weight(setting, error, phases.size());
  std::vector<double> lambdas;
  std::vector<ChainPhase> chain;
  for (StatedPhase& phase : phases) {
    const auto i = static_cast<double>(lambdas.size() + 1);
    phase.descent = {.rule = Constants::paper, .lambda = lambda * std::pow(32, i)};
    plan_solves(phase, setting, budget, options, error * std::pow(4, i));
    lambdas.push_back(phase.descent.lambda);
    chain.push_back({.spread = phase.spread});
  }
  plan.excess_risk = localization_bound(lambdas, chain, setting.start_distance, setting.moments.g2);
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

// Algorithm 2, each phase by Algorithm 3.
Result<std::vector<double>> localize(Engine& engine, FreshBlocks& blocks, const Domain& domain, std::vector<double> x,
                                     const StatedStage& stage, double g2) {
  for (const StatedPhase& phase : stage.phases) {
    TAILCOAT_TRY(domain_near, within(domain, x, 2 * g2 / phase.descent.lambda));
    const auto solve = [&](const Samples& block, Outlet outlet) {
      return solve_clipped(engine, block, domain_near, x, phase.descent, outlet);
    };
    TAILCOAT_TRY(points, blocks.solve(phase.copies, phase.rows, solve));
    x = std::move(points[aggregate_within(points, phase.spread / phase.descent.lambda).value_or(aggregate(points))]);
  }
  return x;
}

}  // namespace

Result<StatedPlan> plan_localized_as_stated(const Setting& setting, const Budget& budget, const Options& given) {
  Options options = given;
  options.failure_probability = positive_failure_probability(given);
  TAILCOAT_CHECK(check(setting));
  TAILCOAT_CHECK(check_localized(setting, options));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  const Options within = for_lattice(setting, mu, options);
  const bool in_stages = setting.strong_convexity > 0;
  auto plan =
      plan_stages(setting, mu, within, in_stages ? text_stages(setting.rows) : std::vector<std::size_t>{setting.rows});
  if (!plan) return plan;
  TAILCOAT_CHECK(check_certifies(plan->bound, setting));
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
  FreshBlocks blocks(run, problem.samples, meters);
  std::vector<double> x(problem.domain.centre().begin(), problem.domain.centre().end());
  for (const StatedStage& stage : plan.stages) {
    TAILCOAT_TRY(domain, within(problem.domain, x, stage.radius));
    TAILCOAT_TRY(next, localize(run.engine, blocks, domain, std::move(x), stage, moments.g2));
    x = std::move(next);
  }
  meter.join(std::move(meters));
  return Solution{.x = std::move(x), .receipt = meter.receipt(), .work = plan.work, .certified = plan.bound};
}

}  // namespace tailcoat
