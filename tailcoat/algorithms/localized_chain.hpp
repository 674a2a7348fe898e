// The phases of one run of `localized`: which numbers, sizes and steps of them are worth what, and the cheapest that
// are nearly the best. From public numbers alone. What a chain of phases guarantees: localization.md; the search:
// localized_plan.md.
#pragma once

#include <limits>
#include <vector>

#include "tailcoat/algorithms/sampled_descent.hpp"
#include "tailcoat/algorithms/sampling_rates.hpp"

namespace tailcoat {

// `copies` solves, each on `rows` samples of its own, aggregated; one is taken as it is.
struct LocalizedPhase {
  std::size_t copies = 1;    // J_i
  std::size_t rows = 0;      // m_i
  double weight = 0;         // lambda_i
  double convexity = 0;      // mu, of the sample functions, if the steps make use of it
  SampledDescent descent{};  // whose modulus is the sum of both
};

struct LocalizedChain {
  std::vector<LocalizedPhase> phases;
  double excess_risk = std::numeric_limits<double>::infinity();  // what they guarantee
  double clip = 0;

  [[nodiscard]] double rows_read() const;
  [[nodiscard]] double cost() const;  // in rows read: a step counts for some
};

// What all chains of a search have in common.
struct ChainSearch {
  Setting setting;
  Gdp budget;                  // about what a solve costs
  const SamplingRates* rates;  // and the rates at which it does
  double failure = 0;          // of the chain; 0: its bound is on the mean
  double modulus = 0;          // of each sample function, which goes into the steps (losses of the user's own)
  Growth growth{};             // of F; modulus 0: none known
};

// Fills in clip and weights for phases whose solves are known, and the bound.
LocalizedChain with_clip(const ChainSearch&, std::vector<LocalizedPhase> phases, double clip);

struct ChosenChain {
  LocalizedChain chain;
  double kept_from = 0;  // rows that the same rule would have read beyond these without a limit on passes
};
ChosenChain cheapest_good_chain(const ChainSearch&, double max_passes);

}  // namespace tailcoat
