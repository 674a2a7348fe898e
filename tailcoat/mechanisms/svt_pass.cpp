#include "tailcoat/mechanisms/svt_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/noise/gaussian.hpp"
#include "tailcoat/privacy/conversions.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

// The lattice has 2^14 units to one sensitivity of a length; rounding to it adds at most one unit (mechanisms.md).
constexpr double kUnitsPerSensitivity = 0x1p14;
constexpr double kSensitivityUnits = kUnitsPerSensitivity + 1;
constexpr double kLargestUnits = 0x1p50;

constexpr NumberOption kPartOption{.name = "part", .meaning = "part of epsilon", .lowest = 1e-9, .highest = 100};
constexpr NumberOption kTailOption{
    .name = "tail", .meaning = "chance of noise beyond its bound", .lowest = 1e-300, .highest = 0.5};
constexpr NumberOption kCutoffOption{
    .name = "cutoff", .meaning = "gradients that may be clipped", .lowest = 1, .highest = 1e9};

Result<void> check_parts(const SvtPhase& phase, const SvtBudget& budget) {
  TAILCOAT_CHECK(check(kPartOption, budget.for_threshold));
  TAILCOAT_CHECK(check(kPartOption, budget.for_queries));
  TAILCOAT_CHECK(check(kPartOption, budget.for_cutoff));
  TAILCOAT_CHECK(check(kEpsilonOption, budget.epsilon));
  TAILCOAT_CHECK(check(kTailOption, budget.threshold_tail));
  TAILCOAT_CHECK(check(kTailOption, budget.query_tail));
  TAILCOAT_CHECK(check(budget.noise));
  TAILCOAT_CHECK(check(kCutoffOption, static_cast<double>(phase.cutoff)));
  if (phase.cutoff_bound < 1 || phase.cutoff_bound > phase.cutoff)
    return usage_error(fmt::format("cutoff noise of up to {} on a cutoff of {}; give 1 to {}", phase.cutoff_bound,
                                   phase.cutoff, phase.cutoff));
  return {};
}

GuardedPass pass_of(const SvtPhase& phase) {
  return {.step = phase.step,
          .clip = phase.clip,
          .longest = phase.longest,
          .smoothness = phase.smoothness,
          .most_clipped = static_cast<double>(phase.cutoff + phase.cutoff_bound)};
}

// P[|k| > bound] <= tail for the Laplace law on the integers: it is 2 e^(-(bound+1)/scale) / (1 + e^(-1/scale)).
Result<std::int64_t> tail_bound(double scale, double tail) {
  const double bound = std::ceil(scale * (1 + 0x1p-30) * std::log((1 + 1 / scale) / tail));
  if (!(bound <= kLargestUnits)) return refusal(fmt::format("noise of scale {} does not fit the lattice", scale));
  return static_cast<std::int64_t>(bound);
}

double cutoff_scale(const SvtBudget& budget) { return std::max(1.0, div_up(1, budget.for_cutoff)); }

// The decisions of one phase.
class Decisions {
 public:
  Decisions(const SvtNoise& noise, DiscreteLaplace queries, BitStream bits, std::int64_t noisy_threshold)
      : noise_(noise), queries_(std::move(queries)), bits_(std::move(bits)), noisy_threshold_(noisy_threshold) {}

  bool clip(const Sensitive<double>& length) {
    const double units = std::nearbyint(std::clamp(SensitiveKey::open(length) / noise_.unit, 0.0, kLargestUnits));
    const bool above =
        static_cast<std::int64_t>(units) + queries_.bounded(noise_.query_bound, bits_) >= noisy_threshold_;
    clipped_ += above;
    return above;
  }
  [[nodiscard]] std::int64_t clipped() const { return clipped_; }

 private:
  const SvtNoise& noise_;
  DiscreteLaplace queries_;
  BitStream bits_;
  std::int64_t noisy_threshold_, clipped_ = 0;
};

}  // namespace

// Of the Gaussian noise at what the rest leaves of epsilon, of the cutoff, and of the tails in both worlds.
double svt_delta(const SvtPhase& phase, const SvtBudget& budget) {
  const double spent = add_up(add_up(budget.for_threshold, budget.for_queries), budget.for_cutoff);
  const double left = sub_down(budget.epsilon, spent);
  const auto gaussian = left >= 0 ? to_delta(budget.noise, left) : Result<double>(1.0);
  if (!gaussian) return 1;
  const double tails =
      mul_up(add_up(1, std::exp(budget.epsilon) * (1 + 0x1p-40)), add_up(budget.threshold_tail, budget.query_tail));
  return add_up(add_up(*gaussian, tails), bounded_laplace_delta(cutoff_scale(budget), phase.cutoff_bound, 1));
}

