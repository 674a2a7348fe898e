#include "tailcoat/algorithms/localized_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tailcoat/algorithms/localized_stages.hpp"

namespace tailcoat {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

LocalizedPlan plan_of(const Setting& setting, const LocalizedStages& stages, double failure) {
  LocalizedPlan plan;
  for (const LocalizedChain& stage : stages.chains) {
    plan.phases.insert(plan.phases.end(), stage.phases.begin(), stage.phases.end());
    plan.work.sample_gradients += stage.rows_read();
  }
  plan.work.passes = plan.work.sample_gradients / static_cast<double>(setting.rows);
  plan.work.wanted_passes = plan.work.passes + stages.kept_from / static_cast<double>(setting.rows);
  plan.work.fixed = false;  // how many rows the steps draw is secret
  plan.bound = {.excess_risk = stages.excess_risk(), .failure_probability = failure};
  return plan;
}

// Runs of the chain on disjoint rows, each with a bound B on the mean: by Markov's inequality the best is within
// (2 / failure)^(1/J) B except with half of the probability to fail; selection has the other half. A single run needs
// none, and has all of it.
struct Boost {
  std::size_t runs = 1;
  std::size_t held_out = 0;
  LocalizedStages stages{};
  ScoreError score{0, 0};
  double excess_risk = kInfinity;
};

double boosted(double mean_bound, const Boost& boost, double failure) {
  if (boost.runs == 1) return mean_bound / failure;
  return std::pow(2 / failure, 1 / static_cast<double>(boost.runs)) * mean_bound + 2 * boost.score.error;
}

Boost best_boost(const Setting& setting, Gdp budget, const SamplingRates& rates, const Options& options) {
  Boost best;
  for (const std::size_t runs : {1, 2, 3, 4, 6, 8}) {
    Boost boost{.runs = runs, .held_out = runs == 1 ? 0 : setting.rows / 8};
    Setting part = setting;
    part.rows = (setting.rows - boost.held_out) / runs;
    if (part.rows < 2) break;
    boost.stages = best_stages(part, budget, rates, 0, options.max_passes);
    if (runs > 1) boost.score = score_error(setting, boost.held_out, runs, budget, options.failure_probability / 2);
    boost.excess_risk = boosted(boost.stages.excess_risk(), boost, options.failure_probability);
    if (boost.excess_risk < best.excess_risk) best = std::move(boost);
    if (!setting.generalised_linear && !setting.given.value) break;  // nothing to select by
  }
  return best;
}

Result<LocalizedPlan> likely_plan(const Setting& setting, ApproxDp budget, Gdp mu, const Options& options) {
  const double failure = options.failure_probability;
  const SamplingRates rates(budget, mu);
  LocalizedStages majority = best_stages(setting, mu, rates, failure, options.max_passes);
  Boost boost = best_boost(setting, mu, rates, options);
  if (majority.excess_risk() <= boost.excess_risk) {
    TAILCOAT_CHECK(certify(majority, budget));
    return plan_of(setting, majority, failure);
  }
  TAILCOAT_CHECK(certify(boost.stages, budget));
  LocalizedPlan plan = plan_of(setting, boost.stages, failure);
  const auto runs = static_cast<double>(boost.runs);
  plan.runs = boost.runs;
  plan.selection = {.rows = boost.held_out, .bound = boost.score.bound};
  plan.bound.excess_risk = boosted(boost.stages.excess_risk(), boost, failure);
  const double selecting = runs * static_cast<double>(boost.held_out);  // each candidate is scored on all of them
  plan.work.sample_gradients = plan.work.sample_gradients * runs + selecting;
  plan.work.passes = plan.work.passes * runs + selecting / static_cast<double>(setting.rows);
  plan.work.wanted_passes = plan.work.wanted_passes * runs + selecting / static_cast<double>(setting.rows);
  return plan;
}

}  // namespace

Result<LocalizedPlan> tight_plan(const Setting& setting, ApproxDp budget, const Options& options) {
  TAILCOAT_TRY(ideal, ideal_budget(budget));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  if (options.failure_probability > 0) return likely_plan(setting, ideal, mu, options);
  LocalizedStages stages = best_stages(setting, mu, SamplingRates(ideal, mu), 0, options.max_passes);
  TAILCOAT_CHECK(certify(stages, ideal));
  return plan_of(setting, stages, 0);
}

}  // namespace tailcoat
