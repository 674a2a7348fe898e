// ComposedLoss: the privacy loss of many independent steps and of Gaussian noise together. Its delta is a Fourier sum
// that is never below the exact one, of a cost that does not depend on the number of steps (privacy.md, "The Fourier
// sum").
#pragma once

#include <utility>
#include <vector>

#include "tailcoat/privacy/guarantees.hpp"
#include "tailcoat/privacy/loss_law.hpp"

namespace tailcoat {

class ComposedLoss {
 public:
  struct Part {
    LossLaw law;
    double steps;  // a whole number, at most 1e12
  };

  explicit ComposedLoss(std::vector<Part> parts) : parts_(std::move(parts)) {}

  // Upper bounds, for epsilon >= 0 and delta in (0, 1), of what the steps cost together with Gaussian releases of mu
  // (0: none). delta() was evaluated, and held, at the epsilon returned; infinity if none has this delta.
  [[nodiscard]] double delta(double epsilon, double mu) const;
  [[nodiscard]] double epsilon(double delta, double mu) const;
  // The same for a mu at which the steps satisfy `total`; 0 if there is none.
  [[nodiscard]] double room_for_gaussian(ApproxDp total) const;

  // About log delta of the steps alone, several times faster: for planning, no bound.
  [[nodiscard]] double log_delta_estimate(double epsilon) const;

  // log E exp(t loss) over the finite losses, rounded up, for t > 0; and the probability of an infinite loss.
  [[nodiscard]] double log_moment(double t) const;
  [[nodiscard]] double infinite() const;

 private:
  std::vector<Part> parts_;
};

}  // namespace tailcoat
