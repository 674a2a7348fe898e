#include "tailcoat/algorithms/implicit_glm_adaptive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/mechanisms/gaussian_release.hpp"
#include "tailcoat/mechanisms/quantile.hpp"

namespace tailcoat {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRowsToClip = 600;     // times sqrt(d) / mu: how many rows the clip may touch (the .md says why)
constexpr double kLargestShare = 0.75;  // of the rows, however few there are
constexpr double kRankMargin = 8;       // the rank of the quantile, in standard deviations of its noise
constexpr double kMostScaleRows = 0.2;  // of a phase
constexpr double kMomentOverMedian = 1.25;
constexpr double kStepFactor = 0.6;  // of the steps that the worst-case bound asks for
constexpr int kPrecision = 4;        // fraction bits of the quantiles: 6 %

QuantileSearch search_for(double share_above) { return {.share_above = share_above, .precision = kPrecision}; }

struct Scale {
  double typical;  // about the root of the second moment of the clipped gradients
  double clip;
};

// From two quantiles of the gradient norms at x. No scale if nearly all gradients are zero.
Result<std::optional<Scale>> gradient_scale(RunContext run, const Samples& samples, std::span<const double> x,
                                            double share_above, PrivacyMeter& meter) {
  TAILCOAT_TRY(norms, run.engine.gradient_norms(samples, x));
  const auto exceeded_by = [&](double share) {
    return column_spreads(run.engine, norms, std::vector<double>{0}, search_for(share), meter.share(0.5),
                          {meter, run.noise});
  };
  TAILCOAT_TRY(clip, exceeded_by(share_above));
  TAILCOAT_TRY(median, exceeded_by(0.5));
  if (clip[0] <= 0) return std::optional<Scale>();
  const double typical = median[0] > 0 ? std::min(kMomentOverMedian * median[0], clip[0]) : clip[0];
  return std::optional(Scale{typical, clip[0]});
}

std::vector<std::size_t> pass_sizes(const AdaptivePlan& plan) {
  std::vector<std::size_t> sizes;
  for (const AdaptivePhase& phase : plan.phases) sizes.push_back(phase.rows);
  return sizes;
}

}  // namespace

Result<AdaptivePlan> plan_implicit_glm_adaptive(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_CHECK(check(setting));
  TAILCOAT_TRY(mu, gaussian_budget(budget));
  if (options.constants == Constants::paper)
    return usage_error("implicit-glm-adaptive is not in the paper: it has constants = tight only");
  const auto n = static_cast<double>(setting.rows), d = static_cast<double>(setting.dimension);
  AdaptivePlan plan;
  plan.share_above = std::min(kLargestShare, kRowsToClip * std::sqrt(d) / (mu.mu * n));
  const double rank_noise = quantile_rank_noise(1, search_for(plan.share_above), Gdp{mu.mu / std::sqrt(2)});
  const double scale_rows = std::ceil(kRankMargin * rank_noise / plan.share_above);
  const Setting bounded{setting.rows, setting.dimension, setting.diameter, setting.start_distance, {1000, 1, 1}};
  for (const Phase& phase : tuned_phases(bounded, mu, StepRule::implicit, kInfinity).phases) {
    const bool estimate = scale_rows <= kMostScaleRows * static_cast<double>(phase.rows);
    const std::size_t aside = estimate ? static_cast<std::size_t>(scale_rows) : 0;
    plan.phases.push_back({.scale_rows = aside, .rows = phase.rows - aside});
  }
  if (plan.phases.empty() || plan.phases[0].scale_rows == 0)
    return refusal(
        fmt::format("implicit-glm-adaptive needs {:.0f} rows to find a scale with mu = {:.4g}, and may use "
                    "{:.0f} of {}; give a larger budget, more rows, or use implicit-glm",
                    scale_rows, mu.mu, kMostScaleRows * n / 2, setting.rows));
  plan.bound.excess_risk = setting.moments.g2 * setting.diameter;  // the clip is not known yet
  plan.work = {.sample_gradients = n, .passes = 1, .wanted_passes = 1};
  return plan;
}

Result<Solution> implicit_glm_adaptive(RunContext run, const Problem& problem, const Moments& moments,
                                       const Budget& budget, const Options& options) {
  if (problem.samples.glm_loss() == nullptr)
    return usage_error("implicit-glm-adaptive is for generalised linear models");
  const Setting setting = setting_of(problem, moments);
  TAILCOAT_TRY(plan, plan_implicit_glm_adaptive(setting, budget, options));
  TAILCOAT_TRY(meter, open_meter(budget));
  TAILCOAT_TRY(meters, meter.split(2 * plan.phases.size(), meter.total()));

  std::vector<double> x(problem.domain.centre().begin(), problem.domain.centre().end());
  std::vector<Phase> phases, done;
  double bias = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const auto [scale_rows, rows] = plan.phases[i];
    if (scale_rows > 0) {
      TAILCOAT_TRY(found,
                   gradient_scale(run, problem.samples.block(first, scale_rows), x, plan.share_above, meters[2 * i]));
      const Scale scale = found.value_or(Scale{moments.g2, moments.gk});
      Setting scaled = setting;
      scaled.moments.g2 = scale.typical;
      phases = tuned_steps(scaled, meters[0].total(), pass_sizes(plan), scale.clip).phases;
      for (Phase& phase : phases) phase.pass.step *= kStepFactor;
    }
    const Samples fresh = problem.samples.block(first + scale_rows, rows);
    const Phase& phase = phases[i];
    PrivacyMeter& pays = meters[2 * i + 1];
    TAILCOAT_TRY(average, run.engine.one_pass_average(fresh, problem.domain, x, phase.pass, pays.total()));
    TAILCOAT_TRY(noisy,
                 gaussian_release(fmt::format("average of phase {}", i + 1), std::move(average), {pays, run.noise}));
    TAILCOAT_TRY(next, moved_within(problem.domain, x, noisy));
    x = std::move(next);
    done.push_back(phase);
    bias += clip_bias(moments, phase.pass.clip);  // clips differ between phases: each pays its own
    first += scale_rows + rows;
  }
  const Gdp spent = meters[0].total();
  meter.join(std::move(meters));
  const double bound = std::min(phased_bound(setting, spent, done, bias), plan.bound.excess_risk);
  return Solution{.x = std::move(x), .receipt = meter.receipt(), .work = plan.work, .certified = {bound}};
}

}  // namespace tailcoat
