#include "tailcoat/algorithms/kamath_liu_zhang.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/algorithms/noisy_gradients.hpp"
#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/algorithms/tuning.hpp"
#include "tailcoat/mechanisms/gaussian_release.hpp"

namespace tailcoat {
namespace {

// What they take for granted, in units of the coordinates' moment.
constexpr double kLeastTau = 10;

// E |noise| of one release out of T: sensitivity sqrt(d) 2 clip m / n, d coordinates.
double noise_norm(const Setting& setting, Gdp budget, double clip, double groups, double steps) {
  const auto n = static_cast<double>(setting.rows), d = static_cast<double>(setting.dimension);
  return d * 2 * clip * groups * std::sqrt(steps) / (n * budget.mu);
}

// Clip, T and eta as they state them: no coordinate has a larger moment than the norm, so G_k is their unit.
void set_text_parameters(const Setting& setting, Gdp budget, const Options& options, KamathLiuZhangPlan& plan) {
  const auto n = static_cast<double>(setting.rows), d = static_cast<double>(setting.dimension), rho = rho_of(budget);
  const auto [k, g2, gk] = setting.moments;
  const double tau = gk * std::max(kLeastTau, std::pow(std::sqrt(rho) * n / std::pow(d, 1.5), 1 / k));
  plan.clip = 3 * tau;
  plan.work.wanted_passes = std::max(1.0, std::ceil(g2 * g2 * rho * n * n / (tau * tau * std::pow(d, 4))));
  plan.steps = allowed_steps(plan.work.wanted_passes, options);
  plan.step = setting.diameter / (g2 * std::sqrt(static_cast<double>(plan.steps)));
}

// The clip that balances noise and bias, as many steps as keep the noise at the size of the gradients, and the step
// that balances |w_0 - w*|^2 / (2 eta T) and eta (G_2^2 + noise^2) / 2.
void set_tuned_parameters(const Setting& setting, Gdp budget, const Options& options, KamathLiuZhangPlan& plan) {
  const double g2 = setting.moments.g2, groups = static_cast<double>(plan.groups);
  double log_clip = std::log(setting.moments.gk);
  minimise_posynomial(
      [&](std::span<const double> logs) {
        const double clip = std::exp(logs[0]);
        return setting.start_distance * noise_norm(setting, budget, clip, groups, 1) +
               setting.diameter * clip_bias(setting.moments, clip);
      },
      {&log_clip, 1});
  plan.clip = std::exp(log_clip);
  const double ratio = g2 / noise_norm(setting, budget, plan.clip, groups, 1);
  plan.work.wanted_passes = std::max(1.0, std::ceil(ratio * ratio));
  plan.steps = allowed_steps(plan.work.wanted_passes, options);
  const auto steps = static_cast<double>(plan.steps);
  const double noise = noise_norm(setting, budget, plan.clip, groups, steps);
  plan.step = setting.start_distance / std::sqrt(steps * (g2 * g2 + noise * noise));
}

}  // namespace

Result<KamathLiuZhangPlan> plan_kamath_liu_zhang(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_CHECK(check(setting));
  TAILCOAT_CHECK(check(kMaxPassesOption, options.max_passes));
  TAILCOAT_CHECK(check(kFailureProbabilityOption, options.failure_probability));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  const auto n = static_cast<double>(setting.rows), d = static_cast<double>(setting.dimension);
  const double groups = std::ceil(4 * std::log(2 * d / positive_failure_probability(options)));
  if (n < groups)
    return refusal(fmt::format("kamath-liu-zhang takes medians of m = {} groups; the data has {} rows", groups, n));

  KamathLiuZhangPlan plan;
  plan.groups = static_cast<std::size_t>(groups);
  if (options.constants == Constants::paper)
    set_text_parameters(setting, mu, options, plan);
  else
    set_tuned_parameters(setting, mu, options, plan);
  TAILCOAT_CHECK(check_releases(setting, static_cast<double>(plan.steps)));
  // Their theorem has no constants, and the same samples in all steps: nothing is certified but what holds everywhere.
  plan.bound.excess_risk = setting.moments.g2 * setting.diameter;
  plan.work.passes = static_cast<double>(plan.steps);
  plan.work.sample_gradients = plan.work.passes * n;
  return plan;
}

Result<Solution> kamath_liu_zhang(RunContext run, const Problem& problem, const Moments& moments, const Budget& budget,
                                  const Options& options) {
  TAILCOAT_TRY(plan, plan_kamath_liu_zhang(setting_of(problem, moments), budget, options));
  TAILCOAT_TRY(meter, open_meter(budget));
  const Gdp cost = meter.share(1 / static_cast<double>(plan.steps));
  const auto group = static_cast<double>(problem.samples.size() / plan.groups);
  std::vector<double> w(problem.domain.centre().begin(), problem.domain.centre().end()), average(w.size(), 0.0);
  for (std::size_t t = 0; t < plan.steps; ++t) {
    TAILCOAT_TRY(medians, run.engine.clipped_coordinate_medians(problem.samples, w, plan.clip, plan.groups, cost));
    TAILCOAT_TRY(gradient, gaussian_release(fmt::format("medians of gradients, step {}", t + 1), std::move(medians),
                                            {meter, run.noise}));
    for (std::size_t j = 0; j < w.size(); ++j) w[j] -= plan.step * gradient[j] / group;
    TAILCOAT_CHECK(problem.domain.project(w));
    for (std::size_t j = 0; j < w.size(); ++j) average[j] += (w[j] - average[j]) / static_cast<double>(t + 1);
  }
  return Solution{.x = std::move(average), .receipt = meter.receipt(), .work = plan.work, .certified = plan.bound};
}

}  // namespace tailcoat
