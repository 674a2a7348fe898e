// What passes with one step per sample share: a walk through the domain whose average is released, and the bounds on
// its float errors. Proofs: one_pass.md.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/domains/domain.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/kernels.hpp"
#include "tailcoat/engine/lattice.hpp"
#include "tailcoat/engine/samples.hpp"

namespace tailcoat {

inline constexpr NumberOption kStepOption{
    .name = "step", .meaning = "step size", .lowest = 0x1p-300, .highest = 0x1p300};

inline constexpr double kRoundoff = 0x1p-53;
// Of a slope within the clip, relative to it (one_pass.md).
inline constexpr double kSlopeError = 0x1p-34;
inline constexpr double kPoissonSlopeError = 0x1p-28;

// Every point of the domain is in the ball around its centre; no point has a norm above `size`. Steps are at most
// `move` long.
struct Geometry {
  double move, radius, size, projection_error;

  Geometry(const Domain& domain, double move);

  // What one step on the machine may differ from the step in real numbers, if its slope is within slope_error of the
  // exact one, relative to the longest (one_pass.md, "Float errors").
  [[nodiscard]] double step_error(std::size_t dimension, double slope_error) const;
  // Of the sum of n iterates, per iterate.
  [[nodiscard]] double summation_error(double n) const { return 4 * (n + 16) * kRoundoff * size; }
};

// Refuses fewer than two samples, dimensions that differ, a start outside the domain, an inexact projection.
Result<void> check_walk(const Samples& samples, const Domain& domain, std::span<const double> start);

// Iterates, their sum, and the domain they stay in.
class Walk {
 public:
  Walk(const Domain& domain, std::span<const double> start, const Geometry& geometry)
      : domain_(domain), x_(padded_copy(start)), sum_(x_.size()), dimension_(start.size()), size_(geometry.size) {}

  [[nodiscard]] std::span<double> x() { return {x_.data(), dimension_}; }
  [[nodiscard]] const double* padded_x() const { return x_.data(); }

  // The next `times` iterates are x.
  void stay(double times = 1) {
    for (std::size_t j = 0; j < dimension_; ++j) sum_[j] += times * x_[j];
  }

  // x += scale row, a move of length at most `length`. Gives the margin of the next row.
  template <class T>
  double step(const Step<T>& step, double length) {
    const double margin = step_and_margin(step, dimension_, x_.data(), sum_.data());
    return return_to_domain(length) ? row_margin(step.next, x_.data(), dimension_) : margin;
  }

  void move_to(std::span<const double> y);
  [[nodiscard]] std::vector<double> average(std::size_t count) const;

 private:
  bool return_to_domain(double length);  // whether x was looked at, and may have changed

  const Domain& domain_;
  AlignedVector x_, sum_;
  std::size_t dimension_;
  double size_;
  double room_ = 0;  // how far x may move and certainly stay in the domain
};

}  // namespace tailcoat
