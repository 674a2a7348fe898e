// Box: lower <= x <= upper, coordinate by coordinate.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tailcoat/base/result.hpp"

namespace tailcoat {

class Box {
 public:
  // Refuses dimension 0, bounds of different dimension, lower > upper, and bounds not finite or beyond 1e150.
  static Result<Box> create(std::vector<double> lower, std::vector<double> upper);

  // The nearest point, for finite x of the box's dimension: exact.
  void project(std::span<double> x) const;
  // Up to `tolerance` in each coordinate.
  [[nodiscard]] bool contains(std::span<const double> x, double tolerance) const;

  [[nodiscard]] double diameter() const { return diameter_; }  // rounded up
  [[nodiscard]] std::span<const double> centre() const { return centre_; }
  [[nodiscard]] std::size_t dimension() const { return centre_.size(); }

 private:
  Box(std::vector<double> lower, std::vector<double> upper);

  std::vector<double> lower_, upper_, centre_;
  double diameter_;
};

}  // namespace tailcoat
