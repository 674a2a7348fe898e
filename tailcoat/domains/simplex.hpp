// Simplex: x >= 0 with sum equal to scale.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tailcoat/base/result.hpp"

namespace tailcoat {

class Simplex {
 public:
  // Refuses dimension 0 and a scale that is negative, not finite or beyond 1e150.
  static Result<Simplex> create(std::size_t dimension, double scale);

  // The nearest point, for finite x of the simplex's dimension, in O(d log d).
  void project(std::span<double> x) const;
  // Up to `tolerance` in each coordinate and in the sum; the sum is always allowed its rounding, 1e-15 scale.
  [[nodiscard]] bool contains(std::span<const double> x, double tolerance) const;

  [[nodiscard]] double diameter() const;  // sqrt(2) scale, rounded up; 0 in dimension 1
  [[nodiscard]] std::span<const double> centre() const { return centre_; }
  [[nodiscard]] std::size_t dimension() const { return centre_.size(); }

 private:
  Simplex(std::size_t dimension, double scale);

  double scale_;
  std::vector<double> centre_;
};

}  // namespace tailcoat
