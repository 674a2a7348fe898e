// SpendingWatch: lets the error of a private run say what the run has cost. A run that drew noise before it failed may
// have released something, and then its whole budget counts as spent: where it stopped may itself depend on the rows,
// so less than the budget that was fixed beforehand is no guarantee.
#pragma once

#include <utility>

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

class SpendingWatch {
 public:
  // Before the run; `noise` is all that it draws from.
  SpendingWatch(const BitSource& noise, const Budget& budget)
      : noise_(noise), budget_(budget), before_(noise.releases()) {}

  // The outcome of the run, an error with what is spent: as a field, and in its message.
  template <class T>
  [[nodiscard]] Result<T> told(Result<T> outcome) const {
    if (outcome.ok() || noise_.releases() == before_) return outcome;
    return with_cost(outcome.error());
  }

 private:
  [[nodiscard]] Error with_cost(Error error) const;

  const BitSource& noise_;
  Budget budget_;
  std::uint64_t before_;
};

}  // namespace tailcoat
