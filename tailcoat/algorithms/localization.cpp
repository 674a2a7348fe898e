#include "tailcoat/algorithms/localization.hpp"

#include <cmath>

namespace tailcoat {

double localization_bound(std::span<const double> lambdas, std::span<const double> spreads, double start_distance,
                          double slope) {
  double bound = 0, away = start_distance;
  for (std::size_t i = 0; i < lambdas.size(); ++i) {
    bound += lambdas[i] / 2 * away * away;
    away = spreads[i] / lambdas[i];
  }
  return bound + slope * away;
}

// With t_i the i-th term, the derivative in log(lambda_i) vanishes where t_i = 2 t_{i+1}, and where t_I equals the last
// term. So t_i = t_1 / 2^(i-1), every log(lambda_i) is linear in log(lambda_1), and the last condition fixes that.
std::vector<double> best_lambdas(std::span<const double> spreads, double start_distance, double slope) {
  const std::size_t count = spreads.size();
  const double half_square = 2 * std::log(start_distance) - std::log(2);  // log t_1 = log lambda_1 + this
  std::vector<double> factors = {1}, offsets = {0};  // log lambda_i = factor_i log lambda_1 + offset_i
  for (std::size_t i = 0; i + 1 < count; ++i) {
    factors.push_back(1 + 2 * factors[i]);
    offsets.push_back(half_square - static_cast<double>(i) * std::log(2) + 2 * offsets[i] - 2 * std::log(spreads[i]));
  }
  const double last_term = half_square - static_cast<double>(count - 1) * std::log(2);
  const double log_first = (std::log(slope * spreads.back()) - last_term - offsets.back()) / (1 + factors.back());
  std::vector<double> lambdas;
  for (std::size_t i = 0; i < count; ++i) lambdas.push_back(std::exp(factors[i] * log_first + offsets[i]));
  return lambdas;
}

}  // namespace tailcoat
