// UpwardSum: a sum of nonnegative terms that is never below the exact one and, kept as an unevaluated pair of doubles,
// not above it by more than 2^-100 of itself even after millions of terms. Squares enter exactly.
#pragma once

#include <cmath>
#include <limits>

#include "tailcoat/base/rounding.hpp"

namespace tailcoat {

class UpwardSum {
 public:
  void add(double term) { add_pair(term, 0); }
  void add(const UpwardSum& other) { add_pair(other.high_, other.low_); }

  void add_square(double root) {
    const double square = root * root;
    // Below 2^-900 the residual of the square could underflow.
    if (square < 0x1p-900) {
      add_pair(mul_up(root, root), 0);
    } else {
      add_pair(square, std::fma(root, root, -square));
    }
  }

  // The sum, rounded up; infinity once it has overflowed.
  [[nodiscard]] double above() const { return add_up(high_, low_); }

  // Compares the pairs, not their rounded values.
  [[nodiscard]] bool at_most(const UpwardSum& limit) const {
    return high_ < limit.high_ || (high_ == limit.high_ && low_ <= limit.low_);
  }

  bool operator==(const UpwardSum&) const = default;

 private:
  void add_pair(double term, double residual) {
    const double sum = high_ + term;
    if (!std::isfinite(sum)) {
      high_ = std::numeric_limits<double>::infinity();
      low_ = 0;
      return;
    }
    const double term_part = sum - high_;
    const double error = (high_ - (sum - term_part)) + (term - term_part);  // exact: sum + error = high_ + term
    const double low = add_up(low_, add_up(error, residual));
    high_ = sum + low;
    low_ = low - (high_ - sum);  // exact, as |low| <= |sum|
  }

  double high_ = 0;  // the sum, to nearest
  double low_ = 0;   // what high_ lacks
};

}  // namespace tailcoat
