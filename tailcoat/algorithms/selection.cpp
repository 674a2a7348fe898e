#include "tailcoat/algorithms/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/algorithms/tuning.hpp"
#include "tailcoat/mechanisms/clipped_mean.hpp"

namespace tailcoat {

ScoreError score_error(const Setting& setting, std::size_t rows, std::size_t candidates, Gdp budget, double failure) {
  const auto n = static_cast<double>(rows), j = static_cast<double>(candidates);
  const double r = setting.start_distance, log_odds = std::log(3 * j / failure);
  // Differences of losses have r times the moments of the Lipschitz constants.
  const Moments moments{setting.moments.k, setting.moments.g2 * r, setting.moments.gk * r};
  const auto error_at = [&](double log_bound) {
    const double bound = std::exp(log_bound), noise = 2 * bound * std::sqrt(j) / (n * budget.mu);
    return clip_bias(moments, bound) + std::sqrt(2 * clipped_second_moment(moments, bound) * log_odds / n) +
           2 * bound * log_odds / (3 * n) + noise * std::sqrt(2 * log_odds);
  };
  const double gk = std::log(moments.gk), best = least_of_unimodal(error_at, gk - 3, gk + 12, 1e-2);
  return {.bound = std::exp(best), .error = error_at(best)};
}

Result<std::size_t> select_best(RunContext run, const Samples& held_out, std::span<const double> centre,
                                const std::vector<std::vector<double>>& candidates, double bound, PrivacyMeter& meter) {
  const Gdp cost = meter.share(1 / static_cast<double>(candidates.size()));
  std::vector<double> scores;
  for (std::size_t j = 0; j < candidates.size(); ++j) {
    TAILCOAT_TRY(differences, run.engine.loss_differences(held_out, candidates[j], centre));
    TAILCOAT_TRY(score, clipped_mean(run.engine, differences, bound, fmt::format("score of run {}", j + 1), cost,
                                     {meter, run.noise}));
    scores.push_back(score[0]);
  }
  return static_cast<std::size_t>(std::ranges::min_element(scores) - scores.begin());
}

}  // namespace tailcoat
