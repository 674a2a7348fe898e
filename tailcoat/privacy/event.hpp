// What an accountant composes: one event per release, stated by the guarantee its mechanism gives.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

namespace tailcoat {

// Gaussian noise: mu = sensitivity / standard deviation.
struct GaussianEvent {
  double mu;
  bool operator==(const GaussianEvent&) const = default;
};

// epsilon-DP: Laplace noise, sparse vector.
struct PureEvent {
  double epsilon;
  bool operator==(const PureEvent&) const = default;
};

// The privacy loss stays in an interval of length epsilon for each pair of neighbours: the exponential mechanism, which
// is report-noisy-max with Gumbel noise.
struct BoundedRangeEvent {
  double epsilon;
  bool operator==(const BoundedRangeEvent&) const = default;
};

// (epsilon, delta)-DP: bounded Laplace noise. With epsilon = 0 a total variation distance of delta: frequent levels.
struct ApproximateEvent {
  double epsilon;
  double delta;
  bool operator==(const ApproximateEvent&) const = default;
};

// rho-zCDP and nothing better known. Gaussian noise is better stated as GaussianEvent.
struct ZcdpEvent {
  double rho;
  bool operator==(const ZcdpEvent&) const = default;
};

// `steps` releases, each the sum over a fresh Poisson sample of the rows with Gaussian noise: a row is in with
// probability `rate`, independently, and adds a vector of norm at most `ratio` standard deviations of the noise. Who is
// in a sample, and how many, stays secret.
struct SampledGaussianEvent {
  double rate;
  double ratio;
  std::size_t steps;
  bool operator==(const SampledGaussianEvent&) const = default;
};

struct Event;

// Events on disjoint parts of the rows, assigned by public index. A record is in one part, so the worst branch counts.
struct ParallelEvent {
  std::vector<std::vector<Event>> branches;
  bool operator==(const ParallelEvent&) const;
};

struct Event : std::variant<GaussianEvent, PureEvent, BoundedRangeEvent, ApproximateEvent, ZcdpEvent,
                            SampledGaussianEvent, ParallelEvent> {
  using variant::variant;
};

inline bool ParallelEvent::operator==(const ParallelEvent& other) const { return branches == other.branches; }

}  // namespace tailcoat
