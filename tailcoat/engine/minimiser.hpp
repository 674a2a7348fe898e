// The minimiser over a domain X of
//   (1/n) sum_i f(x; s_i) + (weight / 2) |x - centre|^2
// to a certified distance: what algorithms that perturb an exact minimiser (PhasedERM, objective perturbation) release.
// With f(.; s) L-Lipschitz it moves by at most 2 L / (weight n) when one sample is replaced; twice the certified
// distance is added to that. The search ends when its certificate holds, never earlier. Proofs, with all float errors:
// minimiser.md.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "tailcoat/domains/domain.hpp"
#include "tailcoat/losses/loss.hpp"
#include "tailcoat/privacy/sensitive.hpp"

namespace tailcoat {

enum class SteepSamples {
  leave_out,  // a sample that may be steeper than `lipschitz` over the domain counts as zero, or as the dummy (below)
  clip,       // GLMs only: its slope is clipped, which makes it another convex function
};

inline constexpr double kMinimiserShare = 0.05;

struct Minimisation {
  SteepSamples steep = SteepSamples::leave_out;
  double lipschitz;  // L: every sample function that takes part is L-Lipschitz
  double weight;     // lambda
  // The certified distance that the search aims for, as a share of 2 L / (modulus n), where floating point allows it.
  double share = kMinimiserShare;
  // GLMs: each sample function is first replaced by its Moreau envelope, which is `envelope`-smooth and nowhere lower
  // than the function by more than lipschitz^2 / (2 envelope).
  double envelope = std::numeric_limits<double>::infinity();
  // Losses of the user's own: promises about every possible sample on the domain. A sample left out counts as
  // (strong_convexity / 2) |x - x_0|^2, x_0 the centre of the domain.
  double smoothness = std::numeric_limits<double>::infinity();
  double strong_convexity = 0;
};

// A secret linear term of the objective (objective perturbation). The exact minimiser then counts as released by its
// own proof, and the sensitivity is that of what is left: how far two points may be that are both certified to be near
// it.
struct Tilt {
  Sensitive<std::vector<double>> slope;
  double longest;   // public: no slope is longer
  double rounding;  // public: how far the slope may be from the one that the proof is about
};

// What floating point may do to a certificate, and the distance that is certified in the end. All public.
struct MinimiserTolerance {
  double slope_error;   // of a computed slope, relative to the largest slope of its sample
  double point_error;   // of a computed minimiser of the Lagrangian
  double margin_error;  // of a computed margin, per norm of the row
  double anchor_error;  // of the margin at which a dual scalar is a slope, per norm of the row
  double gap;           // at which duality gap the search ends
  double distance;      // of what it returns from the minimiser
};

// For `rows` samples of a GLM; `loss` as its errors differ. `longest_tilt`: of a tilt, or 0.
MinimiserTolerance minimiser_tolerance(const Minimisation&, const Domain&, const Loss&, std::size_t rows,
                                       double longest_tilt = 0);

}  // namespace tailcoat
