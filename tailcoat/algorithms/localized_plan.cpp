#include "tailcoat/algorithms/localized_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "tailcoat/algorithms/aggregate.hpp"
#include "tailcoat/algorithms/localization.hpp"
#include "tailcoat/algorithms/phases.hpp"
#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/algorithms/tuning.hpp"
#include "tailcoat/privacy/sampled_gaussian.hpp"

namespace tailcoat {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// C / sigma of a step. The first makes for 3 % more noise than without sampling; the others for 18 %, 59 % and five
// times, and batches that are smaller still: for where passes are short (sampled_descent.md).
constexpr double kRatios[] = {0.8, 1.2, 1.6, 2.4};
constexpr double kMostSteps = 64;     // per row of a phase; more lower the certificate by less than 5 %
constexpr double kStepCost = 12;      // of a step, in rows read
constexpr double kGoodEnough = 1.05;  // of the least bound found: the cheapest plan below that is taken

// ---- A chain: the phases of one run, and what it guarantees ----

struct Chain {
  std::vector<LocalizedPhase> phases;
  double excess_risk = kInfinity;
  double clip = 0;

  [[nodiscard]] double rows_read() const {
    double sum = 0;
    for (const LocalizedPhase& phase : phases) sum += solves_of(phase) * batch_of(phase);
    return sum;
  }
  [[nodiscard]] double cost() const {
    double sum = 0;
    for (const LocalizedPhase& phase : phases) sum += solves_of(phase) * (batch_of(phase) + kStepCost);
    return sum;
  }

