#include "tailcoat/algorithms/implicit_glm.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/algorithms/tuning.hpp"

namespace tailcoat {

Result<PhasedPlan> plan_implicit_glm(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_CHECK(check(setting));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  if (options.constants == Constants::paper)
    return usage_error("implicit-glm is not in the paper: it has constants = tight only");
  if (setting.rows < 4)
    return refusal(fmt::format("implicit-glm needs at least 4 rows, the data has {}", setting.rows));

  const auto plan_for = [&](std::size_t phase_count, double ratio) {
    const std::vector<std::size_t> sizes = phase_sizes(setting.rows, phase_count, ratio);
    // log C, log eta_1, ..., log eta_I
    const auto phases_at = [&](std::span<const double> logs) {
      std::vector<Phase> phases;
      for (std::size_t i = 0; i < sizes.size(); ++i)
        phases.push_back({sizes[i], {.step = std::exp(logs[i + 1]), .clip = std::exp(logs[0])}});
      return phases;
    };
    const auto bound_at = [&](std::span<const double> logs) {
      return phased_bound(setting, mu, phases_at(logs), clip_bias(setting.moments, std::exp(logs[0])));
    };
    std::vector<double> logs(sizes.size() + 1);
    logs[0] = std::log(setting.moments.gk);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      logs[i + 1] = std::log(setting.diameter / (setting.moments.g2 * std::sqrt(static_cast<double>(setting.rows)))) -
                    static_cast<double>(i) * std::log(4);
    PhasedPlan plan;
    plan.bound.excess_risk = minimise_posynomial(bound_at, logs);
    plan.phases = phases_at(logs);
    return plan;
  };

  PhasedPlan best;
  for (std::size_t phases = 1; phases <= 8 && (setting.rows >> phases) >= 2; ++phases) {
    for (const double ratio : {0.35, 0.5, 0.65}) {
      PhasedPlan plan = plan_for(phases, ratio);
      if (plan.phases.back().rows >= 2 && plan.bound.excess_risk < best.bound.excess_risk) best = std::move(plan);
    }
  }
  const auto n = static_cast<double>(setting.rows);
  best.work = {.sample_gradients = n, .passes = 1, .wanted_passes = 1};
  return best;
}

Result<Solution> implicit_glm(RunContext run, const Problem& problem, const Moments& moments, const Budget& budget,
                              const Options& options) {
  if (problem.samples.glm_loss() == nullptr)
    return usage_error("implicit-glm is for generalised linear models; use implicit for a loss of your own");
  TAILCOAT_TRY(plan, plan_implicit_glm(setting_of(problem, moments), budget, options));
  TAILCOAT_TRY(meter, open_meter(budget));
  TAILCOAT_TRY(x, run_phases(run, problem, plan.phases, meter.total(), meter));
  return Solution{.x = std::move(x), .receipt = meter.receipt(), .work = plan.work, .certified = plan.bound};
}

}  // namespace tailcoat
