// Population-level localization (Algorithm 2, Prop. pop_localize): a chain of regularised problems, each solved on its
// own samples around the answer of the one before. What a chain is worth, and its best weights lambda_i. No data is
// touched. Proofs: localization.md.
#pragma once

#include <span>
#include <vector>

namespace tailcoat {

// Phase i comes within spread / (lambda_i + modulus) of what the chain goes through, in the root of the mean square.
struct ChainPhase {
  double spread;
  double cost = 0;  // cost / (lambda_i + modulus): how much worse the minimiser of its samples is than the next point
};

// sum_i [ (lambda_i / 2) v_{i-1} + cost_i / (lambda_i + modulus) ] + slope sqrt(v_I),
// v_0 = start_distance^2 and v_i = (spread_i / (lambda_i + modulus))^2: F(x_I) - F(x*) is at most this for a start within
// start_distance of x* and an F with Lipschitz constant `slope`; with modulus > 0 of a strongly convex F.
double localization_bound(std::span<const double> lambdas, std::span<const ChainPhase> phases, double start_distance,
                          double slope, double modulus = 0);

// The lambdas that minimise it.
std::vector<double> best_lambdas(std::span<const ChainPhase> phases, double start_distance, double slope,
                                 double modulus = 0);

}  // namespace tailcoat
