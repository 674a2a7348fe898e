#include "tailcoat/algorithms/localization.hpp"

#include <cmath>
#include <limits>

#include "tailcoat/algorithms/tuning.hpp"

namespace tailcoat {
namespace {

// The stationary point, from the first weight on: with t_i the i-th term and s_i the i-th cost, the derivative in
// log(lambda_i) vanishes where t_i = s_i + 2 t_{i+1}, and for the last one where t_I = s_I + (the last term). A first
// weight fixes all; whether the last condition then has too much on its left. Fills in the lambdas as far as it gets.
bool overshoots(double first, std::span<const ChainPhase> phases, double start_distance, double slope,
                std::vector<double>& lambdas) {
  double lambda = first, term = distance_weight(first, 0) / 2 * start_distance * start_distance;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    lambdas[i] = lambda;
    const double left = term - phases[i].cost / lambda, distance = phases[i].spread / lambda;
    if (i + 1 == phases.size()) return left >= slope * distance;
    if (!(left > 0)) return false;
    term = left / 2;
    lambda = term / (distance_weight(1, 0) / 2 * distance * distance);
    if (!(lambda < std::numeric_limits<double>::max())) return true;
  }
  return true;
}

// What is left on the left of the last condition grows with the first weight: bisection over its logarithm.
std::vector<double> stationary_lambdas(std::span<const ChainPhase> phases, double start_distance, double slope) {
  std::vector<double> lambdas(phases.size(), 1.0);
  double low = std::log(1e-280), high = std::log(1e280);
  while (high - low > 1e-13 * (std::abs(low) + 1)) {
    const double middle = (low + high) / 2;
    (overshoots(std::exp(middle), phases, start_distance, slope, lambdas) ? high : low) = middle;
  }
  overshoots(std::exp(high), phases, start_distance, slope, lambdas);
  return lambdas;
}

}  // namespace

double distance_weight(double lambda, double modulus) { return lambda * lambda / (2 * lambda + modulus); }

double localization_bound(std::span<const double> lambdas, std::span<const ChainPhase> phases, double start_distance,
                          double slope, double modulus) {
  double bound = 0, distance = start_distance;
  for (std::size_t i = 0; i < lambdas.size(); ++i) {
    const double all = lambdas[i] + modulus;
    bound += distance_weight(lambdas[i], modulus) / 2 * distance * distance + phases[i].cost / all;
    distance = phases[i].spread / all;
  }
  return bound + slope * distance;
}

std::vector<double> best_lambdas(std::span<const ChainPhase> phases, double start_distance, double slope,
                                 double modulus) {
  if (modulus == 0) return stationary_lambdas(phases, start_distance, slope);
  std::vector<double> logs, lambdas(phases.size());
  for (std::size_t i = 0; i < phases.size(); ++i)
    logs.push_back(std::log(modulus) + static_cast<double>(i) * std::log(8));
  const auto bound_at = [&](std::span<const double> at) {
    for (std::size_t i = 0; i < at.size(); ++i) lambdas[i] = std::exp(at[i]);
    return localization_bound(lambdas, phases, start_distance, slope, modulus);
  };
  minimise_posynomial(bound_at, logs);
  bound_at(logs);
  return lambdas;
}

}  // namespace tailcoat
