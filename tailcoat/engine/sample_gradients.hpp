// The gradients of a loss of the user's own, block by block, with the scalars that clip them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>

#include "tailcoat/data/rows.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/kernels.hpp"
#include "tailcoat/engine/samples.hpp"

namespace tailcoat {

// Divides a gradient by a power of two that brings its largest number into [1/2, 1), so that its norm cannot overflow,
// and returns the exponent. One that is not finite becomes zero.
int scale_down(std::span<double> gradient);

// Gradients of a few samples at a time. Sample i of a block, clipped, is scalars()[i] times its row, whose numbers are
// at most 1. One that is not finite is a row of zeros.
class GradientBlock {
 public:
  GradientBlock(std::size_t dimension, std::size_t most_rows);  // at most kMaxBlockRows

  // The gradients at x of the samples sample_at(0), ..., sample_at(count - 1).
  template <class SampleAt>
  void fill(const SampleGradient& gradient, std::span<const double> x, Clip clip, std::size_t count,
            const SampleAt& sample_at) {
    std::ranges::fill(numbers_, 0.0);  // nothing of another sample may show in what a callback leaves unset
    count_ = count;
    for (std::size_t i = 0; i < count; ++i) gradient(sample_at(i), x, vector(i));
    clip_all(clip);
  }

  [[nodiscard]] RowsOf<double> rows() const { return {numbers_.data(), count_, dimension_, padded(dimension_)}; }
  [[nodiscard]] const double* scalars() const { return scalars_.data(); }

 private:
  std::span<double> vector(std::size_t i) { return std::span(numbers_).subspan(i * padded(dimension_), dimension_); }
  void clip_all(Clip clip);

  std::size_t dimension_, count_ = 0;
  AlignedVector numbers_;
  std::array<double, kMaxBlockRows> scalars_;
};

// Calls use(block) for samples [begin, end) in blocks of at most `step` <= kMaxBlockRows.
using UseGradients = std::function<void(const GradientBlock& block)>;
void for_each_gradient_block(const SampleGradient& gradient, std::span<const double> x, Clip clip, std::size_t begin,
                             std::size_t end, std::size_t step, const UseGradients& use);

}  // namespace tailcoat
