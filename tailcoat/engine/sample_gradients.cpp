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

void for_each_gradient_block(const SampleGradient& gradient, std::span<const double> x, Clip clip, std::size_t begin,
                             std::size_t end, std::size_t step, const UseGradients& use) {
  const std::size_t stride = padded(x.size());
  AlignedVector gradients(std::min(step, end - begin) * stride);
  std::array<double, kMaxBlockRows> norms, s;
  for (std::size_t first = begin; first < end; first += step) {
    const RowsOf<double> block{gradients.data(), std::min(step, end - first), x.size(), stride};
    std::ranges::fill(gradients, 0.0);  // nothing of another sample may show in what a callback leaves unset
    const auto vector = [&](std::size_t i) { return std::span(gradients).subspan(i * stride, x.size()); };
    for (std::size_t i = 0; i < block.rows; ++i) gradient(first + i, x, vector(i));

    const DefaultFloatEnvironment environment;  // a callback may have changed it
    for (std::size_t i = 0; i < block.rows; ++i) s[i] = std::ldexp(clip.scale, scale_down(vector(i)));
    inverse_norms(block, norms.data());
    for (std::size_t i = 0; i < block.rows; ++i) s[i] = std::min(s[i], clip.limit * norms[i]);
    use(block, s.data());
  }
}

}  // namespace tailcoat
