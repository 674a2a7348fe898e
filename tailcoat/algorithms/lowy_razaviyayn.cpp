#include "tailcoat/algorithms/lowy_razaviyayn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/algorithms/noisy_gradients.hpp"
#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat {
namespace {

// n_i = n / 2^i, eta_i = eta / 4^i, C_i = G_k (mu n_i / sqrt(d ln n))^(1/k), T_i = n_i ln n and lambda_i = 1 / (eta_i
// n_i). Where max_passes allows fewer steps, lambda_i = ln n / (eta_i T_i), so that the solves still converge.
std::vector<LowyRazaviyaynPhase> phases_of(const Setting& setting, Gdp budget, const Options& options,
                                           std::size_t count, double eta) {
  const double log_n = std::max(1.0, std::log(static_cast<double>(setting.rows)));
  std::vector<LowyRazaviyaynPhase> phases;
  for (std::size_t i = 1; i <= count && (setting.rows >> i) >= 2; ++i) {
    LowyRazaviyaynPhase phase{.rows = setting.rows >> i};
    eta /= 4;
    const auto n = static_cast<double>(phase.rows);
    phase.step = eta;
    phase.clip =
        setting.moments.gk *
        std::pow(budget.mu * n / std::sqrt(static_cast<double>(setting.dimension) * log_n), 1 / setting.moments.k);
    phase.wanted_steps = std::ceil(n * log_n);
    phase.steps = allowed_steps(phase.wanted_steps, options);
    phase.lambda = 1 / (eta * std::max(1.0, std::min(n, static_cast<double>(phase.steps) / log_n)));
    phases.push_back(phase);
  }
  return phases;
}

// Constants of E |w_T - what|^2 <= exp(-decay lambda eta T) |w_0 - what|^2 + variance (eta / lambda) (...) + bias (b /
// lambda)^2.
struct LemmaConstants {
  double decay, variance, bias;
};
constexpr LemmaConstants kProved{0.5, 8, 20};  // their Lemma 27
constexpr LemmaConstants kSharp{1, 0.5, 1};    // what a quadratic attains: a fairer guide to the step

// sum_i [ (lambda_i / 2) v_{i-1} + 2 G_2^2 / (lambda_i n_i) ] + G_2 sqrt(v_I), v_i = E |w_i - what_i|^2.
double excess_bound(const Setting& setting, Gdp budget, const std::vector<LowyRazaviyaynPhase>& phases,
                    const LemmaConstants& constants) {
  const double g2 = setting.moments.g2, diameter = setting.diameter, d = static_cast<double>(setting.dimension);
  double bound = 0, v = setting.start_distance * setting.start_distance;
  for (const LowyRazaviyaynPhase& phase : phases) {
    const auto n = static_cast<double>(phase.rows), steps = static_cast<double>(phase.steps);
    const double eta = phase.step, lambda = phase.lambda;
    const double noise = gradient_noise(setting, n, budget, phase.clip, steps),
                 bias = clip_bias(setting.moments, phase.clip);
    bound += lambda / 2 * v + 2 * g2 * g2 / (lambda * n);
    const double start = std::min(diameter, g2 / lambda);
    v = std::exp(-constants.decay * lambda * eta * steps) * start * start +
        constants.variance * eta / lambda * (g2 * g2 + lambda * lambda * diameter * diameter + d * noise * noise) +
        constants.bias / (lambda * lambda) * (bias * bias + clip_variance(setting.moments, phase.clip) / n);
    v = std::min(v, diameter * diameter);
  }
  return bound + g2 * std::sqrt(v);
}

// Their step for p = 1, without the terms of the unknown L_f.
double text_step(const Setting& setting, Gdp budget) {
  const auto n = static_cast<double>(setting.rows), d = static_cast<double>(setting.dimension);
  const auto [k, g2, gk] = setting.moments;
  const double privacy = std::pow(budget.mu * n / std::sqrt(d * std::max(1.0, std::log(n))), (k - 1) / k);
  return setting.diameter / std::sqrt(n) * std::min(1 / g2, privacy / (gk * std::sqrt(n)));
}

std::vector<LowyRazaviyaynPhase> tuned(const Setting& setting, Gdp budget, const Options& options) {
  std::vector<LowyRazaviyaynPhase> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t count = 1; count < 64 && (setting.rows >> count) >= 2; ++count) {
    for (double scale = -20; scale <= 20; scale += 0.5) {
      const double eta = std::exp2(scale) * setting.diameter / setting.moments.g2;
      std::vector<LowyRazaviyaynPhase> phases = phases_of(setting, budget, options, count, eta);
      const double guide = excess_bound(setting, budget, phases, kSharp);
      if (!(guide < least)) continue;
      least = guide;
      best = std::move(phases);
    }
  }
  return best;
}

