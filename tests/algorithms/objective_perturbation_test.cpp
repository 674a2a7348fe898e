#include "tailcoat/algorithms/objective_perturbation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tailcoat {
namespace {

constexpr ApproxDp kBudget{1, 1e-6};

Setting example(std::size_t rows) {
  return {.rows = rows, .dimension = 5, .diameter = 2, .start_distance = 1, .moments = {3, 1.05, 2}};
}

TEST(ObjectivePerturbation, PlanStaysWithinItsConditions) {
  double last = 1e9;
  for (const std::size_t n : {1000u, 10000u, 100000u}) {
    const auto plan = plan_objective_perturbation(example(n), kBudget, {});
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    const auto& m = plan->mechanism;
    EXPECT_LT(std::log1p(m.smoothness / (m.weight * static_cast<double>(n))), m.cost.epsilon);
    EXPECT_LT(m.cost.epsilon, 1);
    EXPECT_LT(plan->bound.excess_risk, last);
    last = plan->bound.excess_risk;
  }
}

TEST(ObjectivePerturbation, RefusesBudgetsAndConstantsItDoesNotHave) {
  EXPECT_FALSE(plan_objective_perturbation(example(1000), Gdp{1}, {}).ok());
  EXPECT_FALSE(plan_objective_perturbation(example(1000), kBudget, {.constants = Constants::paper}).ok());
}

// Median regression on rows with t-distributed entries; the excess is measured on fresh rows, against the parameters
// that made the labels, which are best.
TEST(ObjectivePerturbation, MeasuredExcessIsWithinTheCertifiedBoundAndTheReceiptAddsUp) {
  Engine engine(1);
  std::mt19937_64 random(1);
  std::student_t_distribution<> heavy(4);
  const std::size_t d = 5, n = 8192;
  const std::vector<double> best{0.4, -0.4, 0.4, -0.4, 0.4};
  const auto make = [&](std::vector<double>& rows, std::vector<double>& labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        rows[i * d + j] = heavy(random) / std::sqrt(10.0);
        labels[i] += best[j] * rows[i * d + j];
      }
      labels[i] += heavy(random);
    }
  };
  std::vector<double> rows(n * d), labels(n), fresh(n * d), fresh_labels(n);
  make(rows, labels);
  make(fresh, fresh_labels);
  const auto data = *engine.load(RowsOf<double>{rows.data(), n, d, d}, labels);
  const Problem problem{Samples(data, AbsoluteLoss{}), *Domain::ball(std::vector<double>(d), 1)};
  BitSource noise = BitSource::insecure_seeded(1);
  const auto solution = objective_perturbation({engine, noise}, problem, {3, 1.05, 2}, kBudget, {});
  ASSERT_TRUE(solution.ok()) << solution.error().message;

  double excess = 0, trivial = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double margin = 0, best_margin = 0;
    for (std::size_t j = 0; j < d; ++j) {
      margin += fresh[i * d + j] * solution->x[j];
      best_margin += fresh[i * d + j] * best[j];
    }
    const double least = std::abs(best_margin - fresh_labels[i]) / static_cast<double>(n);
    excess += std::abs(margin - fresh_labels[i]) / static_cast<double>(n) - least;
    trivial += std::abs(fresh_labels[i]) / static_cast<double>(n) - least;
  }
  EXPECT_LT(excess, solution->certified.excess_risk);
  EXPECT_LT(excess, trivial);

  const Receipt& receipt = solution->receipt;
  ASSERT_EQ(receipt.lines.size(), 2u);
  EXPECT_EQ(receipt.budget.epsilon, 1);
  EXPECT_EQ(receipt.lines[0].price.delta, kBudget.delta / 2);
  EXPECT_NEAR(receipt.gaussian_spent.mu, receipt.gaussian_budget.mu, 1e-6 * receipt.gaussian_budget.mu);
  const auto plan = *plan_objective_perturbation(setting_of(problem, {3, 1.05, 2}), kBudget, {});
  EXPECT_NEAR(solution->certified.excess_risk, plan.bound.excess_risk, 0.02 * plan.bound.excess_risk);
}

}  // namespace
}  // namespace tailcoat
