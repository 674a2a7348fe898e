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
double descent_error(const Problem& problem, const std::vector<Phase>& phases, double gradient_error) {
  double size = problem.domain.radius(), longest = 0, clip = 0;
  for (const double part : problem.domain.centre()) size += std::abs(part);
  for (const Phase& phase : phases) {
    longest = std::max({longest, phase.pass.step, 4 * problem.domain.diameter() / phase.pass.clip});
    clip = std::max(clip, phase.pass.clip);
  }
  const double rounding = 8 * (static_cast<double>(problem.domain.dimension()) + 16) * 0x1p-53 * size;
  return kDescentError * problem.domain.diameter() + rounding * (1 + problem.smoothness * longest) +
         longest * clip * std::max(kGradientError, gradient_error);
}

Result<Samples> with_implicit_step(const Problem& problem, const std::vector<Phase>& phases) {
  if (problem.samples.glm_loss() != nullptr || problem.samples.functions()->implicit_step) return problem.samples;
  if (!std::isfinite(problem.smoothness))
    return usage_error("implicit needs the implicit_step of a sample, or its gradient and a finite smoothness");
  SampleFunctions functions = *problem.samples.functions();
  if (!functions.gradient) return usage_error("the gradient of a sample is an empty function");
  TAILCOAT_CHECK(check(kGradientErrorOption, functions.gradient_error));
  functions.implicit_step = implicit_step_by_descent(functions.gradient, problem.domain, problem.smoothness);
  functions.step_error = descent_error(problem, phases, functions.gradient_error);
  return problem.samples.with(std::move(functions));
}

// Errors of the steps count as their square roots and add up. Beyond the sensitivity itself the certificate, which
// leaves them out, would mean nothing.
Result<void> check_step_errors(const Samples& samples, const std::vector<Phase>& phases) {
  if (samples.glm_loss() != nullptr) return {};
  const double error = samples.functions()->step_error;
  for (const Phase& phase : phases) {
    const double move = phase.pass.step * phase.pass.clip;
    if (!(static_cast<double>(phase.rows) * std::sqrt(2 * move * error) <= move))
      return refusal(
          fmt::format("implicit steps that may be off by {:.3g} are too inexact for {} steps of length {:.3g}; "
                      "give an implicit_step with a smaller step_error, or fewer samples",
                      error, phase.rows, move));
  }
  return {};
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
  return tuned_phases(setting, mu, StepRule::implicit, std::numeric_limits<double>::infinity());
}

Result<Solution> implicit(RunContext run, const Problem& problem, const Moments& moments, const Budget& budget,
                          const Options& options) {
  TAILCOAT_TRY(plan, plan_implicit(setting_of(problem, moments), budget, options));
  TAILCOAT_TRY(samples, with_implicit_step(problem, plan.phases));
  TAILCOAT_CHECK(check_step_errors(samples, plan.phases));
  TAILCOAT_TRY(meter, open_meter(budget));
  const Problem with_step{samples, problem.domain};
  TAILCOAT_TRY(x, run_phases(run, with_step, plan.phases, meter.total(), meter));
  return Solution{.x = std::move(x), .receipt = meter.receipt(), .work = plan.work, .certified = plan.bound};
}

}  // namespace tailcoat
