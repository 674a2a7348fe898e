#include "tailcoat/algorithms/implicit.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace tailcoat {
namespace {

constexpr double kDescentError = 0x1p-48;  // in diameters

Result<Samples> with_implicit_step(const Problem& problem) {
  if (problem.samples.glm_loss() != nullptr || problem.samples.functions()->implicit_step) return problem.samples;
  if (!std::isfinite(problem.smoothness))
    return usage_error("implicit needs the implicit_step of a sample, or its gradient and a finite smoothness");
  SampleFunctions functions = *problem.samples.functions();
  if (!functions.gradient) return usage_error("the gradient of a sample is an empty function");
  functions.implicit_step = implicit_step_by_descent(functions.gradient, problem.domain, problem.smoothness);
  functions.step_error = kDescentError * problem.domain.diameter();
  return Samples(problem.samples.size(), problem.samples.dimension(), std::move(functions));
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
  TAILCOAT_TRY(samples, with_implicit_step(problem));
  TAILCOAT_TRY(meter, open_meter(budget));
  const Problem with_step{samples, problem.domain};
  TAILCOAT_TRY(x, run_phases(run, with_step, plan.phases, meter.total(), meter));
  return Solution{.x = std::move(x), .receipt = meter.receipt(), .work = plan.work, .certified = plan.bound};
}

}  // namespace tailcoat
