// Minimises a bound over its parameters. All bounds of the algorithms are posynomials, hence convex in the logarithms:
// descent along the coordinates finds the minimum. The bounds use public numbers only, so tuning costs no privacy.
#pragma once

#include <functional>
#include <span>

namespace tailcoat {

// The least value found from `logs`, which becomes where it is.
double minimise_posynomial(const std::function<double(std::span<const double> logs)>& bound, std::span<double> logs);

// Where in [low, high] a function that falls and then rises is least, up to `tolerance`, by golden sections.
double least_of_unimodal(const std::function<double(double)>& value, double low, double high, double tolerance);

}  // namespace tailcoat
