// Accountant: what a list of events costs together. Answers are rounded up; Gaussian, pure and approximate events
// compose exactly, the others by their Renyi curve, and the better bound counts (privacy.md, "Composition"). The events
// may be chosen adaptively in any order as long as the list itself is fixed before the data is read.
#pragma once

#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/privacy/composition.hpp"
#include "tailcoat/privacy/event.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

class Accountant {
 public:
  // A usage error, and no change, if a parameter is out of range or parallel events nest or multiply without bound.
  Result<void> add(const Event&);

  // The least delta for epsilon >= 0. Zero is an answer: pure events alone.
  [[nodiscard]] Result<double> delta(double epsilon) const;

  // The least epsilon for delta; refused if no epsilon has it.
  [[nodiscard]] Result<double> epsilon(double delta) const;

  // The largest mu by which the events together with Gaussian releases of mu satisfy `total`; refused if none does.
  [[nodiscard]] Result<Gdp> room_for_gaussian(ApproxDp total) const;

 private:
  // What a record may be subject to: one composition per choice of a branch in every parallel event. The worst counts.
  std::vector<Composition> cases_{Composition{}};
};

}  // namespace tailcoat
