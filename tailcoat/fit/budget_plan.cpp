#include "tailcoat/fit/budget_plan.hpp"

#include <algorithm>

#include "tailcoat/losses/traits.hpp"

namespace tailcoat {
namespace {

// Rows * mu for each column, or bend, and five more.
constexpr double kForBend = 40, kForColumns = 9, kBesides = 5;
constexpr double kLeastColumns = 0.15, kMostColumns = 0.3;
constexpr double kColumnsAndMoments = 0.35, kLeastMoments = 0.1, kMostMoments = 0.2;
constexpr double kForTarget = 20, kForRate = 60, kLeastTarget = 0.03, kMostTarget = 0.3;
constexpr double kForSlopes = 50, kForSlopesOfRates = 100, kTargetAlone = 0.7;

constexpr double kForLink = 250, kLink = 0.07;
constexpr double kLevel = 0.01, kLevelOfRate = 0.03;
constexpr std::size_t kStepsOfKinks = 18;  // where gradients are bounded, more of them lead to the same place

}  // namespace

double signal_to_noise(double labelled_rows, Gdp total, const Loss& loss, double curvature) {
  return labelled_rows * total.mu * (traits_of(loss).exponential() ? std::min(4 * curvature, 1.0) : 1);
}

bool tells_slopes(const Loss& loss, double signal) {
  return signal >= (traits_of(loss).exponential() ? kForSlopesOfRates : kForSlopes);
}

double target_share(const Loss& loss, double signal) {
  if (!tells_slopes(loss, signal)) return kTargetAlone;
  return std::clamp((traits_of(loss).exponential() ? kForRate : kForTarget) / signal, kLeastTarget, kMostTarget);
}

BudgetPlan plan_budget(const PlanSetting& setting) {
  const double strength = setting.signal_to_noise;
  const LossTraits traits = traits_of(setting.loss);
  const auto columns = static_cast<double>(setting.numbers + setting.texts);
  BudgetPlan plan;
  if (traits.sees_residuals()) plan.steps = kStepsOfKinks;
  plan.target = setting.target_share;
  if (columns > 0) {
    plan.columns = std::clamp(kForColumns * (columns + kBesides) / strength, kLeastColumns, kMostColumns);
    plan.moments = std::clamp(kColumnsAndMoments - plan.columns, kLeastMoments, kMostMoments);
  }
  plan.level = !traits.levelled ? 0 : (traits.exponential() ? kLevelOfRate : kLevel);
  if (traits.target == LossTraits::Target::number && setting.additive && strength >= kForLink) plan.link = kLink;
  plan.bends = setting.additive && strength >= kForBend * (2 * static_cast<double>(setting.numbers) + kBesides);
  return plan;
}

}  // namespace tailcoat
