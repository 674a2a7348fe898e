#include "tailcoat/algorithms/localized_stages.hpp"

#include <algorithm>
#include <cmath>

#include "tailcoat/privacy/sampled_gaussian.hpp"

namespace tailcoat {
namespace {

// How far from x* a point of the domain with so little excess risk is: F(x) - F(x*) >= alpha |x - x*|^theta.
double distance_within(const ChainSearch& search, double excess_risk) {
  return std::min(std::pow(excess_risk / search.growth.modulus, 1 / search.growth.exponent), search.setting.diameter);
}

// Chains on fresh rows, so many in each stage.
LocalizedStages in_stages(const ChainSearch& search, double max_passes, const std::vector<std::size_t>& sizes) {
  LocalizedStages stages;
  double start = search.setting.start_distance;
  for (const std::size_t rows : sizes) {
    ChainSearch stage = search;
    stage.setting.rows = rows;
    stage.setting.start_distance = start;
    stage.failure = search.failure / static_cast<double>(sizes.size());
    ChosenChain chosen = cheapest_good_chain(stage, max_passes);
    stages.chains.push_back(std::move(chosen.chain));
    stages.searches.push_back(stage);
    stages.kept_from += chosen.kept_from;
    if (search.growth.modulus > 0) start = distance_within(search, stages.excess_risk());
  }
  return stages;
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

LocalizedStages keep_better(LocalizedStages one, LocalizedStages other) {
  return other.excess_risk() < one.excess_risk() ? other : one;
}

// One stage, or where F grows several.
LocalizedStages with_growth(const ChainSearch& search, double max_passes) {
  LocalizedStages best = in_stages(search, max_passes, {search.setting.rows});
  if (search.growth.modulus == 0) return best;
  for (std::size_t count = 2; count <= 4; ++count) {
    for (const double growth : {2.0, 4.0}) {
      const std::vector<std::size_t> sizes = growing_stages(search.setting.rows, count, growth);
      if (sizes[0] >= 2) best = keep_better(std::move(best), in_stages(search, max_passes, sizes));
    }
  }
  return best;
}

// A GLM by the proof for any loss, which pays for the clip in each phase and not by the diameter. Needs a second
// moment.
LocalizedStages as_any_loss(ChainSearch search, double max_passes) {
  search.setting.generalised_linear = false;
  return with_growth(search, max_passes);
}

// Sample functions that are strongly convex themselves, which no GLM has: one chain, whose steps know that.
LocalizedStages with_strongly_convex_samples(ChainSearch search, double max_passes) {
  search.modulus = search.setting.strong_convexity;
  return in_stages(search, max_passes, {search.setting.rows});
}

}  // namespace

LocalizedStages best_stages(const Setting& setting, Gdp budget, const SamplingRates& rates, double failure,
                            double max_passes) {
  ChainSearch search{
      .setting = setting, .budget = budget, .rates = &rates, .failure = failure, .growth = growth_of(setting)};
  search.setting.start_distance = start_distance_of(setting);
  LocalizedStages best = with_growth(search, max_passes);
  const bool glm = setting.generalised_linear;
  if (glm && setting.moments.k >= 2) best = keep_better(std::move(best), as_any_loss(search, max_passes));
  if (!glm && failure == 0 && setting.strong_convexity > 0)
    best = keep_better(std::move(best), with_strongly_convex_samples(search, max_passes));
  return best;
}

Result<void> certify(LocalizedStages& stages, ApproxDp budget) {
  double start = stages.searches[0].setting.start_distance;
  for (std::size_t j = 0; j < stages.chains.size(); ++j) {
    ChainSearch& search = stages.searches[j];
    LocalizedChain& chain = stages.chains[j];
    search.setting.start_distance = start;
    for (LocalizedPhase& phase : chain.phases) {
      SampledGaussianEvent& event = phase.descent.event;
      TAILCOAT_TRY(rate, largest_sampling_rate(budget, event.ratio, event.steps, event.rate));
      event.rate = rate;
    }
    chain = with_clip(search, chain.phases, chain.clip);
    if (search.growth.modulus > 0) start = distance_within(search, chain.excess_risk);
  }
  return {};
}

}  // namespace tailcoat
