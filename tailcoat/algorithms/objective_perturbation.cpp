#include "tailcoat/algorithms/objective_perturbation.hpp"

#include <cmath>
#include <limits>

#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/algorithms/tuning.hpp"

namespace tailcoat {
namespace {

// How often the search for a minimiser visits each row: seen, not proved; it ends when its certificate holds.
constexpr double kUsualEpochs = 100;

struct OutputError {
  double noise;     // standard deviation per coordinate
  double distance;  // of the point it is added to from the exact minimiser
};

OutputError planned_output(const ObjectivePerturbation& m, std::size_t rows, Gdp output) {
  const double distance = 1.02 * kObjectiveShare * 2 * m.clip / (m.weight * static_cast<double>(rows));
  return {2 * distance / output.mu, distance};
}

// lambda R^2 / 2 + d sigma^2 / (2 lambda n^2) + 2 G_2^2 / (lambda n) + C^2 / (2 beta) + bias D + G_2 |output error|.
double objective_bound(const Setting& setting, const ObjectivePerturbation& m, double noise,
                       const OutputError& output) {
  const double n = static_cast<double>(setting.rows), d = static_cast<double>(setting.dimension);
  const double g2 = setting.moments.g2, r = setting.start_distance;
  return m.weight * r * r / 2 + d * noise * noise / (2 * m.weight * n * n) + 2 * g2 * g2 / (m.weight * n) +
         m.clip * m.clip / (2 * m.smoothness) + clip_bias(setting.moments, m.clip) * setting.diameter +
         g2 * std::sqrt(d * output.noise * output.noise + output.distance * output.distance);
}

// The best clip, weight and smoothness for one split of the budget.
ObjectivePlan tuned(const Setting& setting, ApproxDp cost, Gdp output) {
  const double n = static_cast<double>(setting.rows);
  const auto mechanism_at = [&](std::span<const double> logs) {  // log C, log lambda, log beta / (lambda n)
    const double weight = std::exp(logs[1]);
    return ObjectivePerturbation{std::exp(logs[0]), weight, std::exp(logs[2]) * weight * n, cost};
  };
  const auto bound_at = [&](std::span<const double> logs) {
    const auto noise = objective_noise(std::exp(logs[2]), cost);
    if (!noise.ok()) return std::numeric_limits<double>::infinity();
    const ObjectivePerturbation m = mechanism_at(logs);
    return objective_bound(setting, m, *noise * m.clip, planned_output(m, setting.rows, output));
  };
  const auto& [k, g2, gk] = setting.moments;
  double logs[] = {std::log(gk), std::log(2 * g2 / (setting.diameter * std::sqrt(n))),
                   std::log(std::expm1(cost.epsilon / 2))};
  ObjectivePlan plan;
  plan.bound.excess_risk = minimise_posynomial(bound_at, logs);
  plan.mechanism = mechanism_at(logs);
  plan.output = output;
  plan.work = {
      .sample_gradients = kUsualEpochs * n, .passes = kUsualEpochs, .wanted_passes = kUsualEpochs, .fixed = false};
  return plan;
}

}  // namespace

Result<ObjectivePlan> plan_objective_perturbation(const Setting& setting, const Budget& budget,
                                                  const Options& options) {
  TAILCOAT_CHECK(check(setting));
  if (options.constants == Constants::paper)
    return usage_error("objective-perturbation is not in the paper: it has constants = tight only");
  TAILCOAT_TRY(total, approximate_budget(budget, "objective-perturbation"));
  ObjectivePlan best;
  for (const double share : {0.9, 0.95, 0.98, 0.99}) {
    const ApproxDp cost{share * total.epsilon, total.delta / 2};
    TAILCOAT_TRY(meter, open_meter(budget, {ApproximateEvent{cost.epsilon, cost.delta}}));
    ObjectivePlan plan = tuned(setting, cost, meter.total());
    if (plan.bound.excess_risk < best.bound.excess_risk) best = plan;
  }
  if (!std::isfinite(best.bound.excess_risk))
    return refusal("objective-perturbation finds no parameters for this budget; give a larger epsilon or delta");
  return best;
}

Result<Solution> objective_perturbation(RunContext run, const Problem& problem, const Moments& moments,
                                        const Budget& budget, const Options& options) {
  const Setting setting = setting_of(problem, moments);
  TAILCOAT_TRY(plan, plan_objective_perturbation(setting, budget, options));
  const ObjectivePerturbation& m = plan.mechanism;
  TAILCOAT_TRY(meter, open_meter(budget, {ApproximateEvent{m.cost.epsilon, m.cost.delta}}));
  const auto start = problem.domain.centre();
  TAILCOAT_TRY(shift, perturbed_minimiser(run.engine, problem.samples, problem.domain, start, m, plan.output,
                                          {meter, run.noise}));
  TAILCOAT_TRY(x, moved_within(problem.domain, start, shift));
  // The bound for the noise that was used: floating point may have asked for more than planned.
  const Release &inner = meter.receipt().lines.front().release, &outer = meter.receipt().lines.back().release;
  const OutputError output{outer.noise_scale, outer.sensitivity / 2};
  return Solution{.x = std::move(x),
                  .receipt = meter.receipt(),
                  .work = plan.work,
                  .certified = {.excess_risk = objective_bound(setting, m, inner.noise_scale, output)}};
}

}  // namespace tailcoat
