#include "tailcoat/algorithms/implicit_glm.hpp"

#include <gtest/gtest.h>

#include "problems.hpp"
#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat {
namespace {

constexpr Moments kMoments{3, 1.5, 1.8};
const Budget kBudget = Gdp{0.5};

Solution solved(const TestData& data, const Loss& loss, std::uint64_t seed) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(seed);
  const LabelledData loaded = data.load(engine);
  return *implicit_glm({engine, noise}, {Samples(loaded, loss), ball(data.dimension, 1)}, kMoments, kBudget, {});
}

TEST(ImplicitGlm, BoundIsBelowItsClosedForm) {
  for (const double k : {2.0, 3.0, 4.0}) {
    for (const std::size_t rows : {1u << 12, 1u << 18}) {
      const auto n = static_cast<double>(rows);
      const Setting setting{rows, 20, 2, 2, {k, 1.6, 2.5}};
      const auto plan = plan_implicit_glm(setting, Gdp{std::sqrt(0.2)}, {});
      ASSERT_TRUE(plan.ok()) << plan.error().message;
      const double private_term = std::pow(std::sqrt(20.0) / (n * std::sqrt(0.1)), 1 - 1 / k);
      const double closed_form =
          1.64 * 1.6 * 2 / std::sqrt(n) + std::pow(8 * std::sqrt(2.0), 1 - 1 / k) * 2.5 * 2 * private_term;
      EXPECT_LT(plan->bound.excess_risk, closed_form);
      EXPECT_GT(plan->bound.excess_risk, optimal_rate(setting, Gdp{std::sqrt(0.2)}));
    }
  }
}

TEST(ImplicitGlm, EveryRowIsInOnePhase) {
  for (const std::size_t rows : {4u, 5u, 100u, 12345u}) {
    const auto plan = *plan_implicit_glm({rows, 3, 2, 1, kMoments}, kBudget, {});
    std::size_t sum = 0;
    for (const Phase& phase : plan.phases) {
      EXPECT_GE(phase.rows, 2u);
      sum += phase.rows;
    }
    EXPECT_EQ(sum, rows);
  }
}

// One record in the last phase, the same noise: the results are apart by no more than the receipt says.
TEST(ImplicitGlm, CoupledRunsStayWithinTheSensitivity) {
  const std::size_t n = 64, last = plan_implicit_glm({n, 3, 2, 1, kMoments}, kBudget, {})->phases.back().rows;
  double largest = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Loss losses[] = {AbsoluteLoss{}, LogisticLoss{}, SquaredLoss{}, HingeLoss{}, PoissonLoss{}};
    const Loss loss = losses[seed % std::size(losses)];
    const TestData data = heavy_tailed_data(n, 3, seed);
    const Solution one = solved(data, loss, seed);
    const Solution other = solved(neighbour_of(data, n - last + seed % last, seed), loss, seed);
    EXPECT_LE(distance(one.x, other.x), last_sensitivity(one.receipt)) << loss_name(loss) << ", seed " << seed;
    largest = std::max(largest, distance(one.x, other.x) / last_sensitivity(one.receipt));
  }
  EXPECT_GT(largest, 0.3);  // the pairs are hard enough for a factor to be missed
}

TEST(ImplicitGlm, ReceiptAddsUpToTheBudget) {
  const Solution solution = solved(heavy_tailed_data(1000, 5, 1), AbsoluteLoss{}, 1);
  EXPECT_TRUE(adds_up(solution.receipt, 0.5)) << solution.receipt.json();
  EXPECT_FALSE(solution.receipt.secure);
}

TEST(ImplicitGlm, ResultIsInTheDomain) {
  EXPECT_TRUE(ball(5, 1).contains(solved(heavy_tailed_data(50, 5, 1), AbsoluteLoss{}, 1).x, 1e-12));
}

TEST(ImplicitGlm, RefusesBeforeItLooks) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(1);
  const TestData data = heavy_tailed_data(3, 2, 1);
  const LabelledData loaded = data.load(engine);
  const Problem problem{Samples(loaded, AbsoluteLoss{}), ball(2, 1)};
  const auto refused = [&](const Problem& asked, Moments moments, const Budget& budget, Options options) {
    return implicit_glm({engine, noise}, asked, moments, budget, options).error().message;
  };
  EXPECT_EQ(refused(problem, kMoments, kBudget, {}), "implicit-glm needs at least 4 rows, the data has 3");
  EXPECT_NE(refused(problem, {1.5, 1, 1}, kBudget, {}).find("k = 1.5"), std::string::npos);
  EXPECT_NE(refused(problem, {3, 2, 1}, kBudget, {}).find("Gk = 1 is below G2 = 2"), std::string::npos);
  EXPECT_NE(refused(problem, kMoments, Gdp{-1}, {}).find("-1"), std::string::npos);
  EXPECT_NE(refused(problem, kMoments, kBudget, {.constants = Constants::paper}).find("not in the paper"),
            std::string::npos);
  const Problem own{Samples(10, 2, {.gradient = [](std::size_t, auto, auto) {}}), ball(2, 1)};
  EXPECT_NE(refused(own, kMoments, kBudget, {}).find("generalised linear models"), std::string::npos);
}

}  // namespace
}  // namespace tailcoat
