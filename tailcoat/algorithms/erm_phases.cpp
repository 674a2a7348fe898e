#include "tailcoat/algorithms/erm_phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tailcoat/algorithms/localization.hpp"
#include "tailcoat/algorithms/phases.hpp"
#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/algorithms/tuning.hpp"

namespace tailcoat {
namespace {

// With strong convexity the dummy (mu / 2) |x - x_0|^2 has to be C-Lipschitz, too (E8). In a ball or a box no sample is
// less steep than that, so a smaller C would leave out all of them.
double least_clip(const Setting& setting) { return setting.strong_convexity * setting.start_distance; }

ErmPlan plan_of(const Setting& setting, double clip, std::vector<ErmPhase> phases) {
  ErmPlan plan;
  plan.bound.excess_risk = erm_bound(setting, clip, phases);
  plan.clip = clip;
  plan.phases = std::move(phases);
  return plan;
}

ErmPlan tuned_for(const Setting& setting, const ErrorForRows& error_for, const std::vector<std::size_t>& sizes) {
  std::vector<PhaseError> errors;
  for (const std::size_t rows : sizes) errors.push_back(error_for(rows));
  const auto phases_at = [&](std::span<const double> logs) {  // log lambda_1, ..., log lambda_I, log C
    std::vector<ErmPhase> phases;
    for (std::size_t i = 0; i < sizes.size(); ++i) phases.push_back({sizes[i], std::exp(logs[i]), errors[i]});
    return phases;
  };
  const auto bound_at = [&](std::span<const double> logs) {
    const double clip = std::exp(logs.back());
    if (clip < least_clip(setting)) return std::numeric_limits<double>::infinity();
    return erm_bound(setting, clip, phases_at(logs));
  };
  const double first = mean_slope(setting.moments) / (setting.diameter * std::sqrt(static_cast<double>(setting.rows)));
  std::vector<double> logs;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    logs.push_back(std::log(first) + static_cast<double>(i + 1) * std::log(8));
  logs.push_back(std::log(std::max(setting.moments.gk, least_clip(setting) * (1 + 1e-9))));
  minimise_posynomial(bound_at, logs);
  return plan_of(setting, std::exp(logs.back()), phases_at(logs));
}

}  // namespace

double drop_bias(const Moments& moments, double clip) {
  return moments.gk * std::pow(moments.gk / clip, moments.k - 1);
}

SteepSamples steep_samples_of(const Setting& setting) {
  return setting.generalised_linear && setting.strong_convexity == 0 ? SteepSamples::clip : SteepSamples::leave_out;
}

double erm_bound(const Setting& setting, double clip, const std::vector<ErmPhase>& phases) {
  const Moments& moments = setting.moments;
  const double square = clipped_second_moment(moments, clip), mu = setting.strong_convexity;
  double v = setting.start_distance * setting.start_distance, error = 0;
  for (const ErmPhase& phase : phases) {
    const double modulus = phase.weight + mu;
    error += distance_weight(phase.weight, mu) * v / 2 + square / (modulus * static_cast<double>(phase.rows));
    v = (phase.error.noise * clip * clip + phase.error.descent * square) / (modulus * modulus);
  }
  error += std::min(mean_slope(moments), clip) * std::sqrt(v);

  if (steep_samples_of(setting) == SteepSamples::clip) return error + clip_bias(moments, clip) * setting.diameter;
  const double bias = drop_bias(moments, clip);
  if (mu == 0) return error + bias * setting.diameter;
  // The dummy has slopes up to mu r, where a sample was left out: with probability at most (G_k / C)^k.
  const double b = bias + mu * setting.start_distance * std::pow(moments.gk / clip, moments.k);
  return error + b * std::min(setting.diameter, b / mu + std::sqrt(2 * error / mu));
}

ErmPlan tuned_erm_phases(const Setting& setting, const ErrorForRows& error_for) {
  ErmPlan best;
  for (std::size_t count = 1; count <= 8; ++count) {
    for (const double ratio : {0.35, 0.5, 0.65}) {
      const std::vector<std::size_t> sizes = phase_sizes(setting.rows, count, ratio);
      if (*std::ranges::min_element(sizes) < 2) continue;
      ErmPlan plan = tuned_for(setting, error_for, sizes);
      if (best.phases.empty() || plan.bound.excess_risk < best.bound.excess_risk) best = std::move(plan);
    }
  }
  return best;
}

ErmPlan stated_erm_phases(const Setting& setting, Gdp budget, const ErrorForRows& error_for) {
  const double n = static_cast<double>(setting.rows), d = static_cast<double>(setting.dimension);
  const auto [k, g2, gk] = setting.moments;
  const double rho = rho_of(budget), mu = setting.strong_convexity;
  const double clip = std::max(gk * std::pow(n * std::sqrt(rho / d), 1 / k), least_clip(setting));
  const double lambda = std::sqrt(2 * clip * clip * d / (n * n * rho) + g2 * g2 / (6 * n)) / setting.diameter;
  std::vector<ErmPhase> phases;
  for (int i = 1; std::ldexp(n, -i) >= 2; ++i) {
    const auto rows = static_cast<std::size_t>(std::ldexp(n, -i));
    const double weight = mu == 0 ? std::ldexp(lambda, 3 * i) : i == 1 ? 0 : std::ldexp(mu, 3 * (i - 1));
    phases.push_back({rows, weight, error_for(rows)});
  }
  return plan_of(setting, clip, std::move(phases));
}

Result<void> check_known_lipschitz(const Setting& setting, LeastOrder least) {
  TAILCOAT_CHECK(check(setting, least));
  if (setting.rows < 4)
    return refusal(fmt::format("known-lipschitz needs at least 4 rows, the data has {}", setting.rows));
  return {};
}

LeastOrder least_order_of(const Options& options) {
  return options.constants == Constants::paper ? LeastOrder::two : LeastOrder::above_one;
}

}  // namespace tailcoat
