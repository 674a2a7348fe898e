#include "tailcoat/algorithms/localized_chain.hpp"

#include <algorithm>
#include <cmath>
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
// C / sigma of a step: of many steps the noise is 3, 8, 22 and 75 % more than without sampling, for batches that are
// smaller and smaller. The first is taken unless passes are short (sampled_descent.md).
constexpr double kRatios[] = {0.8, 1, 1.3, 1.8};
constexpr double kMostSteps = 64;     // per row of a phase; c_1 falls by 2 % beyond (localized.md)
constexpr double kStepCost = 12;      // of a step, in rows read
constexpr double kGoodEnough = 1.05;  // of the least bound found: the cheapest plan below that is taken

double batch_of(const LocalizedPhase& phase) { return phase.descent.event.rate * static_cast<double>(phase.rows); }

double steps_of(const LocalizedPhase& phase) {
  return static_cast<double>(phase.copies) * static_cast<double>(phase.descent.event.steps);
}

// How the solves of a chain take their steps.
struct StepRule {
  double steps;  // per row
  double ratio;  // C / sigma
};

// A solve on m rows whose price is about the budget: as many steps as asked for, but with a row per batch.
SampledGaussianEvent event_for(const ChainSearch& search, std::size_t rows, StepRule rule) {
  const double m = static_cast<double>(rows), mu = search.budget.mu, most = std::pow(m * mu / (2 * rule.ratio), 2);
  const double steps = std::max(1.0, std::floor(std::min(rule.steps * m, most)));
  SampledGaussianEvent event{.rate = 1, .ratio = rule.ratio, .steps = static_cast<std::size_t>(steps)};
  const double of_all_rows = mu / (2 * std::sqrt(steps));
  if (of_all_rows >= rule.ratio) {
    event.ratio = of_all_rows;
  } else {
    event.rate = (*search.rates)(rule.ratio, steps);
  }
  return event;
}

// In the chain through empirical minimisers a phase costs g^2 / m; in that through population minimisers its spread
// grows, by Markov's inequality for each of its solves and by aggregating them.
ChainPhase chain_phase(const ChainSearch& search, const LocalizedPhase& phase, double clip, double failure) {
  const double slope = clipped_slope(search.setting, clip), m = static_cast<double>(phase.rows);
  const double spread = sampled_spread(search.setting, phase.rows, clip, phase.descent.event);
  if (failure == 0) return {.spread = spread, .cost = slope * slope / m};
  const double far_chance = far_probability(phase.copies, failure);
  return {.spread = aggregation_factor(phase.copies) / std::sqrt(far_chance) * (spread + slope / std::sqrt(m))};
}

// What clipping the losses of a GLM costs beside an error for the clipped ones: b times the distance from x*, which is
// at most the diameter, and where F grows at most (e / alpha)^(1/theta).
double with_clip_bias(const ChainSearch& search, double error, double clip) {
  if (!search.setting.generalised_linear) return error;
  const double slope = clip_bias(search.setting.moments, clip);
  double all = error + slope * search.setting.diameter;
  if (search.growth.modulus == 0) return all;
  for (int i = 0; i < 60; ++i)
    all = std::min(all, error + slope * std::pow(all / search.growth.modulus, 1 / search.growth.exponent));
  return all;
}

}  // namespace

double LocalizedChain::rows_read() const {
  double sum = 0;
  for (const LocalizedPhase& phase : phases) sum += steps_of(phase) * batch_of(phase);
  return sum;
}

double LocalizedChain::cost() const {
  double sum = 0;
  for (const LocalizedPhase& phase : phases) sum += steps_of(phase) * (batch_of(phase) + kStepCost);
  return sum;
}

LocalizedChain with_clip(const ChainSearch& search, std::vector<LocalizedPhase> phases, double clip) {
  LocalizedChain chain{.phases = std::move(phases), .clip = clip};
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

namespace {

// A clip for which the bound is about least. Any clip gives a bound that holds.
LocalizedChain with_best_clip(const ChainSearch& search, const std::vector<LocalizedPhase>& phases) {
  const double gk = std::log(search.setting.moments.gk);
  const double log_clip = least_of_unimodal(
      [&](double log) { return with_clip(search, phases, std::exp(log)).excess_risk; }, gk - 3, gk + 12, 3e-2);
  return with_clip(search, phases, std::exp(log_clip));
}

// The number of solves for a phase of so many rows that have the least spread, at a usual clip.
LocalizedPhase phase_for(const ChainSearch& search, std::size_t rows, StepRule rule, double failure) {
  const auto with_copies = [&](std::size_t copies) {
    const std::size_t each = rows / copies;
    return LocalizedPhase{.copies = copies, .rows = each, .descent = {.event = event_for(search, each, rule)}};
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
void add_chains(const ChainSearch& search, double ratio_of_steps, double most_rows, std::vector<LocalizedChain>& list) {
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
const LocalizedChain& cheapest_good(const std::vector<LocalizedChain>& list, double most_rows) {
  const auto by_cost = [](const LocalizedChain& a, const LocalizedChain& b) { return a.cost() < b.cost(); };
  double least = kInfinity;
  for (const LocalizedChain& chain : list)
    if (chain.rows_read() <= most_rows) least = std::min(least, chain.excess_risk);
  const LocalizedChain* best = nullptr;
  for (const LocalizedChain& chain : list)
    if (chain.rows_read() <= most_rows && chain.excess_risk <= kGoodEnough * least &&
        (best == nullptr || by_cost(chain, *best)))
      best = &chain;
  return best != nullptr ? *best : *std::ranges::min_element(list, by_cost);
}

}  // namespace

ChosenChain cheapest_good_chain(const ChainSearch& search, double max_passes) {
  const double most_rows = max_passes * static_cast<double>(search.setting.rows);
  std::vector<LocalizedChain> list;
  add_chains(search, kRatios[0], most_rows, list);
  const LocalizedChain wanted = cheapest_good(list, kInfinity);
  if (wanted.rows_read() <= most_rows) return {wanted};
  for (const double ratio : std::span(kRatios).subspan(1)) add_chains(search, ratio, most_rows, list);
  LocalizedChain chosen = cheapest_good(list, most_rows);
  return {.chain = chosen, .kept_from = std::max(wanted.rows_read() - chosen.rows_read(), 0.0)};
}

}  // namespace tailcoat
