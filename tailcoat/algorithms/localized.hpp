// localized: population-level localization with private solves (Algorithms 2 and 3, Theorem 1) for any convex loss. Its
// bound is on the mean, with an explicit constant and no logarithm, or holds with high probability; with the text's
// constants it is the theorem as stated (localized_as_stated.hpp). Statement, proofs and constants: localized.md.
#pragma once

#include "tailcoat/algorithms/localized_plan.hpp"

namespace tailcoat {

Result<Forecast> plan_localized(const Setting&, const Budget&, const Options&);

// For GLMs and for losses of the user's own with a gradient; their `value` is needed to select among runs, which a
// small failure probability may ask for.
Result<Solution> localized(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

}  // namespace tailcoat
