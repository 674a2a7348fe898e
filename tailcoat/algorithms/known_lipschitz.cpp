#include "tailcoat/algorithms/known_lipschitz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/mechanisms/gaussian_release.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {
namespace {

// How often the search for a minimiser visits each sample: seen, not proved; it ends when its certificate holds.
constexpr double kUsualEpochs = 100;

// In units of C / modulus: for noise of standard deviation `noise` and a point within `miss`.
PhaseError release_error(const Setting& setting, double noise, double miss) {
  return {.noise = static_cast<double>(setting.dimension) * noise * noise + miss * miss};
}

// A minimiser certified to a share of 2 C / (modulus n), with noise for its sensitivity.
ErrorForRows certified_error(const Setting& setting, Gdp budget) {
  return [&setting, budget](std::size_t rows) {
    const double pull = 2 / static_cast<double>(rows), miss = 1.02 * kMinimiserShare * pull;
    return release_error(setting, (pull + 2 * miss) / budget.mu, miss);
  };
}

}  // namespace

Result<ErmPlan> plan_known_lipschitz(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_TRY(mu, check_known_lipschitz(setting, budget));
  const ErrorForRows error_for = certified_error(setting, mu);
  ErmPlan plan = options.constants == Constants::paper ? stated_erm_phases(setting, mu, error_for)
                                                       : tuned_erm_phases(setting, error_for);
  plan.work = {.sample_gradients = kUsualEpochs * static_cast<double>(setting.rows),
               .passes = kUsualEpochs,
               .wanted_passes = kUsualEpochs,
               .fixed = false};
  return plan;
}

Result<Solution> known_lipschitz(RunContext run, const Problem& problem, const Moments& moments, const Budget& budget,
                                 const Options& options) {
  const Setting setting = setting_of(problem, moments);
  TAILCOAT_TRY(plan, plan_known_lipschitz(setting, budget, options));
  TAILCOAT_TRY(meter, open_meter(budget));
  TAILCOAT_TRY(meters, meter.split(plan.phases.size(), meter.total()));
  std::vector<double> x(problem.domain.centre().begin(), problem.domain.centre().end());
  std::size_t first = 0;
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    ErmPhase& phase = plan.phases[i];
    const Samples fresh = problem.samples.block(first, phase.rows);
    const Minimisation minimisation{.lipschitz = plan.clip,
                                    .weight = phase.weight,
                                    .smoothness = problem.smoothness,
                                    .strong_convexity = problem.strong_convexity};
    TAILCOAT_TRY(minimiser, run.engine.minimiser(fresh, problem.domain, x, minimisation, meters[i].total()));
    // Where floating point has made the certificate coarser than planned, the bound says so.
    const double modulus = phase.weight + problem.strong_convexity, unit = plan.clip / modulus;
    const double moved = minimiser.sensitivity * minimiser.unit / unit, pull = 2 / static_cast<double>(phase.rows);
    const double miss = std::max(1.02 * kMinimiserShare * pull, (moved - pull) / 2);
    phase.error = release_error(setting, kGaussianScale * minimiser.unit / unit, miss);

    TAILCOAT_TRY(noisy, gaussian_release(fmt::format("minimiser of phase {}", i + 1), std::move(minimiser),
                                         {meters[i], run.noise}));
    TAILCOAT_TRY(next, moved_within(problem.domain, x, noisy));
    x = std::move(next);
    first += phase.rows;
  }
  meter.join(std::move(meters));
  return Solution{.x = std::move(x),
                  .receipt = meter.receipt(),
                  .work = plan.work,
                  .certified = {.excess_risk = erm_bound(setting, plan.clip, plan.phases)}};
}

}  // namespace tailcoat
