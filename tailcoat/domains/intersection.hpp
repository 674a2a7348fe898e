// Intersection of domains. The projection is Dykstra's algorithm (Boyle and Dykstra 1986), except that the first ball
// enters through its multiplier, a search in one dimension: Dykstra's steps are slow for a ball that is far away.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/domains/ball.hpp"

namespace tailcoat {

class Domain;

struct DykstraLimits {
  double tolerance = 1e-12;  // stop when a cycle changes the increments by less, in units of the diameter
  std::size_t cycles = 100'000;
};

class Intersection {
 public:
  // Refuses no parts, parts of different dimension, and parts without a common point (or with so little in common that
  // none is found within the limits).
  static Result<Intersection> create(std::vector<Domain> parts, DykstraLimits limits = {});

  // The nearest point to the accuracy of the limits, for finite x of the right dimension. An error, with x unchanged,
  // if Dykstra's algorithm does not converge: x very far away or parts that hardly meet. It is not used, and cannot
  // fail, for a ball with one box, simplex or ball: those are exact to rounding (domains.md).
  Result<void> project(std::span<double> x) const;
  [[nodiscard]] bool contains(std::span<const double> x, double tolerance) const;

  [[nodiscard]] double diameter() const { return diameter_; }               // an upper bound: the least of the parts'
  [[nodiscard]] std::span<const double> centre() const { return centre_; }  // some point of it
  [[nodiscard]] std::size_t dimension() const { return centre_.size(); }

 private:
  Intersection() = default;
  Result<void> project_on_parts(std::span<double> x) const;
  Result<void> dykstra(std::span<double> x) const;
  Result<void> project_within_ball(std::span<double> x) const;
  Result<void> search_multiplier(std::span<const double> x, std::span<double> nearest) const;

  std::optional<Ball> ball_;
  std::vector<Domain> parts_;  // all but ball_
  DykstraLimits limits_;
  double diameter_ = 0;
  std::vector<double> centre_;
};

}  // namespace tailcoat
