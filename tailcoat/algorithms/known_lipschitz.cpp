#include "tailcoat/algorithms/known_lipschitz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/mechanisms/gaussian_release.hpp"
#include "tailcoat/mechanisms/laplace_release.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {
namespace {

// How often the search for a minimiser visits each sample: seen, not proved; it ends when its certificate holds.
constexpr double kUsualEpochs = 100;

// E |noise|^2 of a release of sensitivity 1: Gaussian of variance 1 / mu^2 in each coordinate or, under a pure budget,
// Laplace of scale sqrt(d) / epsilon.
Result<double> noise_per_sensitivity(const Setting& setting, const Budget& budget) {
  const auto d = static_cast<double>(setting.dimension);
  if (const auto* pure = std::get_if<PureDp>(&budget)) {
    TAILCOAT_CHECK(check(*pure));
    return 2 * d * d / (pure->epsilon * pure->epsilon);
  }
  TAILCOAT_TRY(gaussian, gaussian_budget(budget));
  return d / (gaussian.mu * gaussian.mu);
}

// A minimiser certified to a share of 2 C / (modulus n), with noise for its sensitivity; in units of C / modulus.
ErrorForRows certified_error(double noise) {
  return [noise](std::size_t rows) {
    const double sensitivity = 2 / static_cast<double>(rows), miss = 1.02 * kMinimiserShare * sensitivity;
    const double moved = sensitivity + 2 * miss;
    return PhaseError{.noise = noise * moved * moved + miss * miss};
  };
}

// The same for a minimiser as it was found: where floating point has made the certificate coarser than planned, the
// bound says so.
PhaseError error_of(const SensitiveSum& minimiser, const Budget& budget, const ErmPhase& phase, double unit) {
  const auto* pure = std::get_if<PureDp>(&budget);
  const double deviation = pure != nullptr ? std::sqrt(2) * laplace_scale(minimiser, *pure) : kGaussianScale;
  const double noise = deviation * minimiser.unit / unit, moved = minimiser.sensitivity * minimiser.unit / unit;
  const double sensitivity = 2 / static_cast<double>(phase.rows);
  const double miss = std::max(1.02 * kMinimiserShare * sensitivity, (moved - sensitivity) / 2);
  return {.noise = static_cast<double>(minimiser.size) * noise * noise + miss * miss};
}

// One meter per phase, each for the whole budget: phases see disjoint rows.
struct PhaseMeters {
  PrivacyMeter whole;
  std::vector<PrivacyMeter> phases;
};

Result<PhaseMeters> open_meters(const Budget& budget, std::size_t phases) {
  if (const auto* pure = std::get_if<PureDp>(&budget)) {
    const ParallelEvent releases{std::vector(phases, std::vector<Event>{PureEvent{pure->epsilon}})};
    TAILCOAT_TRY(meter, open_meter(budget, {releases}));
    TAILCOAT_TRY(meters, meter.split(releases));
    return PhaseMeters{std::move(meter), std::move(meters)};
  }
  TAILCOAT_TRY(meter, open_meter(budget));
  TAILCOAT_TRY(meters, meter.split(phases, meter.total()));
  return PhaseMeters{std::move(meter), std::move(meters)};
}

Result<std::vector<double>> release(std::string what, SensitiveSum minimiser, const Budget& budget, Outlet outlet) {
  if (const auto* pure = std::get_if<PureDp>(&budget))
    return laplace_release(std::move(what), std::move(minimiser), *pure, outlet);
  return gaussian_release(std::move(what), std::move(minimiser), outlet);
}

}  // namespace

Result<ErmPlan> plan_known_lipschitz(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_CHECK(check_known_lipschitz(setting, least_order_of(options)));
  TAILCOAT_TRY(noise, noise_per_sensitivity(setting, budget));
  const ErrorForRows error_for = certified_error(noise);
  ErmPlan plan;
  if (options.constants == Constants::paper) {
    TAILCOAT_TRY(mu, gaussian_budget(budget));
    plan = stated_erm_phases(setting, mu, error_for);
  } else {
    plan = tuned_erm_phases(setting, error_for);
  }
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
  TAILCOAT_TRY(meters, open_meters(budget, plan.phases.size()));
  const bool pure = std::holds_alternative<PureDp>(budget);
  std::vector<double> x(problem.domain.centre().begin(), problem.domain.centre().end());
  std::size_t first = 0;
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    ErmPhase& phase = plan.phases[i];
    const Samples fresh = problem.samples.block(first, phase.rows);
    const Minimisation minimisation{.steep = steep_samples_of(setting),
                                    .lipschitz = plan.clip,
                                    .weight = phase.weight,
                                    .smoothness = problem.smoothness,
                                    .strong_convexity = problem.strong_convexity};
    const Gdp lattice = pure ? kLaplaceLattice : meters.phases[i].total();
    TAILCOAT_TRY(minimiser, run.engine.minimiser(fresh, problem.domain, x, minimisation, lattice));
    phase.error = error_of(minimiser, budget, phase, plan.clip / (phase.weight + problem.strong_convexity));
    TAILCOAT_TRY(noisy, release(fmt::format("minimiser of phase {}", i + 1), std::move(minimiser), budget,
                                {meters.phases[i], run.noise}));
    TAILCOAT_TRY(next, moved_within(problem.domain, x, noisy));
    x = std::move(next);
    first += phase.rows;
  }
  meters.whole.join(std::move(meters.phases));
  return Solution{.x = std::move(x),
                  .receipt = meters.whole.receipt(),
                  .work = plan.work,
                  .certified = {.excess_risk = erm_bound(setting, plan.clip, plan.phases)}};
}

}  // namespace tailcoat
