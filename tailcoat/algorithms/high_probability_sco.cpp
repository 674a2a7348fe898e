#include "tailcoat/algorithms/high_probability_sco.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/algorithms/aggregate.hpp"
#include "tailcoat/algorithms/localization.hpp"
#include "tailcoat/algorithms/phases.hpp"

namespace tailcoat {
namespace {

constexpr NumberOption kOracleNormOption{
    .name = "oracle-norm", .meaning = "root of the second moment of the oracle", .lowest = 1e-100, .highest = 1e100};
constexpr NumberOption kPsiSlopeOption{
    .name = "psi-slope", .meaning = "Lipschitz constant of the composite term", .lowest = 0, .highest = 1e100};

Result<void> check(const StochasticProblem& problem, std::size_t queries, const Options& options) {
  TAILCOAT_CHECK(check(kOracleNormOption, problem.oracle_norm));
  TAILCOAT_CHECK(check(kPsiSlopeOption, problem.psi_slope));
  TAILCOAT_CHECK(check(kFailureProbabilityOption, options.failure_probability));
  if (!problem.oracle) return usage_error("the stochastic oracle is an empty function");
  if (problem.proximal == nullptr && problem.psi_slope > 0)
    return usage_error(fmt::format("psi-slope = {} without a proximal oracle for psi", problem.psi_slope));
  if (queries == 0) return usage_error("0 queries of the oracle; give at least one");
  return {};
}

// x <- argmin over the domain of psi(x) + |x - v|^2 / (2 step).
Result<void> proximal(const StochasticProblem& problem, std::span<double> v, double step) {
  if (!problem.proximal) return problem.domain.project(v);
  problem.proximal(v, step);
  return {};
}

// sqrt(E |x - x*|^2) lambda after T queries.
double odc_spread(const StochasticProblem& problem, std::size_t queries) {
  const auto steps = static_cast<double>(queries);
  return problem.oracle_norm * std::sqrt(1 + 4 * steps) / (steps + 1);
}

double slope(const StochasticProblem& problem) { return problem.oracle_norm + problem.psi_slope; }

std::vector<ChainPhase> chain_of(const std::vector<StochasticPhase>& phases) {
  std::vector<ChainPhase> chain;
  for (const StochasticPhase& phase : phases) chain.push_back({.spread = phase.spread});
  return chain;
}

StochasticPlan tight_plan(const StochasticProblem& problem, std::size_t count, double ratio, std::size_t queries,
                          double failure) {
  StochasticPlan plan;
  for (const std::size_t size : phase_sizes(queries, count, ratio)) {
    if (size < 1) return plan;
    StochasticPhase best;
    for (std::size_t copies = 1; copies <= size && copies < 200; copies += copies < 9 ? 2 : copies / 8 * 2) {
      const double spread = aggregation_factor(copies) * odc_spread(problem, size / copies) /
                            std::sqrt(far_probability(copies, failure / static_cast<double>(count)));
      if (copies == 1 || spread < best.spread)
        best = {.copies = copies, .queries = size / copies, .lambda = 0, .spread = spread};
    }
    plan.phases.push_back(best);
  }
  const double start = problem.domain.radius();
  const std::vector<ChainPhase> chain = chain_of(plan.phases);
  const std::vector<double> lambdas = best_lambdas(chain, start, slope(problem));
  for (std::size_t i = 0; i < count; ++i) plan.phases[i].lambda = lambdas[i];
  plan.bound = {localization_bound(lambdas, chain, start, slope(problem)), failure};
  return plan;
}

// J_i and T_i of the text: for 1/delta within polylog(n), 48 ln(2^i / delta) portions of n / 2^i queries; else one J.
std::vector<StochasticPhase> text_phases(std::size_t queries, double failure) {
  const auto n = static_cast<double>(queries);
  std::vector<StochasticPhase> phases;
  const auto add = [&](double copies, double size) {
    if (!(size >= 1)) return false;  // E19
    phases.push_back({.copies = static_cast<std::size_t>(copies), .queries = static_cast<std::size_t>(size)});
    return true;
  };
  if (1 / failure <= std::log(n) * std::log(n)) {
    for (double i = 1; i <= std::floor(std::log2(n) / 2); ++i) {
      const double copies = std::ceil(48 * std::log(std::exp2(i) / failure));
      if (!add(copies, std::floor(n / (std::exp2(i) * copies)))) break;
    }
    return phases;
  }
  for (double count = std::floor(std::log2(n)); count >= 1; --count) {
    const double copies = std::ceil(48 * std::log(count / failure));
    if (std::floor(std::log2(n / copies)) < count) continue;
    for (double i = 1; i <= count; ++i) add(copies, std::exp2(count - i));
    break;
  }
  return phases;
}

Result<StochasticPlan> text_plan(const StochasticProblem& problem, std::size_t queries, double failure) {
  StochasticPlan plan;
  plan.phases = text_phases(queries, failure);
  if (plan.phases.empty())
    return refusal(
        fmt::format("the text's J = 48 ln(1/delta) makes {} runs in a phase of n/2 queries; there are {} "
                    "queries in all; use constants = tight",
                    std::ceil(48 * std::log(2 / failure)), queries));
  double delta = 0, growth = 1;
  for (StochasticPhase& phase : plan.phases) {
    growth *= 4;
    phase.spread = 90 * problem.oracle_norm / std::sqrt(static_cast<double>(phase.queries));
    delta = std::max(delta, phase.spread / growth);
  }
  const double g = slope(problem), size = static_cast<double>(plan.phases.size());
  const double lambda = std::sqrt(2 * g * delta / std::pow(8, size) + delta * delta / 2) / problem.domain.diameter();
  std::vector<double> lambdas;
  for (StochasticPhase& phase : plan.phases) {
    phase.lambda = (lambdas.empty() ? lambda : lambdas.back()) * 32;
    lambdas.push_back(phase.lambda);
  }
  plan.bound = {localization_bound(lambdas, chain_of(plan.phases), problem.domain.radius(), g), failure};
  return plan;
}

}  // namespace

Result<StochasticPlan> plan_high_probability_sco(const StochasticProblem& problem, std::size_t queries,
                                                 const Options& options) {
  TAILCOAT_CHECK(check(problem, queries, options));
  const double failure = positive_failure_probability(options);
  if (options.constants == Constants::paper) return text_plan(problem, queries, failure);
  StochasticPlan best;
  for (std::size_t count = 1; count <= 8 && (queries >> (count - 1)) >= 1; ++count) {
    for (const double ratio : {0.35, 0.5, 0.65}) {
      StochasticPlan plan = tight_plan(problem, count, ratio, queries, failure);
      if (plan.bound.excess_risk < best.bound.excess_risk) best = std::move(plan);
    }
  }
  return best;
}

Result<std::vector<double>> odc(const StochasticProblem& problem, std::span<const double> centre, double lambda,
                                std::size_t queries) {
  std::vector<double> x(centre.begin(), centre.end()), g(centre.size());
  TAILCOAT_CHECK(proximal(problem, x, 1 / lambda));  // x_0 minimises psi and the regulariser
  for (std::size_t t = 0; t < queries; ++t) {
    problem.oracle(x, g);
    // argmin of <g, x> + psi(x) + (lambda / 2) |x - centre|^2 + (lambda (t + 1) / 2) |x - x_t|^2.
    const double age = static_cast<double>(t) + 1;
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = (age * x[j] + centre[j] - g[j] / lambda) / (age + 1);
    TAILCOAT_CHECK(proximal(problem, x, 1 / (lambda * (age + 1))));
  }
  return x;
}

Result<StochasticSolution> high_probability_sco(const StochasticProblem& problem, std::size_t queries,
                                                const Options& options) {
  TAILCOAT_TRY(plan, plan_high_probability_sco(problem, queries, options));
  std::vector<double> x(problem.domain.centre().begin(), problem.domain.centre().end());
  std::size_t used = 0;
  for (const StochasticPhase& phase : plan.phases) {
    std::vector<std::vector<double>> points;
    for (std::size_t j = 0; j < phase.copies; ++j) {
      TAILCOAT_TRY(point, odc(problem, x, phase.lambda, phase.queries));
      points.push_back(std::move(point));
    }
    x = std::move(points[aggregate(points)]);
    used += phase.copies * phase.queries;
  }
  return StochasticSolution{.x = std::move(x), .queries = used, .certified = plan.bound};
}

}  // namespace tailcoat
