#include "tailcoat/domains/distance.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace tailcoat {

Distance distance(std::span<const double> x, std::span<const double> y) {
  assert(x.size() == y.size());
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  if (sum > 1e-280 && sum < 1e280) return {std::sqrt(sum), 1};

  const auto half_difference = [&](std::size_t i) { return x[i] / 2 - y[i] / 2; };
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(half_difference(i)));
  if (largest == 0) return {0, 1};

  const int exponent = std::clamp(std::ilogb(largest), -1000, 1000);
  const double factor = std::ldexp(1.0, -exponent);
  sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += half_difference(i) * factor * (half_difference(i) * factor);
  return {std::sqrt(sum), std::ldexp(1.0, exponent + 1)};
}

}  // namespace tailcoat
