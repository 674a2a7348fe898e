#include "tailcoat/privacy/composition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/privacy/gaussian_profile.hpp"
#include "tailcoat/privacy/renyi.hpp"

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

void Composition::add(const Composition& other) {
  mu_squared.add(other.mu_squared);
  rho.add(other.rho);
  add_counts(pure, other.pure);
  add_counts(bounded_range, other.bounded_range);
  failure = std::min(1.0, add_up(failure, mul_up(other.failure, sub_up(1, failure))));
}

bool Composition::covered_by(const Composition& other) const {
  return mu_squared.at_most(other.mu_squared) && rho.at_most(other.rho) && failure <= other.failure &&
         counts_covered_by(pure, other.pure) && counts_covered_by(bounded_range, other.bounded_range);
}

CompositionProfile::CompositionProfile(const Composition& composition)
    : parts_(composition),
      gaussian_only_(composition.pure.empty() && composition.bounded_range.empty() && composition.rho == UpwardSum()) {
  if (!(composition.rho == UpwardSum())) return;
  EpsilonCounts counts = composition.pure;
  add_counts(counts, composition.bounded_range);
  losses_ = loss_distribution(counts);
}

bool CompositionProfile::satisfies(double epsilon, double delta, Gdp further) const {
  UpwardSum sum = parts_.mu_squared;
  sum.add_square(further.mu);
  const double mu_squared = sum.above();
  if (exact() && exact_delta(epsilon, mu_squared) <= delta) return true;
  return !gaussian_only_ && renyi_delta(epsilon, mu_squared) <= delta;
}

double CompositionProfile::delta(double epsilon) const {
  const double mu_squared = parts_.mu_squared.above();
  const double exact_bound = exact() ? exact_delta(epsilon, mu_squared) : 1;
  return gaussian_only_ ? exact_bound : std::min(exact_bound, renyi_delta(epsilon, mu_squared));
}

double CompositionProfile::exact_delta(double epsilon, double mu_squared) const {
  const double mu = sqrt_up(mu_squared);
  if (gaussian_only_) return or_failure(gaussian_delta(mu, epsilon));
  double delta = 0;
  for (const LossAtom& atom : *losses_) delta += atom.probability * gaussian_delta(mu, sub_down(epsilon, atom.loss));
  return or_failure(delta * (1 + 2 * kLossDistributionMargin));
}

double CompositionProfile::renyi_delta(double epsilon, double mu_squared) const {
  const double slope = add_up(mul_up(0.5, mu_squared), parts_.rho.above());
  const Rdp curve{[&](double alpha) {
    const double linear = mul_up(alpha, slope);
    const double pure = total_divergence(parts_.pure, alpha, pure_renyi);
    return add_up(linear, add_up(pure, total_divergence(parts_.bounded_range, alpha, bounded_range_renyi)));
  }};
  const double delta = std::exp(renyi_log_delta(curve, epsilon));
  return or_failure(std::max(delta, std::numeric_limits<double>::min()));
}

double CompositionProfile::or_failure(double delta) const {
  return std::min(1.0, add_up(parts_.failure, mul_up(sub_up(1, parts_.failure), delta)));
}

}  // namespace tailcoat
