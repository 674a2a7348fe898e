#include "tailcoat/algorithms/phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/algorithms/tuning.hpp"
#include "tailcoat/mechanisms/gaussian_release.hpp"

namespace tailcoat {

std::vector<std::size_t> phase_sizes(std::size_t rows, std::size_t phases, double ratio) {
  std::vector<std::size_t> sizes;
  std::size_t left = rows;
  for (std::size_t i = 1; i < phases; ++i) {
    sizes.push_back(static_cast<std::size_t>(static_cast<double>(left) * (1 - ratio)));
    left -= sizes.back();
  }
  sizes.push_back(left);
  return sizes;
}

double phased_bound(const Setting& setting, Gdp budget, const std::vector<Phase>& phases, double bias) {
  const Moments& moments = setting.moments;
  const double d = static_cast<double>(setting.dimension);
  double bound = bias * setting.diameter;
  double v = setting.start_distance * setting.start_distance;
  for (const Phase& phase : phases) {
    const double eta = phase.pass.step, noise = 2 * eta * phase.pass.clip / budget.mu;
    const double square = moments.k < 2 ? clipped_second_moment(moments, phase.pass.clip) : moments.g2 * moments.g2;
    bound += v / (2 * eta * static_cast<double>(phase.rows)) + eta * square / 2;
    v = d * noise * noise;
  }
  return bound + mean_slope(moments) * std::sqrt(v);
}

namespace {

struct Tuning {
  StepRule rule = StepRule::implicit;
  double largest_step = std::numeric_limits<double>::infinity();
  double fixed_clip = 0;  // 0: tuned, its bias counts
};

PhasedPlan tuned_for(const Setting& setting, Gdp budget, const Tuning& tuning, const std::vector<std::size_t>& sizes) {
  // log eta_1, ..., log eta_I, and log C if it is tuned.
  const bool free_clip = tuning.fixed_clip == 0;
  const auto phases_at = [&](std::span<const double> logs) {
    const double clip = free_clip ? std::exp(logs.back()) : tuning.fixed_clip;
    std::vector<Phase> phases;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      phases.push_back({sizes[i], {.rule = tuning.rule, .step = std::exp(logs[i]), .clip = clip}});
    return phases;
  };
  const auto bound_at = [&](std::span<const double> logs) {
    const std::vector<Phase> phases = phases_at(logs);
    for (const Phase& phase : phases)
      if (phase.pass.step > tuning.largest_step) return std::numeric_limits<double>::infinity();
    return phased_bound(setting, budget, phases, free_clip ? clip_bias(setting.moments, phases[0].pass.clip) : 0);
  };
  const auto n = static_cast<double>(setting.rows);
  const double first =
      std::min(setting.diameter / (mean_slope(setting.moments) * std::sqrt(n)), tuning.largest_step / 2);
  std::vector<double> logs;
  for (std::size_t i = 0; i < sizes.size(); ++i) logs.push_back(std::log(first) - static_cast<double>(i) * std::log(4));
  if (free_clip) logs.push_back(std::log(setting.moments.gk));
  PhasedPlan plan;
  plan.bound.excess_risk = minimise_posynomial(bound_at, logs);
  plan.phases = phases_at(logs);
  plan.work = {.sample_gradients = n, .passes = 1, .wanted_passes = 1};
  return plan;
}

}  // namespace

PhasedPlan tuned_phases(const Setting& setting, Gdp budget, StepRule rule, double largest_step) {
  const Tuning tuning{.rule = rule, .largest_step = largest_step};
  PhasedPlan best;
  for (std::size_t phases = 1; phases <= 8; ++phases) {
    for (const double ratio : {0.35, 0.5, 0.65}) {
      const std::vector<std::size_t> sizes = phase_sizes(setting.rows, phases, ratio);
      if (*std::min_element(sizes.begin(), sizes.end()) < 2) continue;
      PhasedPlan plan = tuned_for(setting, budget, tuning, sizes);
      if (plan.bound.excess_risk < best.bound.excess_risk) best = std::move(plan);
    }
  }
  return best;
}

PhasedPlan tuned_steps(const Setting& setting, Gdp budget, const std::vector<std::size_t>& sizes, double clip) {
  return tuned_for(setting, budget, {.fixed_clip = clip}, sizes);
}

Result<std::vector<double>> run_phases(RunContext run, const Problem& problem, const std::vector<Phase>& phases,
                                       Gdp budget, PrivacyMeter& meter) {
  TAILCOAT_TRY(meters, meter.split(phases.size(), budget));
  std::vector<double> x(problem.domain.centre().begin(), problem.domain.centre().end());
  std::size_t first = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const Samples fresh = problem.samples.block(first, phases[i].rows);
    TAILCOAT_TRY(average, run.engine.one_pass_average(fresh, problem.domain, x, phases[i].pass, meters[i].total()));
    TAILCOAT_TRY(
        noisy, gaussian_release(fmt::format("average of phase {}", i + 1), std::move(average), {meters[i], run.noise}));
    TAILCOAT_TRY(next, moved_within(problem.domain, x, noisy));
    x = std::move(next);
    first += phases[i].rows;
  }
  meter.join(std::move(meters));
  return x;
}

}  // namespace tailcoat