// Their Algorithm 2: last iterate of w <- proj(w - eta (noisy clipped gradient + lambda (w - w_0))).
Result<std::vector<double>> solve(Engine& engine, const Samples& samples, const Domain& domain,
                                  std::span<const double> start, const LowyRazaviyaynPhase& phase, Outlet outlet) {
  TAILCOAT_TRY(gradients, NoisyGradients::open(engine, samples, phase.clip, phase.steps, outlet));
  std::vector<double> w(start.begin(), start.end());
  for (std::size_t t = 0; t < phase.steps; ++t) {
    TAILCOAT_TRY(gradient, gradients.at(w));
    for (std::size_t j = 0; j < w.size(); ++j) w[j] -= phase.step * (gradient[j] + phase.lambda * (w[j] - start[j]));
    TAILCOAT_CHECK(domain.project(w));
  }
  return w;
}

}  // namespace

Result<LowyRazaviyaynPlan> plan_lowy_razaviyayn(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_CHECK(check(setting));
  TAILCOAT_CHECK(check(kMaxPassesOption, options.max_passes));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  if (setting.rows < 4)
    return refusal(fmt::format("lowy-razaviyayn needs at least 4 rows, the data has {}", setting.rows));
  LowyRazaviyaynPlan plan;
  const Options within = for_lattice(setting, mu, options);
  plan.phases = options.constants == Constants::paper ? phases_of(setting, mu, within, 64, text_step(setting, mu))
                                                      : tuned(setting, mu, within);
  plan.bound.excess_risk =
      std::min(excess_bound(setting, mu, plan.phases, kProved), setting.moments.g2 * setting.diameter);
  double releases = 0;
  for (const LowyRazaviyaynPhase& phase : plan.phases) {
    TAILCOAT_CHECK(check_gradients(setting, mu, phase.clip, phase.steps));
    releases += static_cast<double>(phase.steps);
    const auto rows = static_cast<double>(phase.rows);
    plan.work.sample_gradients += rows * static_cast<double>(phase.steps);
    plan.work.wanted_passes += rows * phase.wanted_steps / static_cast<double>(setting.rows);
  }
  TAILCOAT_CHECK(check_releases(setting, releases));
  plan.work.passes = plan.work.sample_gradients / static_cast<double>(setting.rows);
  return plan;
}

Result<Solution> lowy_razaviyayn(RunContext run, const Problem& problem, const Moments& moments, const Budget& budget,
                                 const Options& options) {
  TAILCOAT_TRY(plan, plan_lowy_razaviyayn(setting_of(problem, moments), budget, options));
  TAILCOAT_TRY(meter, open_meter(budget));
  TAILCOAT_TRY(meters, meter.split(plan.phases.size(), meter.total()));
  std::vector<double> w(problem.domain.centre().begin(), problem.domain.centre().end());
  std::size_t first = 0;
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const Samples fresh = problem.samples.block(first, plan.phases[i].rows);
    TAILCOAT_TRY(next, solve(run.engine, fresh, problem.domain, w, plan.phases[i], {meters[i], run.noise}));
    w = std::move(next);
    first += plan.phases[i].rows;
  }
  meter.join(std::move(meters));
  return Solution{.x = std::move(w), .receipt = meter.receipt(), .work = plan.work, .certified = plan.bound};
}

}  // namespace tailcoat
