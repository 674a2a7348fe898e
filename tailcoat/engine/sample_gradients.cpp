#include "tailcoat/engine/sample_gradients.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/float_environment.hpp"

namespace tailcoat {

int scale_down(std::span<double> gradient) {
  double largest = 0;
  for (const double value : gradient) {
    if (!std::isfinite(value)) {
      std::ranges::fill(gradient, 0.0);
      return 0;
    }
    largest = std::max(largest, std::abs(value));
  }
  int exponent = 0;
  std::frexp(largest, &exponent);
  const double half = std::ldexp(1, -exponent / 2), other_half = std::ldexp(1, -exponent - -exponent / 2);
  for (double& value : gradient) value = value * half * other_half;
  return exponent;
}

GradientBlock::GradientBlock(std::size_t dimension, std::size_t most_rows)
    : dimension_(dimension), numbers_(most_rows * padded(dimension)) {}

void GradientBlock::clip_all(Clip clip) {
  const DefaultFloatEnvironment environment;  // a callback may have changed it
  std::array<double, kMaxBlockRows> norms;
  for (std::size_t i = 0; i < count_; ++i) scalars_[i] = std::ldexp(clip.scale, scale_down(vector(i)));
  inverse_norms(rows(), norms.data());
  for (std::size_t i = 0; i < count_; ++i) scalars_[i] = std::min(scalars_[i], clip.limit * norms[i]);
}

void for_each_gradient_block(const SampleGradient& gradient, std::span<const double> x, Clip clip, std::size_t begin,
                             std::size_t end, std::size_t step, const UseGradients& use) {
  GradientBlock block(x.size(), std::min(step, end - begin));
  for (std::size_t first = begin; first < end; first += step) {
    block.fill(gradient, x, clip, std::min(step, end - first), [&](std::size_t i) { return first + i; });
    const DefaultFloatEnvironment environment;
    use(block);
  }
}

}  // namespace tailcoat
