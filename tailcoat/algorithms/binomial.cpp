#include "tailcoat/algorithms/binomial.hpp"

#include <cmath>

namespace tailcoat {

double binomial_tail(std::size_t trials, std::size_t least, double q) {
  const auto n = static_cast<double>(trials);
  auto j = static_cast<double>(least);
  double term = std::exp(std::lgamma(n + 1) - std::lgamma(j + 1) - std::lgamma(n - j + 1) + j * std::log(q) +
                         (n - j) * std::log1p(-q));
  double sum = 0;
  for (; j <= n && term > 1e-17 * sum; ++j) {
    sum += term;
    term *= (n - j) / (j + 1) * q / (1 - q);
  }
  return sum;
}

}  // namespace tailcoat
