#include "tailcoat/privacy/composition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/privacy/gaussian_profile.hpp"
#include "tailcoat/privacy/renyi.hpp"
#include "tailcoat/privacy/search.hpp"

namespace tailcoat {
namespace {

void add_counts(EpsilonCounts& counts, const EpsilonCounts& more) {
  for (const auto& [epsilon, count] : more) counts[epsilon] += count;
}

// Whether the events of `less` can be matched with events of `more` that have at least their epsilon.
bool counts_covered_by(const EpsilonCounts& less, const EpsilonCounts& more) {
  std::size_t wanted = 0;
  std::size_t found = 0;
  auto candidate = more.rbegin();
  for (auto event = less.rbegin(); event != less.rend(); ++event) {
    wanted += event->second;
    for (; candidate != more.rend() && candidate->first >= event->first; ++candidate) found += candidate->second;
    if (found < wanted) return false;
  }
  return true;
}

// Whether the steps of `less` can be matched with kinds of steps in `more`, a kind for each, that are dearer and as
// many.
bool steps_covered_by(const SampledSteps& less, const SampledSteps& more) {
  std::vector<std::pair<std::pair<double, double>, std::size_t>> left(more.begin(), more.end());
  return std::ranges::all_of(less, [&](const auto& one) {
    const auto found = std::ranges::find_if(left, [&](const auto& other) {
      return other.first.first >= one.first.first && other.first.second >= one.first.second &&
             other.second >= one.second;
    });
    if (found == left.end()) return false;
    left.erase(found);
    return true;
  });
}

std::optional<ComposedLoss> composed_of(const SampledSteps& sampled, const EpsilonCounts& pure) {
  std::vector<ComposedLoss::Part> parts;
  for (const auto& [kind, steps] : sampled)
    parts.push_back({sampled_gaussian_loss_law(kind.first, kind.second), static_cast<double>(steps)});
  for (const auto& [epsilon, count] : pure) parts.push_back({pure_loss_law(epsilon), static_cast<double>(count)});
  return ComposedLoss(std::move(parts));
}

// The sum of a curve over events, each term rounded up.
template <class Curve>
double total_divergence(const EpsilonCounts& counts, double alpha, const Curve& curve) {
  double total = 0;
  for (const auto& [epsilon, count] : counts)
    total = add_up(total, mul_up(static_cast<double>(count), curve(epsilon, alpha)));
  return total;
}

}  // namespace

void Composition::add(const GaussianEvent& event) { mu_squared.add_square(event.mu); }

void Composition::add(const PureEvent& event) { ++pure[event.epsilon]; }

void Composition::add(const BoundedRangeEvent& event) { ++bounded_range[event.epsilon]; }

void Composition::add(const ApproximateEvent& event) {
  if (event.epsilon > 0) ++pure[event.epsilon];  // at 0, nothing but the failure is left of it
  failure = std::min(1.0, add_up(failure, mul_up(event.delta, sub_up(1, failure))));
}

void Composition::add(const ZcdpEvent& event) { rho.add(event.rho); }

// Without sampling, the pair of the sampled event is that of Gaussian noise.
void Composition::add(const SampledGaussianEvent& event) {
  if (event.rate < 1) {
    sampled[{event.rate, event.ratio}] += event.steps;
  } else {
    const double mu_squared_of_one = mul_up(4, mul_up(event.ratio, event.ratio));
    mu_squared.add(mul_up(mu_squared_of_one, static_cast<double>(event.steps)));
  }
}

void Composition::add(const Composition& other) {
  mu_squared.add(other.mu_squared);
  rho.add(other.rho);
  add_counts(pure, other.pure);
  add_counts(bounded_range, other.bounded_range);
  for (const auto& [kind, steps] : other.sampled) sampled[kind] += steps;
  failure = std::min(1.0, add_up(failure, mul_up(other.failure, sub_up(1, failure))));
}

bool Composition::covered_by(const Composition& other) const {
  return mu_squared.at_most(other.mu_squared) && rho.at_most(other.rho) && failure <= other.failure &&
         counts_covered_by(pure, other.pure) && counts_covered_by(bounded_range, other.bounded_range) &&
         steps_covered_by(sampled, other.sampled);
}

CompositionProfile::CompositionProfile(const Composition& composition)
    : parts_(composition),
      gaussian_only_(composition.pure.empty() && composition.bounded_range.empty() && composition.sampled.empty() &&
                     composition.rho == UpwardSum()) {
  if (!composition.sampled.empty()) sampled_ = composed_of(composition.sampled, {});
  if (!(composition.rho == UpwardSum())) return;
  EpsilonCounts counts = composition.pure;
  add_counts(counts, composition.bounded_range);
  if (sampled_) {
    composed_ = composed_of(composition.sampled, counts);
  } else {
    losses_ = loss_distribution(counts);
  }
}

// Whether the Renyi curves may know better: never where the other way is exact.
bool CompositionProfile::renyi() const { return !gaussian_only_ && !(composed_ && parts_.bounded_range.empty()); }

bool CompositionProfile::satisfies(double epsilon, double delta, Gdp further) const {
  UpwardSum sum = parts_.mu_squared;
  sum.add_square(further.mu);
  const double mu_squared = sum.above();
  if (exact() && exact_delta(epsilon, mu_squared) <= delta) return true;
  return renyi() && renyi_delta(epsilon, mu_squared) <= delta;
}

double CompositionProfile::delta(double epsilon) const {
  const double mu_squared = parts_.mu_squared.above();
  const double exact_bound = exact() ? exact_delta(epsilon, mu_squared) : 1;
  return renyi() ? std::min(exact_bound, renyi_delta(epsilon, mu_squared)) : exact_bound;
}

double CompositionProfile::epsilon(double delta) const {
  if (!composed_) return smallest_where([&](double epsilon) { return satisfies(epsilon, delta); });
  const double mu_squared = parts_.mu_squared.above();
  const double composed = composed_->epsilon(without_failure(delta), sqrt_up(mu_squared));
  if (!renyi()) return composed;
  return std::min(composed, smallest_where([&](double epsilon) { return renyi_delta(epsilon, mu_squared) <= delta; }));
}

double CompositionProfile::room_for_gaussian(ApproxDp total) const {
  if (!composed_) return largest_where([&](double mu) { return satisfies(total.epsilon, total.delta, Gdp{mu}); });
  const double all = composed_->room_for_gaussian({total.epsilon, without_failure(total.delta)});
  const double squared = sub_down(mul_down(all, all), parts_.mu_squared.above());
  return squared > 0 ? sqrt_down(squared) : 0;
}

double CompositionProfile::exact_delta(double epsilon, double mu_squared) const {
  const double mu = sqrt_up(mu_squared);
  if (gaussian_only_) return or_failure(gaussian_delta(mu, epsilon));
  if (composed_) return or_failure(composed_->delta(epsilon, mu));
  double delta = 0;
  for (const LossAtom& atom : *losses_) delta += atom.probability * gaussian_delta(mu, sub_down(epsilon, atom.loss));
  return or_failure(delta * (1 + 2 * kLossDistributionMargin));
}

double CompositionProfile::renyi_delta(double epsilon, double mu_squared) const {
  const double slope = add_up(mul_up(0.5, mu_squared), parts_.rho.above());
  const Rdp curve{[&](double alpha) {
    const double linear = mul_up(alpha, slope);
    const double pure = total_divergence(parts_.pure, alpha, pure_renyi);
    const double others = add_up(pure, total_divergence(parts_.bounded_range, alpha, bounded_range_renyi));
    const double sampled = sampled_ ? div_up(sampled_->log_moment(alpha - 1), alpha - 1) : 0;
    return add_up(linear, add_up(others, sampled));
  }};
  const double delta = std::exp(renyi_log_delta(curve, epsilon));
  const double infinite = sampled_ ? sampled_->infinite() : 0;
  return or_failure(add_up(infinite, std::max(delta, std::numeric_limits<double>::min())));
}

double CompositionProfile::or_failure(double delta) const {
  return std::min(1.0, add_up(parts_.failure, mul_up(sub_up(1, parts_.failure), delta)));
}

// What or_failure() takes to at most `delta`; not above 0 if nothing does.
double CompositionProfile::without_failure(double delta) const {
  constexpr double rounding = 1 - 0x1p-50;
  return mul_down(rounding, div_down(sub_down(delta, parts_.failure), sub_up(1, parts_.failure)));
}

}  // namespace tailcoat
