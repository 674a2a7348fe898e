// Population-level localization (Algorithm 2, Prop. pop_localize): phase i comes within spread_i / lambda_i of the
// minimiser of F + (lambda_i / 2) |x - x_{i-1}|^2. What that is worth, and the best lambda_i. Proof:
// localization.md.
#pragma once

#include <span>
#include <vector>

namespace tailcoat {

// F(x_I) - F(x*) <= lambda_1 r^2 / 2 + sum_{i >= 2} (lambda_i / 2) (spread_{i-1} / lambda_{i-1})^2
//                   + slope spread_I / lambda_I,
// for a start within r of x* and an F with Lipschitz constant `slope`.
double localization_bound(std::span<const double> lambdas, std::span<const double> spreads, double start_distance,
                          double slope);

// The lambdas that minimise it.
std::vector<double> best_lambdas(std::span<const double> spreads, double start_distance, double slope);

}  // namespace tailcoat