Result<SvtNoise> svt_noise(const Samples& fresh, const Domain& domain, const SvtPhase& phase, const SvtBudget& budget) {
  TAILCOAT_CHECK(check_parts(phase, budget));
  const GuardedPass pass = pass_of(phase);
  const double sensitivity =
      std::max(guarded_drift(fresh, domain, pass).lengths, mul_up(phase.smoothness, phase.least_drift));
  SvtNoise noise{};
  noise.unit = div_up(sensitivity, kUnitsPerSensitivity);
  noise.threshold_scale = div_up(kSensitivityUnits, budget.for_threshold);
  noise.query_scale = div_up(mul_up(2 * pass.most_clipped, kSensitivityUnits), budget.for_queries);
  noise.cutoff_scale = cutoff_scale(budget);
  TAILCOAT_TRY(threshold_bound, tail_bound(noise.threshold_scale, budget.threshold_tail));
  TAILCOAT_TRY(query_bound, tail_bound(noise.query_scale, budget.query_tail / static_cast<double>(phase.rows)));
  noise.threshold_bound = threshold_bound;
  noise.query_bound = query_bound;

  // Below the noisy threshold a length is at most threshold + both bounds, which must stay under `longest`.
  const double top = std::floor(phase.longest * (1 - 0x1p-30) / noise.unit) - 2;
  const double reach = static_cast<double>(threshold_bound + query_bound);
  if (!(top <= kLargestUnits)) return refusal("the noise on lengths is too fine for its lattice");
  if (!(top - reach > 0))
    return refusal(
        fmt::format("the noise on the lengths of gradients is up to {:.4g}, more than the longest plain "
                    "gradient, {:.4g}: step times smoothness = {:.4g} is too large by a factor {:.4g}",
                    reach * noise.unit, phase.longest, phase.step * phase.smoothness, reach / top));
  noise.threshold = static_cast<std::int64_t>(std::min(top - reach, std::floor(phase.threshold / noise.unit)));
  noise.delta = svt_delta(phase, budget);
  return noise;
}

namespace {

Result<std::vector<SvtNoise>> noises_of(const Samples& samples, const Domain& domain,
                                        const std::vector<SvtPhase>& phases, const SvtBudget& budget) {
  std::vector<SvtNoise> noises;
  std::size_t first = 0;
  for (const SvtPhase& phase : phases) {
    if (phase.rows > samples.size() - first)
      return usage_error(fmt::format("the phases take more rows than the {} there are", samples.size()));
    TAILCOAT_TRY(noise, svt_noise(samples.block(first, phase.rows), domain, phase, budget));
    noises.push_back(noise);
    first += phase.rows;
  }
  return noises;
}

Event event_of(double epsilon, const std::vector<SvtNoise>& noises) {
  ParallelEvent all;
  for (const SvtNoise& noise : noises) all.branches.push_back({ApproximateEvent{epsilon, noise.delta}});
  return all;
}

}  // namespace

Result<Event> SvtPasses::price(const Samples& samples, const Domain& domain, const std::vector<SvtPhase>& phases,
                               const SvtBudget& budget) {
  TAILCOAT_TRY(noises, noises_of(samples, domain, phases, budget));
  return event_of(budget.epsilon, noises);
}

Result<SvtPasses> SvtPasses::start(const Samples& samples, const Domain& domain, std::vector<SvtPhase> phases,
                                   const SvtBudget& budget, Outlet outlet) {
  if (phases.empty()) return usage_error("a run of 0 phases; give at least one");
  TAILCOAT_CHECK(check_unweighted(samples, "the sparse vector pass"));
  TAILCOAT_TRY(noises, noises_of(samples, domain, phases, budget));
  TAILCOAT_TRY(threshold_law, DiscreteLaplace::create(noises[0].threshold_scale));
  TAILCOAT_TRY(cutoff_law, DiscreteLaplace::create(noises[0].cutoff_scale));
  const double drift = guarded_drift(samples.block(0, phases[0].rows), domain, pass_of(phases[0])).iterates;
  TAILCOAT_CHECK(outlet.meter.charge(
      {.what = fmt::format("{} phases on disjoint rows: their averages, and whether one halted", phases.size()),
       .mechanism = "svt-pass",
       .values = phases.size() * (domain.dimension() + 1),
       .sensitivity = drift,
       .noise_scale = drift / budget.noise.mu,
       .secure_noise = outlet.noise.secure()},
      event_of(budget.epsilon, noises)));
  return SvtPasses({samples, domain, std::move(phases), std::move(noises), budget.noise, std::move(threshold_law),
                    std::move(cutoff_law)},
                   outlet.noise);
}

Result<std::optional<std::vector<double>>> SvtPasses::next(Engine& engine, std::span<const double> start) {
  if (next_ == plan_.phases.size()) return refusal("no phase is left: all have run");
  const SvtPhase& phase = plan_.phases[next_];
  const SvtNoise& noise = plan_.noises[next_];
  const Samples fresh = plan_.samples.block(first_row_, phase.rows);
  TAILCOAT_TRY(query_law, DiscreteLaplace::create(noise.query_scale));
  ++next_;
  first_row_ += phase.rows;

  BitStream bits = noise_->stream(noise_->next_release(), 0);
  const std::int64_t noisy_threshold = noise.threshold + plan_.threshold_law.bounded(noise.threshold_bound, bits);
  const std::int64_t noisy_cutoff = phase.cutoff + plan_.cutoff_law.bounded(phase.cutoff_bound, bits);
  Decisions decisions(noise, std::move(query_law), std::move(bits), noisy_threshold);
  const Guard guard = [&](const Sensitive<double>& length) { return decisions.clip(length); };
  TAILCOAT_TRY(average, engine.guarded_average(fresh, plan_.domain, start, pass_of(phase), guard, plan_.cost));
  if (decisions.clipped() >= noisy_cutoff) return std::optional<std::vector<double>>();

  if (!(div_up(average.sensitivity, kGaussianScale) <= plan_.cost.mu))
    return refusal(fmt::format("the average of phase {} would cost mu = {}, more than {}", next_,
                               average.sensitivity / kGaussianScale, plan_.cost.mu));
  std::vector<std::int64_t> units = SensitiveKey::take(std::move(average.units));
  add_rounded_gaussian(units, *noise_, noise_->next_release());
  std::vector<double> released(units.size());
  for (std::size_t j = 0; j < units.size(); ++j) released[j] = static_cast<double>(units[j]) * average.unit;
  return std::optional(std::move(released));
}

}  // namespace tailcoat
