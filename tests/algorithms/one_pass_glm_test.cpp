#include "tailcoat/algorithms/one_pass_glm.hpp"

#include <gtest/gtest.h>

#include "problems.hpp"

namespace tailcoat {
namespace {

constexpr Setting kSetting{
    .rows = 1500, .dimension = 5, .diameter = 2, .start_distance = 1, .moments = {3, 1, 1.5}, .smoothness = 1};
const Budget kBudget = Gdp{1};  // rho = 1/2

// Step and threshold for n = 1024 were computed from the text's formulas with Python.
TEST(OnePassGlm, PaperConstantsAreThoseOfAlgorithm8) {
  const auto plan = *plan_one_pass_glm(kSetting, kBudget, {.constants = Constants::paper});
  ASSERT_EQ(plan.phases.size(), 9u);
  EXPECT_EQ(plan.phases[0].rows, 512u);
  EXPECT_NEAR(plan.phases[0].pass.step * 16, 0.0307002624887, 1e-9);
  EXPECT_NEAR(plan.phases[0].pass.clip / 2, 5.1502453, 1e-6);
  EXPECT_DOUBLE_EQ(plan.phases[1].pass.step, plan.phases[0].pass.step / 16);
  EXPECT_DOUBLE_EQ(plan.phases[1].pass.clip, plan.phases[0].pass.clip * 2);
}

TEST(OnePassGlm, ErratumE4PaperNoiseIsTwiceWhatItMustBe) {
  EXPECT_EQ(plan_one_pass_glm(kSetting, kBudget, {.constants = Constants::paper})->spent.mu, 0.5);
  EXPECT_EQ(plan_one_pass_glm(kSetting, kBudget, {})->spent.mu, 1);
}

TEST(OnePassGlm, ErratumE5TextPromisesLessThanItsParametersGive) {
  const double n = 1 << 20, d = 20;
  const Setting setting{1 << 20, 20, 2, 2, {3, 1e-3, 1}, 1e-6};
  const double rate = 2 * std::pow(std::sqrt(d) / (n * std::sqrt(0.5)), 2.0 / 3);
  const auto stated = *plan_one_pass_glm(setting, kBudget, {.constants = Constants::paper});
  EXPECT_GT(stated.bound.excess_risk, 26 * rate);
  EXPECT_LT(plan_one_pass_glm(setting, kBudget, {})->bound.excess_risk, 6 * rate);
}

TEST(OnePassGlm, ErratumE20NoPhaseOfOneSample) {
  const auto plan = *plan_one_pass_glm(kSetting, kBudget, {.constants = Constants::paper});
  for (const Phase& phase : plan.phases) EXPECT_GE(phase.rows, 2u);
}

// The engine leaves out a record beyond 1.999 / step: float errors must not do that to one at the promised smoothness.
TEST(OnePassGlm, RecordsAtThePromisedSmoothnessTakePart) {
  Setting rough = kSetting;
  rough.smoothness = 1e4;
  const double step = plan_one_pass_glm(rough, kBudget, {})->phases.front().pass.step;
  EXPECT_LT(step * rough.smoothness, 1.9985);
  EXPECT_GT(step * rough.smoothness, 1.9);  // smoothness is what limits it
}

TEST(OnePassGlm, ErratumE21SmoothnessIsTestedWhereItMatters) {
  Setting rough = kSetting;
  rough.smoothness = 1e4;
  const auto stated = plan_one_pass_glm(rough, kBudget, {.constants = Constants::paper});
  ASSERT_FALSE(stated.ok());
  EXPECT_NE(stated.error().message.find("beta = 10000"), std::string::npos);
  const auto tight = plan_one_pass_glm(rough, kBudget, {});
  ASSERT_TRUE(tight.ok());
  for (const Phase& phase : tight->phases) EXPECT_LE(phase.pass.step * rough.smoothness, 2);
  rough.smoothness = std::numeric_limits<double>::infinity();
  EXPECT_EQ(plan_one_pass_glm(rough, kBudget, {}).error().kind, ErrorKind::refused);
}

TEST(OnePassGlm, CoupledRunsStayWithinTheSensitivity) {
  Engine engine(1);
  const std::size_t n = 64;
  for (const Constants constants : {Constants::tight, Constants::paper}) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      const TestData data = heavy_tailed_data(n, 3, seed);
      const auto solve = [&](const TestData& asked) {
        BitSource noise = BitSource::insecure_seeded(seed);
        const LabelledData loaded = asked.load(engine);
        const Problem problem{Samples(loaded, LogisticLoss{}), ball(3, 1), 2};
        return *one_pass_glm({engine, noise}, problem, {3, 1.5, 1.8}, kBudget, {.constants = constants});
      };
      const Solution one = solve(data), other = solve(neighbour_of(data, n - 2 - (seed % 2), seed));
      EXPECT_LE(distance(one.x, other.x), last_sensitivity(one.receipt)) << seed;
      EXPECT_TRUE(ball(3, 1).contains(one.x, 1e-12));  // E3: the paper's is not
    }
  }
}

TEST(OnePassGlm, RefusesLossesThatAreNoGlm) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(1);
  const Problem own{Samples(10, 2, {.gradient = [](std::size_t, auto, auto) {}}), ball(2, 1), 1};
  EXPECT_NE(one_pass_glm({engine, noise}, own, {3, 1, 1}, kBudget, {}).error().message.find("Appendix B"),
            std::string::npos);
}

}  // namespace
}  // namespace tailcoat
