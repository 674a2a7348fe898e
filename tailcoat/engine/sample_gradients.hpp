// The gradients of a loss of the user's own, block by block, with the scalars that clip them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "tailcoat/data/rows.hpp"
#include "tailcoat/engine/kernels.hpp"
#include "tailcoat/engine/samples.hpp"

namespace tailcoat {

// Divides a gradient by a power of two that brings its largest number into [1/2, 1), so that its norm cannot overflow,
// and returns the exponent. One that is not finite becomes zero.
int scale_down(std::span<double> gradient);

// Calls use(block, s) for samples [begin, end) in blocks of at most `step` <= kMaxBlockRows: the gradient of sample i,
// clipped, is s[i] times row i of the block, whose numbers are at most 1. One that is not finite is a row of zeros.
using UseGradients = std::function<void(const RowsOf<double>& block, const double* s)>;
void for_each_gradient_block(const SampleGradient& gradient, std::span<const double> x, Clip clip, std::size_t begin,
                             std::size_t end, std::size_t step, const UseGradients& use);

}  // namespace tailcoat
