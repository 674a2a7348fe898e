// Composition: a multiset of events without parallel ones, in the form that decides its cost; and its privacy profile,
// the least delta for each epsilon that one of the proofs in privacy.md ("Composition") gives.
#pragma once

#include <optional>
#include <vector>

#include "tailcoat/privacy/event.hpp"
#include "tailcoat/privacy/guarantees.hpp"
#include "tailcoat/privacy/loss_distribution.hpp"
#include "tailcoat/privacy/upward_sum.hpp"

namespace tailcoat {

struct Composition {
  UpwardSum mu_squared;
  UpwardSum rho;
  EpsilonCounts pure;  // approximate events count here with their epsilon
  EpsilonCounts bounded_range;
  double failure = 0;  // probability that an approximate event fails: 1 - prod(1 - delta_i), rounded up

  void add(const GaussianEvent&);
  void add(const PureEvent&);
  void add(const BoundedRangeEvent&);
  void add(const ApproximateEvent&);
  void add(const ZcdpEvent&);
  void add(const Composition&);

  // Whether `other` costs at least as much, part by part.
  [[nodiscard]] bool covered_by(const Composition& other) const;
};

// The profile of a composition; what does not depend on epsilon is worked out once.
class CompositionProfile {
 public:
  explicit CompositionProfile(const Composition&);

  // Whether the composition, together with Gaussian releases of `further`, is (epsilon, delta)-DP.
  [[nodiscard]] bool satisfies(double epsilon, double delta, Gdp further = {0}) const;

  // The least delta known for epsilon >= 0, rounded up.
  [[nodiscard]] double delta(double epsilon) const;

 private:
  [[nodiscard]] bool exact() const { return losses_.has_value(); }
  [[nodiscard]] double exact_delta(double epsilon, double mu_squared) const;
  [[nodiscard]] double renyi_delta(double epsilon, double mu_squared) const;
  [[nodiscard]] double or_failure(double delta) const;

  Composition parts_;
  bool gaussian_only_;
  std::optional<std::vector<LossAtom>> losses_;  // of pure and bounded-range events; nothing if there are zCDP events
};

}  // namespace tailcoat
