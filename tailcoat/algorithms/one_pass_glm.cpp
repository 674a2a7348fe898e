#include "tailcoat/algorithms/one_pass_glm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat {
namespace {

// Algorithm 8 as stated, up to the phases of a single sample (E20).
OnePassGlmPlan stated_phases(const Setting& setting, Gdp budget) {
  const double n = static_cast<double>(std::bit_floor(setting.rows)), d = static_cast<double>(setting.dimension);
  const double rho = rho_of(budget), diameter = setting.diameter;
  const auto [k, g2, gk] = setting.moments;
  const double eta =
      std::min(std::sqrt(8 / n) * diameter / g2, 1 / n * std::pow(n * n * rho / (32 * d), (k - 1) / (2 * k)) *
                                                     std::pow(2, (k + 1) / (2 * k)) * diameter / gk);
  const double clip = gk * std::pow(diameter * rho * n / (32 * eta * d * gk), 1 / (k + 1));

  OnePassGlmPlan plan;
  plan.spent = Gdp{budget.mu / 2};
  double bias = 0;
  for (int i = 1; std::ldexp(n, -i) >= 2; ++i) {
    const double clip_i = std::ldexp(clip, i);
    plan.phases.push_back(
        {.rows = static_cast<std::size_t>(std::ldexp(n, -i)),
         .pass = {.rule = StepRule::clipped_gradient, .step = std::ldexp(eta, -4 * i), .clip = clip_i}});
    bias += clip_bias(setting.moments, clip_i);  // a phase optimises the function clipped at its own threshold
  }
  plan.bound.excess_risk = phased_bound(setting, plan.spent, plan.phases, bias);
  plan.work = {.sample_gradients = n, .passes = n / static_cast<double>(setting.rows), .wanted_passes = 1};
  return plan;
}

// The text's condition on beta.
double stated_smoothness(const Setting& setting, Gdp budget) {
  const double n = static_cast<double>(std::bit_floor(setting.rows)), d = static_cast<double>(setting.dimension);
  const auto [k, g2, gk] = setting.moments;
  return std::max(std::sqrt(n / 2) * g2, n * std::pow(d / (n * n * rho_of(budget)), (k - 1) / (2 * k)) * gk) /
         setting.diameter;
}

}  // namespace

Result<OnePassGlmPlan> plan_one_pass_glm(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_CHECK(check(setting));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  if (setting.rows < 4)
    return refusal(fmt::format("one-pass-glm needs at least 4 rows, the data has {}", setting.rows));
  if (!std::isfinite(setting.smoothness))
    return refusal(
        "one-pass-glm needs sample functions with a known smoothness beta (Theorem 4), and beta = inf; give "
        "one, or use implicit-glm, which needs none");
  if (options.constants == Constants::tight)
    return OnePassGlmPlan{
        tuned_phases(setting, mu, StepRule::clipped_gradient, kLongestGradientStep / setting.smoothness), mu};
  if (const double most = stated_smoothness(setting, mu); !(setting.smoothness <= most))
    return refusal(
        fmt::format("one-pass-glm with the paper's constants needs beta <= {:.6g} (Theorem 4), and beta = "
                    "{:.6g}; use tight constants or implicit-glm",
                    most, setting.smoothness));
  return stated_phases(setting, mu);
}

Result<Solution> one_pass_glm(RunContext run, const Problem& problem, const Moments& moments, const Budget& budget,
                              const Options& options) {
  if (problem.samples.glm_loss() == nullptr)
    return usage_error(
        "one-pass-glm is for generalised linear models: clipped steps of other losses expand (Appendix B)");
  TAILCOAT_TRY(plan, plan_one_pass_glm(setting_of(problem, moments), budget, options));
  TAILCOAT_TRY(meter, open_meter(budget));
  TAILCOAT_TRY(x, run_phases(run, problem, plan.phases, plan.spent, meter));
  return Solution{.x = std::move(x), .receipt = meter.receipt(), .work = plan.work, .certified = plan.bound};
}

}  // namespace tailcoat
