// BudgetPlan: what each stage of a fit may spend, from public numbers alone. Shares are of mu^2, which adds up; what no
// stage is planned to take goes to the gradients. fit.md says why each number is what it is.
#pragma once

#include <cstddef>

#include "tailcoat/losses/loss.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

struct BudgetPlan {
  double target = 0;
  double columns = 0;
  double moments = 0;    // second moments of the rows
  double norms = 0.03;   // histograms of gradient norms
  double errors = 0.02;  // second moments of the gradients
  double level = 0;
  double link = 0;
  double choice = 0.02;
  std::size_t steps = 12;
  bool bends = true;  // numbers may change their slopes

  [[nodiscard]] double gradients() const {
    return 1 - target - columns - moments - norms - errors - level - link - choice;
  }
};

// Rows * mu: what rows and budget can tell together. Of chances and rates it counts as far as the loss is curved where
// a fit starts: few rows of a rare class tell something.
double signal_to_noise(double labelled_rows, Gdp total, const Loss&, double curvature);

// Whether rows and budget tell anything but a constant: below, the noise of slopes would be larger than any slope.
bool tells_slopes(const Loss&, double signal_to_noise);

// What the target gets, which comes first: its sketch, or its classes, and where a fit starts.
double target_share(const Loss&, double signal_to_noise);

struct PlanSetting {
  Loss loss;
  double signal_to_noise;
  std::size_t numbers, texts;
  double target_share;
  bool additive = true;
};

BudgetPlan plan_budget(const PlanSetting&);

}  // namespace tailcoat
