// Population-level localization (Algorithm 2, Prop. pop_localize): a chain of regularised problems, each solved on its
// own samples around the answer of the one before. What a chain is worth, and its best weights lambda_i. No data is
// touched. Proofs: localization.md.
#pragma once

#include <span>
#include <vector>

namespace tailcoat {

// Times lambda_i + modulus, both of them.
struct ChainPhase {
  double spread;    // distance of the answer from the minimiser that the chain goes through
  double cost = 0;  // what that minimiser loses because the samples are finitely many
};

// p: a minimiser with a quadratic of this weight around a centre is worse than any point u by at most (p / 2) |u -
// centre|^2, for a function that is strongly convex with this modulus, which may be 0.
double distance_weight(double lambda, double modulus);

// sum_i [ (p_i / 2) v_{i-1} + cost_i / (lambda_i + modulus) ] + slope sqrt(v_I),
// v_0 = start_distance^2, v_i = (spread_i / (lambda_i + modulus))^2, p_i the distance weights: F(x_I) - F(x*) is at
// most this for a start within start_distance of x* and an F with Lipschitz constant `slope`; with modulus > 0 of
// strongly convex functions.
double localization_bound(std::span<const double> lambdas, std::span<const ChainPhase> phases, double start_distance,
                          double slope, double modulus = 0);

// The lambdas that minimise it.
std::vector<double> best_lambdas(std::span<const ChainPhase> phases, double start_distance, double slope,
                                 double modulus = 0);

}  // namespace tailcoat
