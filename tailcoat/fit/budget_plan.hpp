// BudgetPlan: what each stage of a fit may spend, from public numbers alone. Shares are of mu^2, which adds up; what no
// stage is planned to take goes to the gradients. fit.md says why each number is what it is.
#pragma once

#include <cstddef>

#include "tailcoat/losses/loss.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

struct BudgetPlan {
  double target = 0.03;
  double columns = 0.15;
  double moments = 0.20;  // second moments of the rows
  double norms = 0.03;    // histograms of gradient norms
  double errors = 0.02;   // second moments of the gradients
  double level = 0.01;
  double link = 0;
  double choice = 0.02;
  double diagnosis = 0;
  std::size_t steps = 12;
  bool bends = true;  // numbers may change their slopes

  [[nodiscard]] double gradients() const {
    return 1 - target - columns - moments - norms - errors - level - link - choice - diagnosis;
  }
};

struct PlanSetting {
  Loss loss;
  double signal_to_noise;  // rows * mu
  std::size_t numbers, texts;
  bool additive = true;
  bool diagnose = false;
};

BudgetPlan plan_budget(const PlanSetting&);

}  // namespace tailcoat
