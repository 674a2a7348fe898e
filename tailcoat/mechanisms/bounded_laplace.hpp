// The bounded Laplace mechanism (Lemma `bounded_lap_mech`): one number plus Laplace noise cut to [-bound, bound], so
// the error has a hard limit. (epsilon, delta)-DP with the exact delta of the cut, on the lattice. Proof:
// mechanisms.md.
#pragma once

#include <string>

#include "tailcoat/base/result.hpp"
#include "tailcoat/engine/lattice.hpp"
#include "tailcoat/mechanisms/outlet.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

struct BoundedRelease {
  double value;
  double bound;  // |value - truth| never exceeds it
};

// `cost` must have been reserved with the meter as ApproximateEvent{epsilon, delta}; the sum must hold one number.
Result<BoundedRelease> bounded_laplace_release(std::string what, SensitiveSum sum, ApproxDp cost, Outlet outlet);

}  // namespace tailcoat
