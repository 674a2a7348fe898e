#include "tailcoat/algorithms/known_lipschitz_gd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/algorithms/noisy_gradients.hpp"

namespace tailcoat {
namespace {

// As many steps as make the error of the descent at most that of the noise, whatever the clip: n^2 mu^2 / d.
double wanted_steps(const Setting& setting, Gdp budget, std::size_t rows) {
  const double n = static_cast<double>(rows) * budget.mu;
  return std::max(1.0, std::ceil(n * n / static_cast<double>(setting.dimension)));
}

// E |x_T - minimiser|^2 <= [g^2 (1 + 4 T) + T d s^2] / ((T + 1) lambda)^2, s = 2 C sqrt(T) / (n mu).
ErrorForRows descent_error(const Setting& setting, Gdp budget, double most_steps) {
  return [&setting, budget, most_steps](std::size_t rows) {
    const double t = std::min(wanted_steps(setting, budget, rows), std::floor(most_steps));
    const double s = 2 * std::sqrt(t) / (static_cast<double>(rows) * budget.mu), after = (t + 1) * (t + 1);
    return PhaseError{.noise = t * static_cast<double>(setting.dimension) * s * s / after,
                      .descent = (1 + 4 * t) / after,
                      .steps = static_cast<std::size_t>(t)};
  };
}

// A sample whose slope may exceed the clip somewhere, by |grad f(x_0)| + beta |x - x_0|, has the gradient 0.
SampleGradient without_steep_samples(const Problem& problem, double clip) {
  return [&problem, clip](std::size_t row, std::span<const double> x, std::span<double> gradient) {
    const SampleGradient& own = problem.samples.functions()->gradient;
    own(row, problem.domain.centre(), gradient);
    double squares = 0;
    for (const double part : gradient) squares += part * part;
    const bool steep = !(std::sqrt(squares) * (1 + 0x1p-20) + problem.smoothness * problem.domain.radius() <= clip);
    std::ranges::fill(gradient, 0.0);
    if (!steep) own(row, x, gradient);
  };
}

Result<Samples> lipschitz_samples(const Problem& problem, double clip) {
  if (problem.samples.glm_loss() != nullptr) return problem.samples;
  if (!problem.samples.functions()->gradient) return usage_error("the gradient of a sample is an empty function");
  if (!std::isfinite(problem.smoothness))
    return refusal("known-lipschitz-gd leaves out steep samples, which it knows by their smoothness: state it");
  return problem.samples.with({.gradient = without_steep_samples(problem, clip)});
}

// The last iterate of descent with steps 1 / (lambda (t + 1)) from `start`, which is also the centre of the
// regulariser.
Result<std::vector<double>> noisy_descent(RunContext run, const Samples& samples, const Domain& domain,
                                          const ErmPhase& phase, double clip, std::span<const double> start,
                                          PrivacyMeter& meter) {
  TAILCOAT_TRY(gradients, NoisyGradients::open(run.engine, samples, clip, phase.error.steps, {meter, run.noise}));
  std::vector<double> x(start.begin(), start.end());
  for (std::size_t t = 0; t < phase.error.steps; ++t) {
    TAILCOAT_TRY(g, gradients.at(x));
    const auto done = static_cast<double>(t + 1);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = (done * x[j] + start[j] - g[j] / phase.weight) / (done + 1);
    TAILCOAT_CHECK(domain.project(x));
  }
  return x;
}

}  // namespace

Result<ErmPlan> plan_known_lipschitz_gd(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_CHECK(check_known_lipschitz(setting, least_order_of(options)));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  TAILCOAT_CHECK(check(kMaxPassesOption, options.max_passes));
  if (setting.strong_convexity > 0)
    return refusal(fmt::format("known-lipschitz-gd is for strong-convexity = 0, not {}; use known-lipschitz",
                               setting.strong_convexity));
  const ErrorForRows error_for = descent_error(setting, mu, options.max_passes);
  ErmPlan plan = options.constants == Constants::paper ? stated_erm_phases(setting, mu, error_for)
                                                       : tuned_erm_phases(setting, error_for);
  for (const ErmPhase& phase : plan.phases) {
    const double share = static_cast<double>(phase.rows) / static_cast<double>(setting.rows);
    plan.work.passes += share * static_cast<double>(phase.error.steps);
    plan.work.wanted_passes += share * wanted_steps(setting, mu, phase.rows);
  }
  plan.work.sample_gradients = plan.work.passes * static_cast<double>(setting.rows);
  return plan;
}

Result<Solution> known_lipschitz_gd(RunContext run, const Problem& problem, const Moments& moments,
                                    const Budget& budget, const Options& options) {
  TAILCOAT_TRY(plan, plan_known_lipschitz_gd(setting_of(problem, moments), budget, options));
  TAILCOAT_TRY(samples, lipschitz_samples(problem, plan.clip));
  TAILCOAT_TRY(meter, open_meter(budget));
  TAILCOAT_TRY(meters, meter.split(plan.phases.size(), meter.total()));
  std::vector<double> x(problem.domain.centre().begin(), problem.domain.centre().end());
  std::size_t first = 0;
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const ErmPhase& phase = plan.phases[i];
    const Samples fresh = samples.block(first, phase.rows);
    TAILCOAT_TRY(next, noisy_descent(run, fresh, problem.domain, phase, plan.clip, x, meters[i]));
    x = std::move(next);
    first += phase.rows;
  }
  meter.join(std::move(meters));
  return Solution{.x = std::move(x), .receipt = meter.receipt(), .work = plan.work, .certified = plan.bound};
}

}  // namespace tailcoat
