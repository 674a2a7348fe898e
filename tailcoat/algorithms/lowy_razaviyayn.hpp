// lowy-razaviyayn: the localized noisy clipped subgradient method of Lowy and Razaviyayn (ALT 2023, Algorithms 2 and
// 3), a baseline. Statement, and where we leave it: lowy_razaviyayn.md.
#pragma once

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

struct LowyRazaviyaynPhase {
  std::size_t rows = 0;  // n_i
  double clip = 0;       // C_i
  double step = 0;       // eta_i
  double lambda = 0;
  std::size_t steps = 0;  // T_i
  double wanted_steps = 0;
};

struct LowyRazaviyaynPlan : Forecast {
  std::vector<LowyRazaviyaynPhase> phases;
};

Result<LowyRazaviyaynPlan> plan_lowy_razaviyayn(const Setting&, const Budget&, const Options&);
Result<Solution> lowy_razaviyayn(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

}  // namespace tailcoat
