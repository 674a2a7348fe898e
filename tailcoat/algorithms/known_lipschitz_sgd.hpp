// known-lipschitz-sgd: Algorithm 4 (KLReduce) with Phased-SGD (Feldman, Koren, Talwar 2020) as its base solver: one
// pass of gradient steps over smooth C-Lipschitz samples. GLMs, mu = 0. Statement, proofs and constants:
// known_lipschitz_sgd.md.
#pragma once

#include "tailcoat/algorithms/phases.hpp"

namespace tailcoat {

struct LipschitzSgdPlan : PhasedPlan {
  Gdp spent{};  // half of the budget with the constants as published, all of it with tight ones
};

Result<LipschitzSgdPlan> plan_known_lipschitz_sgd(const Setting&, const Budget&, const Options&);
Result<Solution> known_lipschitz_sgd(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

}  // namespace tailcoat
