// One pass over the samples, one step each: what a one-pass algorithm does between two releases. The average of its
// iterates moves by at most 2 step clip (1 - 1/n) when one sample is replaced, because every step is nonexpansive and
// moves by at most step clip. Proofs, with all float errors: one_pass.md.
#pragma once

#include <limits>

namespace tailcoat {

enum class StepRule {
  // The proximal step of the sample function, made clip-Lipschitz: of a GLM by clipping its slope, of a loss of the
  // user's own (which must bring implicit_step) by its Lipschitz extension. Nonexpansive for every step.
  implicit,
  // The clipped gradient step of a GLM (Algorithm 5). Nonexpansive where step times curvature is at most 2: samples
  // with more are left out, each by itself.
  clipped_gradient,
};

struct OnePass {
  StepRule rule = StepRule::implicit;
  double step;
  double clip;
  // Samples whose Lipschitz constant over the domain may be larger are left out (Algorithm 4). GLMs only.
  double steepest = std::numeric_limits<double>::infinity();
};

}  // namespace tailcoat
