#include "tailcoat/algorithms/clipped_dp_sgd.hpp"

#include <algorithm>
#include <cmath>

#include "tailcoat/algorithms/binomial.hpp"
#include "tailcoat/algorithms/noisy_gradients.hpp"
#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/algorithms/tuning.hpp"

namespace tailcoat {
namespace {

// sqrt(E b_D^2) for the bias b_D of clipped mean gradients, 0 for a GLM, which clipping leaves convex: b_D is at most
// the mean of the (L_i - C)_+, so its square is at most (E (L - C)_+)^2 + E (L - C)_+^2 / n.
double squared_bias(const Setting& setting, double rows, double clip) {
  if (setting.generalised_linear) return 0;
  const double bias = clip_bias(setting.moments, clip);
  return bias * bias + clip_variance(setting.moments, clip) / rows;
}

// Last iterate, steps 1 / (lambda (t + 1)).
double tight_distance(const Setting& setting, double rows, double reach, Gdp budget, const ClippedDescent& descent) {
  const auto d = static_cast<double>(setting.dimension), steps = static_cast<double>(descent.steps);
  const double g = setting.generalised_linear ? std::min(setting.moments.g2, descent.clip) : setting.moments.g2;
  const double noise = gradient_noise(setting, std::floor(rows / static_cast<double>(descent.batches)), budget,
                                      descent.clip, static_cast<double>(descent.uses));
  const double start = std::min(g / descent.lambda, reach);
  const double variance = (noise * noise * d + 4 * g * g) / (descent.lambda * descent.lambda);
  return std::sqrt(start * start + steps * variance) / (steps + 1) +
         std::sqrt(squared_bias(setting, rows, descent.clip)) / descent.lambda;
}

// Weighted average, steps 4 / (lambda (t + 1)): Prop. dp-erm for any T.
double paper_distance(const Setting& setting, double rows, double reach, Gdp budget, const ClippedDescent& descent) {
  const auto d = static_cast<double>(setting.dimension), steps = static_cast<double>(descent.steps);
  const double noise = gradient_noise(setting, rows, budget, descent.clip, steps), lambda = descent.lambda;
  const double weights = steps * (steps + 7) / 2;           // sum of t + 4
  const double ratios = steps + 3 * (std::log(steps) + 1);  // at least the sum of (t + 4) / (t + 1)
  const double g = std::min(setting.moments.g2, descent.clip);
  const double excess =
      (lambda * reach * reach * (1.5 + steps / 2) + 2 / lambda * ratios * (g * g + noise * noise * d)) / weights;
  return std::sqrt(2 / lambda * (excess + squared_bias(setting, rows, descent.clip) / lambda));
}

// x <- argmin over the domain of <g, x> + (lambda / 2) |x - centre|^2 + |x - x_t|^2 / (2 eta).
Result<void> proximal_step(const Domain& domain, std::span<const double> centre, std::span<const double> gradient,
                           double lambda, double eta, std::span<double> x) {
  const double pull = lambda * eta;
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = (x[j] + pull * centre[j] - eta * gradient[j]) / (1 + pull);
  return domain.project(x);
}

// E F(x) - F(x*), x* the best point of the domain.
double excess_bound(const Setting& setting, Gdp budget, const ClippedDescent& descent) {
  const auto n = static_cast<double>(setting.rows / descent.batches * descent.batches);  // the rest is in no part
  const double g2 = setting.moments.g2, reach = setting.start_distance, lambda = descent.lambda;
  const double bias = setting.generalised_linear ? clip_bias(setting.moments, descent.clip) * setting.diameter : 0;
  const double overdrawn = descent.batches > 1 ? 2 * reach * std::sqrt(kOverdrawn) : 0;
  return lambda * reach * reach / 2 + 2 * g2 * g2 / (lambda * n) +
         g2 * (solver_distance(setting, setting.rows, reach, budget, descent) + overdrawn) + bias;
}

Result<ClippedDpSgdPlan> planned(const Setting& setting, Gdp budget, const ClippedDescent& descent, double wanted) {
  TAILCOAT_CHECK(check_gradients(setting, budget, descent.clip, descent.uses));
  TAILCOAT_CHECK(check_releases(setting, static_cast<double>(descent.steps)));
  ClippedDpSgdPlan plan;
  plan.descent = descent;
  plan.bound = {.excess_risk = excess_bound(setting, budget, descent)};
  plan.work = {.sample_gradients = descent.passes() * static_cast<double>(setting.rows),
               .passes = descent.passes(),
               .wanted_passes = wanted};
  return plan;
}

// The text's clip and steps; lambda minimises the bound.
Result<ClippedDpSgdPlan> text_plan(const Setting& setting, Gdp budget, const Options& options) {
  const double wanted = text_steps(setting, setting.rows, budget);
  ClippedDescent descent{.rule = Constants::paper, .clip = text_clip(setting, setting.rows, budget)};
  descent.steps = descent.uses = allowed_steps(wanted, options);
  double log_lambda = std::log(setting.moments.g2 / setting.diameter);
  const auto bound_at = [&](std::span<const double> logs) {
    descent.lambda = std::exp(logs[0]);
    return excess_bound(setting, budget, descent);
  };
  minimise_posynomial(bound_at, {&log_lambda, 1});
  bound_at({&log_lambda, 1});
  return planned(setting, budget, descent, wanted);
}

// Clip, lambda and schedule minimise the bound.
Result<ClippedDpSgdPlan> tight_plan(const Setting& setting, Gdp budget, const Options& options) {
  const auto tuned = [&](ClippedDescent descent) {
    std::vector<double> logs = {std::log(setting.moments.g2 / setting.diameter), std::log(setting.moments.gk)};
    const auto bound_at = [&](std::span<const double> at) {
      descent.lambda = std::exp(at[0]);
      descent.clip = std::exp(at[1]);
      return excess_bound(setting, budget, descent);
    };
    minimise_posynomial(bound_at, logs);
    bound_at(logs);
    return descent;
  };
  const ClippedDescent most = tuned(schedules(options.max_passes, options)[0]);
  const double wanted = useful_steps(setting, setting.rows, budget, most.clip);
  ClippedDescent best = most;
  for (const ClippedDescent& schedule : schedules(wanted, options)) {
    if (schedule.batches > setting.rows) break;
    const ClippedDescent descent = tuned(schedule);
    if (schedule.batches == 1 || excess_bound(setting, budget, descent) < excess_bound(setting, budget, best))
      best = descent;
  }
  return planned(setting, budget, best, wanted);
}

}  // namespace

double text_clip(const Setting& setting, std::size_t rows, Gdp budget) {
  const auto n = static_cast<double>(rows), d = static_cast<double>(setting.dimension);
  return setting.moments.gk * std::pow(25 * n * n * rho_of(budget) / (32 * d), 1 / (2 * setting.moments.k));
}

double text_steps(const Setting& setting, std::size_t rows, Gdp budget) {
  const auto n = static_cast<double>(rows);
  return std::ceil(std::max(n, n * n * rho_of(budget) / static_cast<double>(setting.dimension)));
}

double useful_steps(const Setting& setting, std::size_t rows, Gdp budget, double clip) {
  // From here on the error of optimising, 2 G_2 / sqrt(T), is at most half of that of the noise, 2 C sqrt(d) / (n mu).
  const double ratio = 2 * setting.moments.g2 * static_cast<double>(rows) * budget.mu / clip;
  return std::ceil(ratio * ratio / static_cast<double>(setting.dimension));
}

double solver_distance(const Setting& setting, std::size_t rows, double reach, Gdp budget,
                       const ClippedDescent& descent) {
  const auto n = static_cast<double>(rows);
  const double distance = descent.rule == Constants::tight ? tight_distance(setting, n, reach, budget, descent)
                                                           : paper_distance(setting, n, reach, budget, descent);
  return std::min(distance, 2 * reach);
}

Result<std::vector<double>> solve_clipped(Engine& engine, const Samples& samples, const Domain& domain,
                                          std::span<const double> centre, const ClippedDescent& descent,
                                          Outlet outlet) {
  const std::size_t d = samples.dimension();
  const bool paper = descent.rule == Constants::paper;
  TAILCOAT_TRY(gradients, BatchGradients::open(engine, samples, descent.clip, descent.batches, descent.uses, outlet));

  std::vector<double> x(centre.begin(), centre.end()), average(d, 0.0);
  double weights = 0;
  for (std::size_t t = 0; t < descent.steps; ++t) {
    const auto step = static_cast<double>(t);
    weights += step + 4;
    for (std::size_t j = 0; j < d; ++j) average[j] += (step + 4) / weights * (x[j] - average[j]);

    TAILCOAT_TRY(gradient, gradients.at(x));
    const double eta = (paper ? 4 : 1) / (descent.lambda * (step + 1));
    TAILCOAT_CHECK(proximal_step(domain, centre, gradient, descent.lambda, eta, x));
  }
  std::move(gradients).close();
  return paper ? average : x;
}

std::vector<ClippedDescent> schedules(double wanted, const Options& options) {
  const std::size_t passes = allowed_steps(wanted, options);
  std::vector<ClippedDescent> list = {{.steps = passes, .uses = passes}};
  constexpr std::size_t kMostSteps = std::size_t{1} << 16;
  for (std::size_t batches = 2; static_cast<double>(passes) < wanted && batches * passes <= kMostSteps; batches *= 2) {
    const auto parts = static_cast<double>(batches);
    std::size_t uses = passes;  // the mean
    while (parts * binomial_tail(batches * passes, uses + 1, 1 / parts) > kOverdrawn) uses += uses / 64 + 1;
    list.push_back({.steps = batches * passes, .batches = batches, .uses = uses});
  }
  return list;
}

Result<ClippedDpSgdPlan> plan_clipped_dp_sgd(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_CHECK(check(setting));
  TAILCOAT_CHECK(check(kMaxPassesOption, options.max_passes));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  const Options within = for_lattice(setting, mu, options);
  return options.constants == Constants::paper ? text_plan(setting, mu, within) : tight_plan(setting, mu, within);
}

Result<Solution> clipped_dp_sgd(RunContext run, const Problem& problem, const Moments& moments, const Budget& budget,
                                const Options& options) {
  TAILCOAT_TRY(plan, plan_clipped_dp_sgd(setting_of(problem, moments), budget, options));
  TAILCOAT_TRY(meter, open_meter(budget));
  TAILCOAT_TRY(x, solve_clipped(run.engine, problem.samples, problem.domain, problem.domain.centre(), plan.descent,
                                {meter, run.noise}));
  return Solution{.x = std::move(x), .receipt = meter.receipt(), .work = plan.work, .certified = plan.bound};
}

}  // namespace tailcoat
