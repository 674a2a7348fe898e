#include "tailcoat/fit/budget_plan.hpp"

#include <gtest/gtest.h>

namespace tailcoat {
namespace {

BudgetPlan plan_for(const char* loss, double signal, std::size_t numbers, bool additive = true) {
  return plan_budget({.loss = *parse_loss(loss),
                      .signal_to_noise = signal,
                      .numbers = numbers,
                      .texts = 2,
                      .target_share = target_share(*parse_loss(loss), signal),
                      .additive = additive});
}

TEST(BudgetPlan, AConstantHasNoColumnsToPayFor) {
  const BudgetPlan plan = plan_budget({.loss = SquaredLoss{},
                                       .signal_to_noise = 20,
                                       .numbers = 0,
                                       .texts = 0,
                                       .target_share = target_share(SquaredLoss{}, 20)});
  EXPECT_EQ(plan.columns + plan.moments, 0);
  EXPECT_GT(plan.target, 0.5);
  EXPECT_GT(plan.gradients(), 0.1);
}

TEST(BudgetPlan, LeavesMostToTheGradientsUnlessThereIsLittleToLearn) {
  for (const char* loss : {"squared", "absolute", "huber", "logistic", "poisson", "hinge", "quantile:0.9"}) {
    for (const double signal : {100.0, 300.0, 1e3, 1e5}) {
      for (const std::size_t numbers : {1u, 20u, 1000u}) {
        const BudgetPlan plan = plan_for(loss, signal, numbers);
        EXPECT_GT(plan.gradients(), 0.1) << loss << ' ' << signal << ' ' << numbers;
        if (signal >= 1e3 && numbers <= 20) {
          EXPECT_GT(plan.gradients(), 0.4) << loss << ' ' << signal << ' ' << numbers;
        }
      }
    }
  }
}

TEST(BudgetPlan, LinearModelsHaveNeitherBendsNorALink) {
  const BudgetPlan linear = plan_for("squared", 1e5, 5, false), additive = plan_for("squared", 1e5, 5);
  EXPECT_FALSE(linear.bends);
  EXPECT_EQ(linear.link, 0);
  EXPECT_TRUE(additive.bends);
  EXPECT_GT(additive.link, 0);
}

TEST(BudgetPlan, OfARareClassLittleIsTold) {
  const Loss logistic = LogisticLoss{};
  EXPECT_DOUBLE_EQ(signal_to_noise(1000, Gdp{0.5}, logistic, 0.25), 500);
  EXPECT_DOUBLE_EQ(signal_to_noise(1000, Gdp{0.5}, logistic, 0.01), 20);
  EXPECT_DOUBLE_EQ(signal_to_noise(1000, Gdp{0.5}, SquaredLoss{}, 0.01), 500);
}

}  // namespace
}  // namespace tailcoat