 private:
  static double batch_of(const LocalizedPhase& phase) {
    return phase.descent.event.rate * static_cast<double>(phase.rows);
  }
  static double solves_of(const LocalizedPhase& phase) {
    return static_cast<double>(phase.copies) * static_cast<double>(phase.descent.event.steps);
  }
};

// What all chains of a search have in common.
struct Search {
  Setting setting;
  Gdp budget;
  double failure = 0;  // of the chain; 0: its bound is on the mean
  double modulus = 0;  // of each sample function, which goes into the steps (losses of the user's own)
  Growth growth{};     // of F; modulus 0: none known
};

// How the solves of a chain take their steps.
struct Pace {
  double steps;  // per row
  double ratio;  // C / sigma
};

// A solve on m rows whose price is about the budget: as many steps as asked for, but with a row per batch.
SampledGaussianEvent event_for(std::size_t rows, Pace pace, Gdp budget) {
  const double m = static_cast<double>(rows), most = std::pow(m * budget.mu / (2 * pace.ratio), 2);
  const double steps = std::max(1.0, std::floor(std::min(pace.steps * m, most)));
  const double ratio = std::max(pace.ratio, budget.mu / (2 * std::sqrt(steps)));  // the larger: all rows in each step
  return {.rate = std::min(1.0, estimated_sampling_rate(budget, ratio, steps)),
          .ratio = ratio,
          .steps = static_cast<std::size_t>(steps)};
}

// In the chain through empirical minimisers a phase costs g^2 / m; in that through population minimisers its spread
// grows, by Markov's inequality for each of its solves and by aggregating them.
ChainPhase chain_phase(const Search& search, const LocalizedPhase& phase, double clip, double failure) {
  const double slope = clipped_slope(search.setting, clip), m = static_cast<double>(phase.rows);
  const double spread = sampled_spread(search.setting, phase.rows, clip, phase.descent.event);
  if (failure == 0) return {.spread = spread, .cost = slope * slope / m};
  const double far = far_probability(phase.copies, failure);
  return {.spread = aggregation_factor(phase.copies) / std::sqrt(far) * (spread + slope / std::sqrt(m))};
}

// What clipping the losses of a GLM costs beside an error for the clipped ones: b times the distance from x*, which is
// at most the diameter, and where F grows at most (e / alpha)^(1/theta).
double with_clip_bias(const Search& search, double error, double clip) {
  if (!search.setting.generalised_linear) return error;
  const double slope = clip_bias(search.setting.moments, clip);
  double all = error + slope * search.setting.diameter;
  if (search.growth.modulus == 0) return all;
  for (int i = 0; i < 60; ++i)
    all = std::min(all, error + slope * std::pow(all / search.growth.modulus, 1 / search.growth.exponent));
  return all;
}

// Fills in clip and weights for phases whose solves are known, and the bound.
Chain with_clip(const Search& search, std::vector<LocalizedPhase> phases, double clip) {
  Chain chain{.phases = std::move(phases), .clip = clip};
  std::vector<ChainPhase> chain_phases;
  for (const LocalizedPhase& phase : chain.phases)
    chain_phases.push_back(chain_phase(search, phase, clip, search.failure / static_cast<double>(chain.phases.size())));
  const Setting& setting = search.setting;
  const double slope = setting.generalised_linear ? std::min(mean_slope(setting.moments), clip) : setting.moments.g2;
  const double start = std::max(setting.start_distance, 1e-100);
  const std::vector<double> lambdas = best_lambdas(chain_phases, start, slope, search.modulus);
  for (std::size_t i = 0; i < lambdas.size(); ++i) {
    chain.phases[i].weight = lambdas[i];
    chain.phases[i].convexity = search.modulus;
    chain.phases[i].descent.clip = clip;
    chain.phases[i].descent.modulus = lambdas[i] + search.modulus;
  }
  chain.excess_risk =
      with_clip_bias(search, localization_bound(lambdas, chain_phases, start, slope, search.modulus), clip);
  return chain;
}

// A clip for which the bound is about least. Any clip gives a bound that holds.
Chain with_best_clip(const Search& search, const std::vector<LocalizedPhase>& phases) {
  const double gk = std::log(search.setting.moments.gk);
  const double log_clip = least_of_unimodal(
      [&](double log) { return with_clip(search, phases, std::exp(log)).excess_risk; }, gk - 3, gk + 12, 3e-2);
  return with_clip(search, phases, std::exp(log_clip));
}

// The number of solves for a phase of so many rows that have the least spread, at a usual clip.
LocalizedPhase phase_for(const Search& search, std::size_t rows, Pace pace, double failure) {
  const auto with_copies = [&](std::size_t copies) {
    const std::size_t each = rows / copies;
    return LocalizedPhase{.copies = copies, .rows = each, .descent = {.event = event_for(each, pace, search.budget)}};
  };
  if (failure == 0) return with_copies(1);
  LocalizedPhase best;
  double least = kInfinity;
  for (std::size_t copies = 1; copies <= rows / 2 && copies < 200; copies += copies < 9 ? 2 : copies / 8 * 2) {
    const LocalizedPhase phase = with_copies(copies);
    const double spread = chain_phase(search, phase, 4 * search.setting.moments.gk, failure).spread;
    if (spread < least) best = phase;
    least = std::min(least, spread);
  }
  return best;
}

// Adds chains to choose from: numbers and sizes of phases, and steps per row.
void add_chains(const Search& search, double ratio_of_steps, double most_rows, std::vector<Chain>& list) {
  double least_before = kInfinity;
  for (std::size_t count = 1; count <= 8; ++count) {
    double least = kInfinity;
    for (const double ratio : {0.35, 0.5, 0.65}) {
      const std::vector<std::size_t> sizes = phase_sizes(search.setting.rows, count, ratio);
      if (*std::ranges::min_element(sizes) < 2 || (count == 1 && ratio != 0.5)) continue;
      for (double steps = kMostSteps; steps * static_cast<double>(sizes[0]) >= 1; steps /= 2) {
        std::vector<LocalizedPhase> phases;
        for (const std::size_t rows : sizes)
          phases.push_back(
              phase_for(search, rows, {steps, ratio_of_steps}, search.failure / static_cast<double>(count)));
        list.push_back(with_best_clip(search, phases));
        least = std::min(least, list.back().excess_risk);
        if (list.back().excess_risk > 2 * least && list.back().rows_read() <= most_rows) break;
      }
    }
    if (least > 0.99 * least_before) break;
    least_before = least;
  }
}

// The cheapest of those whose bound is near the least, among chains that read at most so many rows; the cheapest of all
// if none does.
const Chain& cheapest_good(const std::vector<Chain>& list, double most_rows) {
  const auto by_cost = [](const Chain& a, const Chain& b) { return a.cost() < b.cost(); };
  double least = kInfinity;
  for (const Chain& chain : list)
    if (chain.rows_read() <= most_rows) least = std::min(least, chain.excess_risk);
  const Chain* best = nullptr;
  for (const Chain& chain : list)
    if (chain.rows_read() <= most_rows && chain.excess_risk <= kGoodEnough * least &&
        (best == nullptr || by_cost(chain, *best)))
      best = &chain;
  return best != nullptr ? *best : *std::ranges::min_element(list, by_cost);
}

// ---- From a chain to a plan ----

struct Planned {
  std::vector<Search> searches;  // one per stage
  std::vector<Chain> stages;
  double wanted_rows_read = 0;  // without a limit on passes

