// The Gaussian mechanism on the lattice: integer sum plus rounded Gaussian noise of 2^26 units, exactly mu-GDP with
// mu = sensitivity / 2^26. Proof: mechanisms.md, "Gaussian release".
#pragma once

#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/engine/lattice.hpp"
#include "tailcoat/mechanisms/outlet.hpp"

namespace tailcoat {

// Charges sum.sensitivity / 2^26, then releases the sum. If the meter refuses, nothing is opened or drawn.
Result<std::vector<double>> gaussian_release(std::string what, SensitiveSum sum, Outlet outlet);

}  // namespace tailcoat
