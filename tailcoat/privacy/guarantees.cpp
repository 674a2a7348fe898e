#include "tailcoat/privacy/guarantees.hpp"

#include <fmt/format.h>

#include "tailcoat/privacy/budget_option.hpp"

namespace tailcoat {

Result<ApproxDp> check(ApproxDp guarantee) {
  TAILCOAT_CHECK(check(kEpsilonOption, guarantee.epsilon));
  TAILCOAT_CHECK(check(kDeltaOption, guarantee.delta));
  return guarantee;
}

Result<ApproxDp> check_budget(ApproxDp budget) {
  TAILCOAT_CHECK(check(kEpsilonOption, budget.epsilon));
  if (budget.delta == 0)
    return usage_error(
        "delta = 0 is pure epsilon-DP, which allows no Gaussian noise: only algorithm known-lipschitz runs without; "
        "use it, or give a delta above 0, such as 1e-6");
  if (!(budget.delta > kBudgetDeltaOption.highest && budget.delta < 1)) {
    TAILCOAT_CHECK(check(kBudgetDeltaOption, budget.delta));
    return budget;
  }
  return refusal(fmt::format("delta = {} is above {}: that is no privacy; take it well below 1 / rows, such as 1e-6",
                             budget.delta, kBudgetDeltaOption.highest));
}

Result<ApproxDp> check_theorem_budget(ApproxDp budget) {
  if (budget.delta != 0) return check_budget(budget);
  TAILCOAT_CHECK(check(PureDp{budget.epsilon}));
  return budget;
}

Result<PureDp> check(PureDp guarantee) {
  TAILCOAT_CHECK(check(kEpsilonOption, guarantee.epsilon));
  return guarantee;
}

Result<Zcdp> check(Zcdp guarantee) {
  TAILCOAT_CHECK(check(kRhoOption, guarantee.rho));
  return guarantee;
}

Result<Gdp> check(Gdp guarantee) {
  TAILCOAT_CHECK(check(kMuOption, guarantee.mu));
  return guarantee;
}

}  // namespace tailcoat
