#include "tailcoat/algorithms/implicit_glm.hpp"

#include <fmt/format.h>

#include <limits>

namespace tailcoat {

Result<PhasedPlan> plan_implicit_glm(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_CHECK(check(setting, LeastOrder::above_one));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  if (options.constants == Constants::paper)
    return usage_error("implicit-glm is not in the paper: it has constants = tight only");
  if (setting.rows < 4)
    return refusal(fmt::format("implicit-glm needs at least 4 rows, the data has {}", setting.rows));
  return tuned_phases(setting, mu, StepRule::implicit, std::numeric_limits<double>::infinity());
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