  [[nodiscard]] double excess_risk() const { return stages.empty() ? kInfinity : stages.back().excess_risk; }
};

// Stages of growing length on fresh rows, each a chain that starts within what the one before guarantees:
// F(x) - F(x*) >= alpha |x - x*|^theta.
double distance_of(const Growth& growth, double excess_risk) {
  return std::pow(excess_risk / growth.modulus, 1 / growth.exponent);
}

Planned in_stages(const Search& search, const Options& options, const std::vector<std::size_t>& sizes) {
  Planned planned;
  double start = search.setting.start_distance;
  for (const std::size_t rows : sizes) {
    Search stage = search;
    stage.setting.rows = rows;
    stage.setting.start_distance = start;
    stage.failure = search.failure / static_cast<double>(sizes.size());
    const double most_rows = options.max_passes * static_cast<double>(rows);
    std::vector<Chain> list;
    add_chains(stage, kRatios[0], most_rows, list);
    const double wanted = cheapest_good(list, kInfinity).rows_read();
    if (wanted > most_rows)
      for (const double ratio : std::span(kRatios).subspan(1)) add_chains(stage, ratio, most_rows, list);
    planned.stages.push_back(cheapest_good(list, most_rows));
    planned.searches.push_back(stage);
    planned.wanted_rows_read += wanted;
    if (search.growth.modulus > 0) start = std::min(start, distance_of(search.growth, planned.excess_risk()));
  }
  return planned;
}

// `count` stages, each `growth` times as long as the one before, of all the rows.
std::vector<std::size_t> growing_stages(std::size_t rows, std::size_t count, double growth) {
  double parts = 0;
  for (std::size_t j = 0; j < count; ++j) parts = parts * growth + 1;
  std::vector<std::size_t> sizes;
  double part = static_cast<double>(rows) / parts;
  for (std::size_t j = 0; j < count; ++j, part *= growth) sizes.push_back(static_cast<std::size_t>(part));
  return sizes;
}

Planned best_stages(const Search& search, const Options& options) {
  Planned best = in_stages(search, options, {search.setting.rows});
  if (search.growth.modulus == 0) return best;
  for (std::size_t count = 2; count <= 4; ++count) {
    for (const double growth : {2.0, 4.0}) {
      const std::vector<std::size_t> sizes = growing_stages(search.setting.rows, count, growth);
      if (sizes[0] < 2) continue;
      Planned planned = in_stages(search, options, sizes);
      if (planned.excess_risk() < best.excess_risk()) best = std::move(planned);
    }
  }
  return best;
}

// The smallest bound of: stages, where F grows; for a GLM the same by the proof for any loss, which pays for the clip
// in each phase and not by the diameter; for sample functions that are strongly convex themselves one chain whose steps
// know that.
Planned best_chain(const Setting& setting, Gdp budget, double failure, const Options& options) {
  Search search{.setting = setting, .budget = budget, .failure = failure, .growth = growth_of(setting)};
  search.setting.start_distance = start_distance_of(setting);
  Planned best = best_stages(search, options);
  const auto or_else = [&](Planned other) {
    if (other.excess_risk() < best.excess_risk()) best = std::move(other);
  };
  if (!setting.generalised_linear) {
    if (failure == 0 && setting.strong_convexity > 0) {
      search.modulus = setting.strong_convexity;
      or_else(in_stages(search, options, {setting.rows}));
    }
  } else if (setting.moments.k >= 2) {
    search.setting.generalised_linear = false;
    or_else(best_stages(search, options));
  }
  return best;
}

// Rates at which the events have been accounted in place of estimated ones, and the bound that comes with them.
Result<void> certify(Planned& planned, ApproxDp budget) {
  double start = planned.searches[0].setting.start_distance;
  for (std::size_t j = 0; j < planned.stages.size(); ++j) {
    Search& search = planned.searches[j];
    Chain& chain = planned.stages[j];
    search.setting.start_distance = start;
    for (LocalizedPhase& phase : chain.phases) {
      SampledGaussianEvent& event = phase.descent.event;
      TAILCOAT_TRY(rate, largest_sampling_rate(budget, event.ratio, event.steps));
      event.rate = rate;
    }
    chain = with_clip(search, chain.phases, chain.clip);
    if (search.growth.modulus > 0) start = std::min(start, distance_of(search.growth, chain.excess_risk));
  }
  return {};
}

LocalizedPlan plan_of(const Setting& setting, const Planned& planned, double failure) {
  LocalizedPlan plan;
  for (const Chain& stage : planned.stages) {
    plan.phases.insert(plan.phases.end(), stage.phases.begin(), stage.phases.end());
    plan.work.sample_gradients += stage.rows_read();
  }
  plan.work.passes = plan.work.sample_gradients / static_cast<double>(setting.rows);
  plan.work.wanted_passes = std::max(plan.work.passes, planned.wanted_rows_read / static_cast<double>(setting.rows));
  plan.work.fixed = false;  // how many rows the steps draw is secret
  plan.bound = {.excess_risk = planned.excess_risk(), .failure_probability = failure};
  return plan;
}

// ---- With high probability ----

// Runs of the chain on disjoint rows, each with a bound B on the mean: by Markov's inequality the best is within
// (2 / failure)^(1/J) B except with half of the probability to fail; selection has the other half. A single run needs
// none, and has all of it.
struct Boost {
  std::size_t runs = 1;
  std::size_t held_out = 0;
  Planned planned{};
  ScoreError score{0, 0};
  double excess_risk = kInfinity;
};

double boosted(double mean_bound, const Boost& boost, double failure) {
  if (boost.runs == 1) return mean_bound / failure;
  return std::pow(2 / failure, 1 / static_cast<double>(boost.runs)) * mean_bound + 2 * boost.score.error;
}

Boost best_boost(const Setting& setting, Gdp budget, const Options& options) {
  Boost best;
  for (const std::size_t runs : {1, 2, 3, 4, 6, 8}) {
    Boost boost{.runs = runs, .held_out = runs == 1 ? 0 : setting.rows / 8};
    Setting part = setting;
    part.rows = (setting.rows - boost.held_out) / runs;
    if (part.rows < 2) break;
    boost.planned = best_chain(part, budget, 0, options);
    if (runs > 1) boost.score = score_error(setting, boost.held_out, runs, budget, options.failure_probability / 2);
    boost.excess_risk = boosted(boost.planned.excess_risk(), boost, options.failure_probability);
    if (boost.excess_risk < best.excess_risk) best = std::move(boost);
    if (!setting.generalised_linear && !setting.given.value) break;  // nothing to select by
  }
  return best;
}

Result<LocalizedPlan> likely_plan(const Setting& setting, ApproxDp budget, Gdp mu, const Options& options) {
  const double failure = options.failure_probability;
  Planned majority = best_chain(setting, mu, failure, options);
  Boost boost = best_boost(setting, mu, options);
  if (majority.excess_risk() <= boost.excess_risk) {
    TAILCOAT_CHECK(certify(majority, budget));
    return plan_of(setting, majority, failure);
  }
  TAILCOAT_CHECK(certify(boost.planned, budget));
  LocalizedPlan plan = plan_of(setting, boost.planned, failure);
  const auto runs = static_cast<double>(boost.runs);
  plan.runs = boost.runs;
  plan.selection = {.rows = boost.held_out, .bound = boost.score.bound};
  plan.bound.excess_risk = boosted(boost.planned.excess_risk(), boost, failure);
  const double selecting = static_cast<double>(boost.held_out) / static_cast<double>(setting.rows);
  plan.work.sample_gradients = plan.work.sample_gradients * runs + static_cast<double>(boost.held_out);
  plan.work.passes = plan.work.passes * runs + selecting;
  plan.work.wanted_passes = plan.work.wanted_passes * runs + selecting;
  return plan;
}

}  // namespace

Result<LocalizedPlan> tight_plan(const Setting& setting, ApproxDp budget, const Options& options) {
  TAILCOAT_TRY(ideal, ideal_budget(budget));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  if (options.failure_probability > 0) return likely_plan(setting, ideal, mu, options);
  Planned planned = best_chain(setting, mu, 0, options);
  TAILCOAT_CHECK(certify(planned, ideal));
  return plan_of(setting, planned, 0);
}

}  // namespace tailcoat
