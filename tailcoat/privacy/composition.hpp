// Composition: a multiset of events without parallel ones, in the form that decides its cost; and its privacy profile,
// the least delta for each epsilon that one of the proofs in privacy.md ("Composition") gives.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tailcoat/privacy/composed_loss.hpp"
#include "tailcoat/privacy/event.hpp"
#include "tailcoat/privacy/guarantees.hpp"
#include "tailcoat/privacy/loss_distribution.hpp"
#include "tailcoat/privacy/upward_sum.hpp"

namespace tailcoat {

using SampledSteps = std::map<std::pair<double, double>, std::size_t>;  // (rate, ratio) -> how many steps have it

struct Composition {
  UpwardSum mu_squared;
  UpwardSum rho;
  EpsilonCounts pure;  // approximate events count here with their epsilon
  EpsilonCounts bounded_range;
  SampledSteps sampled;
  double failure = 0;  // probability that an approximate event fails: 1 - prod(1 - delta_i), rounded up

  void add(const GaussianEvent&);
  void add(const PureEvent&);
  void add(const BoundedRangeEvent&);
  void add(const ApproximateEvent&);
  void add(const ZcdpEvent&);
  void add(const SampledGaussianEvent&);
  void add(const Composition&);

  // Whether `other` costs at least as much, part by part.
  [[nodiscard]] bool covered_by(const Composition& other) const;
};

// The profile of a composition; what does not depend on epsilon is worked out once.
class CompositionProfile {
 public:
  explicit CompositionProfile(const Composition&);

  // The least delta known for epsilon >= 0, rounded up.
  [[nodiscard]] double delta(double epsilon) const;

  // An epsilon at which delta() is at most `delta`, the least for all but sampled events; infinity if there is none.
  [[nodiscard]] double epsilon(double delta) const;

  // A mu, the greatest for all but sampled events, by which the composition together with Gaussian releases satisfies
  // `total`; 0 if there is none.
  [[nodiscard]] double room_for_gaussian(ApproxDp total) const;

 private:
  [[nodiscard]] bool exact() const { return composed_ || losses_; }
  [[nodiscard]] bool renyi() const;
  [[nodiscard]] bool satisfies(double epsilon, double delta, Gdp further = {0}) const;
  [[nodiscard]] double exact_delta(double epsilon, double mu_squared) const;
  [[nodiscard]] double renyi_delta(double epsilon, double mu_squared) const;
  [[nodiscard]] double or_failure(double delta) const;
  [[nodiscard]] double without_failure(double delta) const;

  Composition parts_;
  bool gaussian_only_;
  // Of pure and bounded-range events; nothing if there are zCDP or sampled events.
  std::optional<std::vector<LossAtom>> losses_;
  std::optional<ComposedLoss> sampled_;   // the sampled events alone
  std::optional<ComposedLoss> composed_;  // with pure and bounded-range ones, if there are no zCDP events
};

}  // namespace tailcoat
