// What one would compute without privacy: the empirical minimiser of a simulated problem, up to its distance from the
// boundary of the domain. The yardstick of the studies.
#pragma once

#include <vector>

#include "experiments/simulate.hpp"

namespace tailcoat::experiments {

// A point of the domain. Absolute loss is minimised to within a smoothing of 1e-3.
std::vector<double> nonprivate_fit(const Simulation&, const Sample&);

}  // namespace tailcoat::experiments
