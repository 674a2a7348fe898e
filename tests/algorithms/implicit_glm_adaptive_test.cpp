#include "tailcoat/algorithms/implicit_glm_adaptive.hpp"

#include <gtest/gtest.h>

#include "problems.hpp"

namespace tailcoat {
namespace {

constexpr Moments kMoments{2, 1.5, 1.5};
constexpr Gdp kBudget{1};

double absolute_risk(const TestData& data, std::span<const double> x) {
  double sum = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    double residual = -data.labels[i];
    for (std::size_t j = 0; j < x.size(); ++j) residual += data.rows[i * x.size() + j] * x[j];
    sum += std::abs(residual);
  }
  return sum / static_cast<double>(data.size());
}

// The oracle knows the test data: it tries clips and steps over factors of 2.5 and 2 and keeps the best on average.
TEST(ImplicitGlmAdaptive, IsWithinThreeOfItsOracle) {
  const std::size_t n = 8192, d = 10;
  const int repetitions = 4;
  Engine engine(1);
  const TestData test = heavy_tailed_data(50'000, d, 99);
  std::vector<double> optimum(d);
  for (std::size_t j = 0; j < d; ++j) optimum[j] = (j % 2 == 0 ? 0.5 : -0.5) / std::sqrt(static_cast<double>(d));
  const double least = absolute_risk(test, optimum);
  const auto mean_excess = [&](const auto& solve) {
    double sum = 0;
    for (std::uint64_t seed = 0; seed < repetitions; ++seed) {
      const TestData data = heavy_tailed_data(n, d, seed);
      const LabelledData loaded = data.load(engine);
      const Problem problem{Samples(loaded, AbsoluteLoss{}), ball(d, 1)};
      BitSource noise = BitSource::insecure_seeded(seed);
      sum += absolute_risk(test, solve(RunContext{engine, noise}, problem)) - least;
    }
    return sum / repetitions;
  };
  const double adaptive = mean_excess([&](RunContext run, const Problem& problem) {
    return implicit_glm_adaptive(run, problem, kMoments, kBudget, {})->x;
  });
  const PhasedPlan plan =
      tuned_phases({n, d, 2, 1, kMoments}, kBudget, StepRule::implicit, std::numeric_limits<double>::infinity());
  double oracle = std::numeric_limits<double>::infinity();
  for (double clip = 1; clip > 0.05; clip /= 2.5) {
    for (double step = 1; step < 64; step *= 2) {
      std::vector<Phase> phases = plan.phases;
      for (Phase& phase : phases) phase.pass.clip *= clip, phase.pass.step *= step;
      oracle = std::min(oracle, mean_excess([&](RunContext run, const Problem& problem) {
                          PrivacyMeter meter = *PrivacyMeter::open(kBudget);
                          return *run_phases(run, problem, phases, meter.total(), meter);
                        }));
    }
  }
  EXPECT_LT(adaptive, 3 * oracle);
}

TEST(ImplicitGlmAdaptive, ScaleRowsAndPassRowsAreApart) {
  const auto plan = *plan_implicit_glm_adaptive({20'000, 5, 2, 1, kMoments}, kBudget, {});
  std::size_t sum = 0;
  for (const AdaptivePhase& phase : plan.phases) sum += phase.scale_rows + phase.rows;
  EXPECT_EQ(sum, 20'000u);
  EXPECT_GT(plan.phases[0].scale_rows, 0u);
}

TEST(ImplicitGlmAdaptive, ReceiptAddsUpToTheBudget) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(3);
  const TestData data = heavy_tailed_data(20'000, 5, 3);
  const LabelledData loaded = data.load(engine);
  const auto solution =
      implicit_glm_adaptive({engine, noise}, {Samples(loaded, SquaredLoss{}), ball(5, 1)}, kMoments, kBudget, {});
  ASSERT_TRUE(solution.ok()) << solution.error().message;
  EXPECT_TRUE(adds_up(solution->receipt, 1)) << solution->receipt.json();
}

TEST(ImplicitGlmAdaptive, RefusesTooFewRows) {
  const auto refused = plan_implicit_glm_adaptive({100, 5, 2, 1, kMoments}, Gdp{0.1}, {});
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  EXPECT_NE(refused.error().message.find("to find a scale"), std::string::npos);
}

}  // namespace
}  // namespace tailcoat
