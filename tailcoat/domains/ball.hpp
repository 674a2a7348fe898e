// Euclidean ball.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tailcoat/base/result.hpp"

namespace tailcoat {

class Ball {
 public:
  // Refuses dimension 0, a negative radius, and coordinates that are not finite or beyond 1e150.
  static Result<Ball> create(std::vector<double> centre, double radius);

  // The nearest point, for finite x of the ball's dimension. Its computed distance from the centre is never above the
  // radius.
  void project(std::span<double> x) const;
  [[nodiscard]] bool contains(std::span<const double> x, double tolerance) const;

  [[nodiscard]] double diameter() const { return 2 * radius_; }
  [[nodiscard]] double radius() const { return radius_; }
  [[nodiscard]] std::span<const double> centre() const { return centre_; }
  [[nodiscard]] std::size_t dimension() const { return centre_.size(); }

 private:
  Ball(std::vector<double> centre, double radius) : centre_(std::move(centre)), radius_(radius) {}

  std::vector<double> centre_;
  double radius_;
};

}  // namespace tailcoat
