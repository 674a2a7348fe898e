#include "tailcoat/algorithms/dp_sgd.hpp"

#include <algorithm>
#include <cmath>

#include "tailcoat/algorithms/clipped_dp_sgd.hpp"
#include "tailcoat/algorithms/noisy_gradients.hpp"
#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/algorithms/tuning.hpp"

namespace tailcoat {
namespace {

// What the textbook minimises: the excess of the average on the data it has seen, and the clipping bias.
double empirical_bound(const Setting& setting, Gdp budget, const DpSgdPlan& plan) {
  const auto n = static_cast<double>(setting.rows), d = static_cast<double>(setting.dimension);
  const double steps = static_cast<double>(plan.steps), start = setting.start_distance;
  const double g = std::min(setting.moments.g2, plan.clip),
               noise = gradient_noise(setting, n, budget, plan.clip, steps);
  return start * start / (2 * plan.step * steps) + plan.step * (noise * noise * d + g * g) / 2 +
         clip_bias(setting.moments, plan.clip) * setting.diameter;
}

// How much worse the average may be on new samples, by stability: descents on neighbouring data drift apart by their
// one different sample, and by steps that do not contract unless step times smoothness is at most 2.
double generalisation_bound(const Setting& setting, const DpSgdPlan& plan) {
  const auto n = static_cast<double>(setting.rows), steps = static_cast<double>(plan.steps);
  const double g = std::min(setting.moments.g2, plan.clip);
  const bool contracting = plan.step * setting.smoothness <= 2;
  return plan.step * g * g * ((contracting ? 0 : 4.0 / 3 * std::sqrt(steps)) + 2 * steps / n);
}

}  // namespace

Result<DpSgdPlan> plan_dp_sgd(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_CHECK(check(setting));
  TAILCOAT_CHECK(check(kMaxPassesOption, options.max_passes));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  if (options.constants == Constants::paper)
    return usage_error("dp-sgd is a baseline without constants of the paper: it has constants = tight only");

  DpSgdPlan plan;
  const Options within = for_lattice(setting, mu, options);
  plan.steps = allowed_steps(within.max_passes, within);
  const auto bound_at = [&](std::span<const double> logs) {
    plan.clip = std::exp(logs[0]);
    plan.step = std::exp(logs[1]);
    return empirical_bound(setting, mu, plan);
  };
  std::vector<double> logs = {std::log(setting.moments.gk), std::log(setting.diameter / setting.moments.g2)};
  minimise_posynomial(bound_at, logs);
  const double wanted = useful_steps(setting, setting.rows, mu, plan.clip);
  plan.steps = allowed_steps(wanted, within);
  minimise_posynomial(bound_at, logs);
  const double excess = bound_at(logs) + generalisation_bound(setting, plan),
               worst = setting.moments.g2 * setting.diameter;
  TAILCOAT_CHECK(check_gradients(setting, mu, plan.clip, plan.steps));
  TAILCOAT_CHECK(check_releases(setting, static_cast<double>(plan.steps)));
  // Clipping a loss that is no GLM leaves nothing convex, and no bound but that of all points of the domain.
  plan.bound.excess_risk = setting.generalised_linear ? std::min(excess, worst) : worst;
  const auto steps = static_cast<double>(plan.steps);
  plan.work = {.sample_gradients = steps * static_cast<double>(setting.rows), .passes = steps, .wanted_passes = wanted};
  return plan;
}

Result<Solution> dp_sgd(RunContext run, const Problem& problem, const Moments& moments, const Budget& budget,
                        const Options& options) {
  TAILCOAT_TRY(plan, plan_dp_sgd(setting_of(problem, moments), budget, options));
  TAILCOAT_TRY(meter, open_meter(budget));
  TAILCOAT_TRY(gradients, NoisyGradients::open(run.engine, problem.samples, plan.clip, plan.steps, {meter, run.noise}));
  std::vector<double> x(problem.domain.centre().begin(), problem.domain.centre().end()), average(x.size(), 0.0);
  for (std::size_t t = 0; t < plan.steps; ++t) {
    for (std::size_t j = 0; j < x.size(); ++j) average[j] += (x[j] - average[j]) / static_cast<double>(t + 1);
    TAILCOAT_TRY(gradient, gradients.at(x));
    for (std::size_t j = 0; j < x.size(); ++j) x[j] -= plan.step * gradient[j];
    TAILCOAT_CHECK(problem.domain.project(x));
  }
  return Solution{.x = std::move(average), .receipt = meter.receipt(), .work = plan.work, .certified = plan.bound};
}

}  // namespace tailcoat
