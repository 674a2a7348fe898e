#include "tailcoat/algorithms/implicit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tailcoat {
namespace {

constexpr double kDescentError = 0x1p-48;   // in diameters
constexpr double kGradientError = 0x1p-48;  // of a gradient, at least

// Steps are asked for up to 2 D / C, where the clip is active (engine/one_pass.md). Descent there stalls at rounding
// times the condition number, and an error of the gradient moves the minimiser by as much times the step.
double descent_error(const Setting& setting, const std::vector<Phase>& phases) {
  double longest = 0, clip = 0;
  for (const Phase& phase : phases) {
    longest = std::max({longest, phase.pass.step, 4 * setting.diameter / phase.pass.clip});
    clip = std::max(clip, phase.pass.clip);
  }
  const double size = setting.start_distance + setting.centre_size;
  const double rounding = 8 * (static_cast<double>(setting.dimension) + 16) * 0x1p-53 * size;
  return kDescentError * setting.diameter + rounding * (1 + setting.smoothness * longest) +
         longest * clip * std::max(kGradientError, setting.given.gradient_error);
}

double step_error(const Setting& setting, const std::vector<Phase>& phases) {
  if (setting.generalised_linear) return 0;
  return setting.given.implicit_step ? setting.given.step_error : descent_error(setting, phases);
}

Samples with_implicit_step(const Problem& problem, double error) {
  if (problem.samples.glm_loss() != nullptr || problem.samples.functions()->implicit_step) return problem.samples;
  SampleFunctions functions = *problem.samples.functions();
  functions.implicit_step = implicit_step_by_descent(functions.gradient, problem.domain, problem.smoothness);
  functions.step_error = error;
  return problem.samples.with(std::move(functions));
}

// Errors of the steps count as their square roots and add up: rows sqrt(2 move error), at most the sensitivity `move`
// itself. Beyond that the certificate, which leaves them out, would mean nothing.
Result<void> check_step_errors(double error, const std::vector<Phase>& phases) {
  double admitted = std::numeric_limits<double>::infinity();
  for (const Phase& phase : phases) {
    const auto rows = static_cast<double>(phase.rows);
    admitted = std::min(admitted, phase.pass.step * phase.pass.clip / (2 * rows * rows));
  }
  if (error <= admitted) return {};
  return refusal(
      fmt::format("implicit steps that may be off by {:.3g} are too inexact for so many rows, which admit {:.3g}; give "
                  "an implicit_step with a smaller step-error, or fewer rows",
                  error, admitted));
}

}  // namespace

SampleStep implicit_step_by_descent(SampleGradient gradient, Domain domain, double smoothness) {
  return [gradient = std::move(gradient), domain = std::move(domain), smoothness](
             std::size_t row, std::span<const double> x, double step, std::span<double> y) {
    // f + |. - x|^2 / (2 step) is 1/step-strongly convex and (smoothness + 1/step)-smooth: descent with step length
    // 2 / (their sum) contracts by q.
    const double modulus = 1 / step, length = 2 / (smoothness + 2 * modulus),
                 q = smoothness / (smoothness + 2 * modulus);
    const double close = kDescentError / 2 * domain.diameter() * (1 - q);
    const double most_steps = std::ceil(std::log(kDescentError / 2) / std::log(std::max(q, 0.01))) + 1;
    std::vector<double> slope(x.size()), next(x.size());
    std::copy(x.begin(), x.end(), y.begin());
    for (double count = 0; count < most_steps; ++count) {
      std::fill(slope.begin(), slope.end(), 0.0);
      gradient(row, y, slope);
      for (std::size_t j = 0; j < x.size(); ++j) next[j] = y[j] - length * (slope[j] + modulus * (y[j] - x[j]));
      if (!domain.project(next).ok()) {  // not finite: no step
        std::fill(y.begin(), y.end(), std::numeric_limits<double>::quiet_NaN());
        return;
      }
      double squares = 0;
      for (std::size_t j = 0; j < x.size(); ++j) squares += (next[j] - y[j]) * (next[j] - y[j]);
      std::copy(next.begin(), next.end(), y.begin());
      if (std::sqrt(squares) <= close) return;
    }
  };
}

Result<PhasedPlan> plan_implicit(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_CHECK(check(setting));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  if (options.constants == Constants::paper)
    return usage_error("implicit is not in the paper: it has constants = tight only");
  if (setting.rows < 4) return refusal(fmt::format("implicit needs at least 4 rows, the data has {}", setting.rows));
  TAILCOAT_CHECK(check(kImplicitNeeds, "implicit", setting));
  PhasedPlan plan = tuned_phases(setting, mu, StepRule::implicit, std::numeric_limits<double>::infinity());
  TAILCOAT_CHECK(check_step_errors(step_error(setting, plan.phases), plan.phases));
  return plan;
}

Result<Solution> implicit(RunContext run, const Problem& problem, const Moments& moments, const Budget& budget,
                          const Options& options) {
  const Setting setting = setting_of(problem, moments);
  TAILCOAT_TRY(plan, plan_implicit(setting, budget, options));
  const Samples samples = with_implicit_step(problem, step_error(setting, plan.phases));
  TAILCOAT_TRY(meter, open_meter(budget));
  const Problem with_step{samples, problem.domain};
  TAILCOAT_TRY(x, run_phases(run, with_step, plan.phases, meter.total(), meter));
  return Solution{.x = std::move(x), .receipt = meter.receipt(), .work = plan.work, .certified = plan.bound};
}

}  // namespace tailcoat
