#include "tailcoat/algorithms/known_lipschitz_sgd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/algorithms/erm_phases.hpp"
#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat {
namespace {

// Where clipping costs clip_bias(), leaving out costs drop_bias(): the same with another G_k.
Setting with_drop_bias(Setting setting) {
  setting.moments.gk *= std::pow(clip_bias_constant(setting.moments.k), -1 / setting.moments.k);
  return setting;
}

// Steps that halve the data and quarter the step, with the clip of Theorem 2. The published noise is for half of mu.
LipschitzSgdPlan stated_phases(const Setting& setting, Gdp budget) {
  const double n = static_cast<double>(setting.rows), d = static_cast<double>(setting.dimension);
  const double clip = setting.moments.gk * std::pow(n * std::sqrt(rho_of(budget) / d), 1 / setting.moments.k);
  const double eta = setting.diameter / clip * std::min(4 / std::sqrt(n), budget.mu / std::sqrt(d));
  LipschitzSgdPlan plan;
  plan.spent = Gdp{budget.mu / 2};
  for (int i = 1; std::ldexp(n, -i) >= 2; ++i)
    plan.phases.push_back(
        {.rows = static_cast<std::size_t>(std::ldexp(n, -i)),
         .pass = {.rule = StepRule::clipped_gradient, .step = std::ldexp(eta, -2 * i), .clip = clip}});
  plan.bound.excess_risk = phased_bound(setting, plan.spent, plan.phases, drop_bias(setting.moments, clip));
  plan.work = {.sample_gradients = n, .passes = 1, .wanted_passes = 1};
  return plan;
}

}  // namespace

Result<LipschitzSgdPlan> plan_known_lipschitz_sgd(const Setting& setting, const Budget& budget,
                                                  const Options& options) {
  TAILCOAT_CHECK(check_known_lipschitz(setting));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  if (setting.strong_convexity > 0)
    return refusal(fmt::format("known-lipschitz-sgd is for strong-convexity = 0, not {}; use known-lipschitz",
                               setting.strong_convexity));
  if (!std::isfinite(setting.smoothness))
    return refusal(
        "known-lipschitz-sgd needs sample functions with a known smoothness beta, and beta = inf; give one, "
        "or use known-lipschitz, which needs none for GLMs");
  const double longest = kLongestGradientStep / setting.smoothness;
  LipschitzSgdPlan plan =
      options.constants == Constants::paper
          ? stated_phases(setting, mu)
          : LipschitzSgdPlan{tuned_phases(with_drop_bias(setting), mu, StepRule::clipped_gradient, longest), mu};
  if (const double step = plan.phases.front().pass.step; step > longest)
    return refusal(
        fmt::format("known-lipschitz-sgd with published constants takes steps of {:.6g}, which contract only "
                    "for beta <= {:.6g}, and beta = {:.6g}; use tight constants or known-lipschitz",
                    step, kLongestGradientStep / step, setting.smoothness));
  for (Phase& phase : plan.phases) phase.pass.steepest = phase.pass.clip;
  return plan;
}

Result<Solution> known_lipschitz_sgd(RunContext run, const Problem& problem, const Moments& moments,
                                     const Budget& budget, const Options& options) {
  if (problem.samples.glm_loss() == nullptr)
    return usage_error("known-lipschitz-sgd is for generalised linear models; use known-lipschitz");
  TAILCOAT_TRY(plan, plan_known_lipschitz_sgd(setting_of(problem, moments), budget, options));
  TAILCOAT_TRY(meter, open_meter(budget));
  TAILCOAT_TRY(x, run_phases(run, problem, plan.phases, plan.spent, meter));
  return Solution{.x = std::move(x), .receipt = meter.receipt(), .work = plan.work, .certified = plan.bound};
}

}  // namespace tailcoat
