// One pass of gradient steps of which a guard says, from the length of each gradient, whether to clip it: the pass of
// Algorithm 7. Two passes that differ in one sample, and in whose other decisions the guard agrees, stay within
// guarded_drift() of each other as long as few gradients are clipped. Proofs, with all float errors: guarded_pass.md.
#pragma once

#include <cstddef>
#include <functional>

#include "tailcoat/domains/domain.hpp"
#include "tailcoat/engine/samples.hpp"
#include "tailcoat/privacy/sensitive.hpp"

namespace tailcoat {

struct GuardedPass {
  double step;
  double clip;     // length of a clipped gradient
  double longest;  // plain gradient, at least `clip`: the guard must clip what is longer (and if it did not, the pass
                   // would)
  // The gradients of each sample are that Lipschitz, and the sample is convex. A sample of a GLM that may be steeper is
  // left out; a loss of the user's own is trusted, on a neighbourhood of the domain. step * smoothness <= 1.
  double smoothness;
  double most_clipped;  // gradients, in a pass whose average is released
};

// Whether to clip a gradient of this length (lengths beyond 2 longest are given as that).
using Guard = std::function<bool(const Sensitive<double>& length)>;

struct GuardedDrift {
  double iterates;  // how far apart two iterates, and two averages, can be
  double lengths;   // and two lengths of the same sample's gradients
};

// For passes over as many samples, differing in one, with the same decisions for all others, of which at most
// most_clipped are to clip.
GuardedDrift guarded_drift(const Samples&, const Domain&, const GuardedPass&);

}  // namespace tailcoat
