#include "tailcoat/algorithms/localized_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tailcoat/algorithms/aggregate.hpp"
#include "tailcoat/algorithms/localization.hpp"
#include "tailcoat/algorithms/noisy_gradients.hpp"
#include "tailcoat/algorithms/phases.hpp"
#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/algorithms/tuning.hpp"

namespace tailcoat {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of one phase, where its solves read their samples in parts.
constexpr std::size_t kMostReleases = std::size_t{1} << 17;

// How many solves to aggregate, and how unlikely each of them may be far off.
struct Copies {
  std::size_t count;
  double far_probability;
};

// The numbers of solves to choose from: odd, since a majority of J + 1 needs no fewer than one of J.
std::vector<Copies> choices(std::size_t rows, double failure) {
  std::vector<Copies> list;
  for (std::size_t count = 1; count <= rows / 2 && count < 200; count += count < 9 ? 2 : count / 8 * 2) {
    const double far = far_probability(count, failure);
    if (far > 2 * kOverdrawn) list.push_back({count, far});
  }
  return list;
}

// sqrt(E |x - x*_i|^2) lambda_i for one solve on `rows` samples.
double solve_spread(const Setting& setting, std::size_t rows, Gdp budget, ClippedDescent descent, double reach) {
  descent.lambda = 1;
  rows = rows / descent.batches * descent.batches;  // the rest is in no part
  const double g = setting.generalised_linear ? std::min(setting.moments.g2, descent.clip) : setting.moments.g2;
  return solver_distance(setting, rows, reach, budget, descent) + g / std::sqrt(static_cast<double>(rows));
}

LocalizedPhase tight_phase(const Setting& setting, std::size_t rows, Gdp budget, const Options& options, double clip,
                           const std::vector<Copies>& choices, const std::vector<ClippedDescent>& capped) {
  LocalizedPhase best;
  best.spread = kInfinity;
  for (const auto [count, far] : choices) {
    LocalizedPhase phase{.copies = count, .rows = rows / count};
    // More than 16 m steps leave the error of optimising below half of the statistical one.
    phase.wanted_steps =
        std::min(useful_steps(setting, phase.rows, budget, clip), 16 * static_cast<double>(phase.rows));
    const auto try_schedule = [&](ClippedDescent schedule) {
      schedule.clip = clip;
      const double spread = aggregation_factor(count) / std::sqrt(far - kOverdrawn) *
                            solve_spread(setting, phase.rows, budget, schedule, kInfinity);
      if (!(spread < best.spread)) return;
      best = phase;
      best.descent = schedule;
      best.spread = spread;
    };
    const std::size_t passes = allowed_steps(phase.wanted_steps, options);
    try_schedule({.steps = passes, .uses = passes});
    if (static_cast<double>(passes) >= phase.wanted_steps) continue;
    for (const ClippedDescent& schedule : capped)
      if (schedule.batches <= phase.rows && schedule.steps * count <= kMostReleases) try_schedule(schedule);
  }
  return best;
}

// Fills in the best lambdas, and returns the bound.
double localize(const Setting& setting, std::vector<LocalizedPhase>& phases) {
  std::vector<double> spreads;
  for (const LocalizedPhase& phase : phases) spreads.push_back(phase.spread);
  const double g2 = setting.moments.g2, start = std::max(setting.start_distance, 1e-100);
  const std::vector<double> lambdas = best_lambdas(spreads, start, g2);
  for (std::size_t i = 0; i < phases.size(); ++i) phases[i].descent.lambda = lambdas[i];
  return localization_bound(lambdas, spreads, start, g2);
}

// The phases get shares of the probability to fail that sum to 1: the same for all, or halved from phase to phase.
std::vector<double> failure_shares(std::size_t phases, bool halved) {
  std::vector<double> shares(phases, 1.0);
  for (std::size_t i = 1; i < phases && halved; ++i) shares[i] = shares[i - 1] / 2;
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

PlannedStage tight_stage_of(const Setting& setting, Gdp budget, const Options& options,
                            const std::vector<ClippedDescent>& capped, const std::vector<std::size_t>& sizes,
                            bool halved) {
  const std::vector<double> shares = failure_shares(sizes.size(), halved);
  std::vector<std::vector<Copies>> copies;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    copies.push_back(choices(sizes[i], options.failure_probability * shares[i]));
  PlannedStage plan;
  const auto plan_at = [&](double clip) {
    plan.stage.phases.clear();
    for (std::size_t i = 0; i < sizes.size(); ++i)
      plan.stage.phases.push_back(tight_phase(setting, sizes[i], budget, options, clip, copies[i], capped));
    const double bias = setting.generalised_linear ? clip_bias(setting.moments, clip) * setting.diameter : 0;
    plan.excess_risk = localize(setting, plan.stage.phases) + bias;
    return plan.excess_risk;
  };
  double log_clip = std::log(setting.moments.gk);
  minimise_posynomial([&](std::span<const double> logs) { return plan_at(std::exp(logs[0])); }, {&log_clip, 1});
  plan_at(std::exp(log_clip));
  return plan;
}

double text_copies(double phases, double failure) { return std::ceil(400 * std::log(phases / failure)); }

// The text says "smaller than polylog(n)".
bool small_odds(double rows, double failure) { return 1 / failure <= std::log(rows) * std::log(rows); }

// J_i and m_i of the text. For 1/delta beyond polylog(n) one J and m a power of two; else J_i for delta / 2^i.
std::vector<LocalizedPhase> text_sizes(std::size_t rows, double failure) {
  const auto n = static_cast<double>(rows);
  std::vector<LocalizedPhase> phases;
  const auto add = [&](double copies, double m) {
    if (!(m >= 2)) return false;  // E19, E20
    phases.push_back({.copies = static_cast<std::size_t>(copies), .rows = static_cast<std::size_t>(m)});
    return true;
  };
  const double all = std::floor(std::log2(n));
  if (small_odds(n, failure)) {
    for (double i = 1; i <= all; ++i) {
      const double copies = text_copies(all, failure / std::exp2(i));
      if (!add(copies, std::floor(n / (std::exp2(i) * copies)))) break;
    }
    return phases;
  }
  for (double count = all; count >= 1; --count) {
    const double copies = text_copies(count, failure);
    if (std::floor(std::log2(n / copies)) < count) continue;
    for (double i = 1; i <= count; ++i)
      if (!add(copies, std::exp2(count - i))) break;
    break;
  }
  return phases;
}

// The least n for which text_sizes has a phase, for rows that are too few. J may grow with n, hence the loop.
double rows_for_text(std::size_t rows, double failure) {
  auto n = static_cast<double>(std::max<std::size_t>(rows, 2));
  while (text_sizes(static_cast<std::size_t>(n), failure).empty())
    n = 4 * (small_odds(n, failure) ? text_copies(std::floor(std::log2(n)), failure / 2) : text_copies(2, failure));
  return n;
}

}  // namespace

PlannedStage tight_stage(const Setting& setting, Gdp budget, const Options& options) {
  const std::vector<ClippedDescent> capped = schedules(kInfinity, options);
  PlannedStage best;
  std::size_t best_count = 1;
  for (std::size_t count = 1; count <= best_count + 1 && (setting.rows >> count) >= 1; ++count) {
    for (const double ratio : {0.35, 0.5, 0.65}) {
      const std::vector<std::size_t> sizes = phase_sizes(setting.rows, count, ratio);
      if (*std::ranges::min_element(sizes) < 2) continue;
      for (const bool halved : {false, true}) {
        PlannedStage plan = tight_stage_of(setting, budget, options, capped, sizes, halved);
        if (plan.excess_risk < best.excess_risk) {
          best = std::move(plan);
          best_count = count;
        }
      }
    }
  }
  return best;
}

Result<PlannedStage> text_stage(const Setting& original, Gdp budget, const Options& options) {
  Setting setting = original;
  setting.generalised_linear = false;  // C_i changes from phase to phase: so does the loss that clipping leaves
  const auto d = static_cast<double>(setting.dimension);
  const auto [k, g2, gk] = setting.moments;
  PlannedStage plan;
  std::vector<LocalizedPhase>& phases = plan.stage.phases;
  phases = text_sizes(setting.rows, options.failure_probability);
  if (phases.empty())
    return refusal(fmt::format(
        "the text's J = 400 ln(I/delta) makes {} solves on at least 2 samples each in a phase of at most n/2 "
        "samples: n >= {}, and there are {} rows; use constants = tight",
        rows_for_text(setting.rows, options.failure_probability) / 4,
        rows_for_text(setting.rows, options.failure_probability), setting.rows));
  // C_rp = sqrt(640): clipped_dp_sgd.md, "The text's constants".
  const double m = 2 * static_cast<double>(phases[0].rows), c_rp = std::sqrt(640);
  const double delta =
      3 * c_rp * (gk * std::pow(std::sqrt(d) / (m * std::sqrt(rho_of(budget))), 1 - 1 / k) + g2 / std::sqrt(m));
  const double lambda = std::sqrt(2 * g2 * delta / std::pow(8, phases.size()) + delta * delta / 2) / setting.diameter;
  std::vector<double> lambdas, spreads;
  double growth = 1, regularisation = lambda;
  for (LocalizedPhase& phase : phases) {
    growth *= 4;
    regularisation *= 32;
    phase.wanted_steps = text_steps(setting, phase.rows, budget);
    phase.descent = {.rule = Constants::paper,
                     .clip = text_clip(setting, phase.rows, budget),
                     .lambda = regularisation,
                     .steps = allowed_steps(phase.wanted_steps, options)};
    phase.descent.uses = phase.descent.steps;
    // Markov: 4/5 for the solver, 0.95 for the distance of the empirical minimiser (E15). Fewer steps than the text's
    // may need a larger R.
    const double solver = solver_distance(setting, phase.rows, 2 * g2 / regularisation, budget, phase.descent);
    const double near = std::sqrt(5) * regularisation * solver + 4.48 * g2 / std::sqrt(static_cast<double>(phase.rows));
    phase.spread = std::max(delta * growth, 3 * near);
    lambdas.push_back(regularisation);
    spreads.push_back(phase.spread);
  }
  plan.excess_risk = localization_bound(lambdas, spreads, setting.start_distance, g2);
  return plan;
}

}  // namespace tailcoat
