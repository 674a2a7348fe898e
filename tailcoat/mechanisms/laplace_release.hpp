// The Laplace mechanism on the lattice: integer vector plus exact discrete Laplace noise, the same scale for each
// coordinate. Pure epsilon-DP. Proof: mechanisms.md, "Laplace release".
#pragma once

#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/engine/lattice.hpp"
#include "tailcoat/mechanisms/outlet.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

// Sums for a Laplace release are made for this cost, which only says how fine their lattice is: 2^18 units to the
// sensitivity, so that rounding takes sqrt(d) / 2^18 of it and scales are in the range of DiscreteLaplace.
inline constexpr Gdp kLaplaceLattice{0x1p-8};

// In lattice units, rounded up: sqrt(size) times the L2 sensitivity, over epsilon. The noise of each number has a
// variance of at most 2 scale^2.
double laplace_scale(const SensitiveSum& sum, PureDp cost);

// `cost` must have been reserved with the meter as PureEvent{epsilon}. If the meter refuses, or the scale is out of
// range, nothing is opened or drawn.
Result<std::vector<double>> laplace_release(std::string what, SensitiveSum sum, PureDp cost, Outlet outlet);

}  // namespace tailcoat
