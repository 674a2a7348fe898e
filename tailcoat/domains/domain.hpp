// Domain: the closed convex bounded set a model lives in; a ball, a box, a simplex or an intersection of domains. An
// immutable value.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/domains/ball.hpp"
#include "tailcoat/domains/box.hpp"
#include "tailcoat/domains/intersection.hpp"
#include "tailcoat/domains/simplex.hpp"

namespace tailcoat {

class Domain {
 public:
  static Result<Domain> ball(std::vector<double> centre, double radius);
  static Result<Domain> box(std::vector<double> lower, std::vector<double> upper);
  static Result<Domain> simplex(std::size_t dimension, double scale);
  static Result<Domain> intersection(std::vector<Domain> parts, DykstraLimits limits = {});

  Domain(Ball ball) : set_(std::move(ball)) {}
  Domain(Box box) : set_(std::move(box)) {}
  Domain(Simplex simplex) : set_(std::move(simplex)) {}
  Domain(Intersection intersection) : set_(std::move(intersection)) {}

  // Replaces x by the nearest point of the domain. Refuses, leaving x as it is, a wrong dimension and values that are
  // not finite; only an intersection can fail otherwise.
  Result<void> project(std::span<double> x) const;
  // Whether x is in the domain up to `tolerance` (see each set for what it bounds). False if x is not finite or has
  // another dimension.
  [[nodiscard]] bool contains(std::span<const double> x, double tolerance) const;

  [[nodiscard]] double diameter() const;  // never too small; for an intersection an upper bound
  [[nodiscard]] double radius() const;    // no point is further from the centre; half the diameter of a ball or a box
  [[nodiscard]] std::span<const double> centre() const;
  [[nodiscard]] std::size_t dimension() const;

  // How far project() may be from the nearest point, by rounding, for any x within `reach` of the domain. Infinite for
  // an intersection, on which therefore no sensitivity proof may rest.
  [[nodiscard]] double projection_error(double reach) const;

  // The ball this domain is, if it is one.
  [[nodiscard]] const Ball* as_ball() const { return std::get_if<Ball>(&set_); }

 private:
  std::variant<Ball, Box, Simplex, Intersection> set_;
};

}  // namespace tailcoat
