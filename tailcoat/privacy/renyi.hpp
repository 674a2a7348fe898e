// Renyi divergence: the curves of the events that have one, and what a curve says about (epsilon, delta). Everything
// here is rounded up. Proofs: privacy.md, "Renyi curves".
#pragma once

#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

// The divergence of order alpha > 1 of the worst epsilon-DP mechanism, which is randomised response.
double pure_renyi(double epsilon, double alpha);

// The same for the worst mechanism whose privacy loss stays in an interval of length epsilon (bounded range), as that
// of the exponential mechanism does.
double bounded_range_renyi(double epsilon, double alpha);

// The natural logarithm of the least delta that a curve implies at epsilon >= 0 (Canonne, Kamath and Steinke 2020,
// proposition 12), the order chosen to suit.
double renyi_log_delta(const Rdp& curve, double epsilon);

}  // namespace tailcoat
