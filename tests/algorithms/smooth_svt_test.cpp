#include "tailcoat/algorithms/smooth_svt.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tailcoat/algorithms/catalogue.hpp"
#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat {
namespace {

const Budget kBudget = ApproxDp{1, 1e-6};
const Options kPaper{.constants = Constants::paper};

Setting setting_with(std::size_t rows, double smoothness, std::size_t dimension = 5, double k = 4) {
  return {.rows = rows,
          .dimension = dimension,
          .diameter = 2,
          .start_distance = 1,
          .moments = {k, 1, 1.5},
          .smoothness = smoothness};
}

// f(x; s) = (beta / 2) |x - s|^2 with heavy-tailed s around `centre`: no GLM, and its minimum is known.
struct MeanProblem {
  static constexpr std::size_t kDimension = 3;
  static constexpr double kBeta = 0.1, kCentre = 0.4;
  std::vector<double> values;
  Problem problem;

  MeanProblem(std::size_t rows, std::uint64_t seed)
      : problem{.samples = Samples(rows, kDimension,
                                   {.gradient =
                                        [this](std::size_t row, std::span<const double> x, std::span<double> g) {
                                          for (std::size_t j = 0; j < kDimension; ++j)
                                            g[j] = kBeta * (x[j] - values[row * kDimension + j]);
                                        }}),
                .domain = *Domain::ball(std::vector<double>(kDimension, 0), 1),
                .smoothness = kBeta} {
    std::mt19937_64 random(seed);
    std::student_t_distribution<> noise(5);
    for (std::size_t i = 0; i < rows * kDimension; ++i) values.push_back(kCentre + 0.5 * noise(random));
  }
  MeanProblem(const MeanProblem&) = delete;

  // L_s <= beta (1 + |s|); E |s|^4 for three coordinates of 0.4 + 0.5 t_5 is below 9.
  static Moments moments() { return {4, kBeta * 2.35, kBeta * 2.8}; }
  static double excess(std::span<const double> x) {
    double squares = 0;
    for (const double part : x) squares += (part - kCentre) * (part - kCentre);
    return kBeta / 2 * squares;
  }
};

Solution solved(const MeanProblem& mean, std::uint64_t seed, const Budget& budget = kBudget) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(seed);
  auto solution = smooth_svt({engine, noise}, mean.problem, MeanProblem::moments(), budget, {});
  EXPECT_TRUE(solution.ok()) << solution.error().message;
  return *std::move(solution);
}

TEST(SmoothSvt, MeasuredExcessIsBelowTheCertifiedBoundWhichIsNotTrivial) {
  double sum = 0, bound = 0;
  constexpr int kRuns = 3;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const MeanProblem mean(100'000, seed);
    const Solution solution = solved(mean, seed);
    sum += MeanProblem::excess(solution.x);
    bound = solution.certified.excess_risk;
    EXPECT_LT(bound, trivial_bound(setting_of(mean.problem, MeanProblem::moments())));
    EXPECT_EQ(solution.work.passes, 1);
  }
  EXPECT_LT(sum / kRuns, bound);
  EXPECT_LT(sum / kRuns, MeanProblem::excess(std::vector<double>(3, 0)));  // it has learnt something
}

TEST(SmoothSvt, ReceiptStaysWithinTheBudgetAndUsesNearlyAllOfIt) {
  const MeanProblem mean(100'000, 1);
  const Receipt receipt = solved(mean, 1).receipt;
  ASSERT_EQ(receipt.lines.size(), 1u);
  EXPECT_EQ(receipt.lines[0].release.mechanism, "svt-pass");
  EXPECT_LE(receipt.lines[0].price.epsilon, 1);
  EXPECT_GT(receipt.lines[0].price.epsilon, 0.999);
  EXPECT_LE(receipt.lines[0].price.delta, 1e-6);
  EXPECT_GT(receipt.lines[0].price.delta, 0.9e-6);
  EXPECT_EQ(receipt.gaussian_spent.mu, 0);
  EXPECT_FALSE(receipt.secure);
}

// Every row is as smooth as was promised and no smoother: none may be left out.
TEST(SmoothSvt, RunsOnGlms) {
  Engine engine(1);
  std::mt19937_64 random(1);
  constexpr std::size_t kRows = 50'000;
  std::vector<double> values, labels;
  for (std::size_t i = 0; i < kRows; ++i) {
    const double angle = std::uniform_real_distribution<>(0, 6.28)(random);
    values.push_back(0.5 * std::cos(angle)), values.push_back(0.5 * std::sin(angle));
    labels.push_back(std::cos(angle) > 0 ? 1 : -1);
  }
  const LabelledData data = *engine.load(RowsOf<double>{values.data(), kRows, 2, 2}, labels);
  const Problem problem{.samples = {data, LogisticLoss{}}, .domain = *Domain::ball({0, 0}, 1), .smoothness = 0.0625};
  BitSource noise = BitSource::insecure_seeded(1);
  const auto solution = smooth_svt({engine, noise}, problem, {4, 0.5, 0.5}, kBudget, {});
  ASSERT_TRUE(solution.ok()) << solution.error().message;
  EXPECT_GT(solution->x[0], 0.1);
  EXPECT_EQ(solution->work.passes, 1);
}

// Erratum E24: what a phase that halts would have released is not used. Data that differ from the second phase on, in
// which both halt, give the same answer.
TEST(SmoothSvt, E24AHaltReturnsThePointBefore) {
  const Budget budget = ApproxDp{8, 1e-6};
  MeanProblem one(200'000, 1), other(200'000, 1);
  const auto plan = plan_smooth_svt(setting_of(one.problem, MeanProblem::moments()), budget, {});
  ASSERT_TRUE(plan.ok());
  ASSERT_GE(plan->phases.size(), 2u);
  const std::size_t first = plan->phases[0].rows * MeanProblem::kDimension;
  for (std::size_t i = first; i < one.values.size(); ++i) one.values[i] = 1e9, other.values[i] = -1e9;
  const Solution a = solved(one, 5, budget), b = solved(other, 5, budget);
  EXPECT_EQ(a.x, b.x);
  EXPECT_LT(MeanProblem::excess(a.x), MeanProblem::excess(std::vector<double>(3, 0)));
  EXPECT_LT(a.work.passes, a.work.wanted_passes);
}

// Erratum E3: the answer is in the domain, whatever the noise.
TEST(SmoothSvt, E3AnswersAreInTheDomain) {
  const MeanProblem mean(20'000, 1);
  Engine engine(1);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    BitSource noise = BitSource::insecure_seeded(seed);
    const auto solution = smooth_svt({engine, noise}, mean.problem, MeanProblem::moments(), kBudget, {});
    ASSERT_TRUE(solution.ok()) << solution.error().message;
    EXPECT_TRUE(mean.problem.domain.contains(solution->x, 1e-12));
  }
}

// Erratum E9: with the text's cutoff, half of this one, the condition that keeps phases from halting fails.
TEST(SmoothSvt, E9CutoffIsLargeEnoughForItsCondition) {
  bool half_fails = false;
  for (const double k : {2.0, 3.0, 4.0, 8.0}) {
    for (const std::size_t rows : {1u << 17, 1u << 20, 1u << 24}) {
      const auto plan = plan_smooth_svt(setting_with(rows, 1e-9, 5, k), kBudget, kPaper);
      ASSERT_TRUE(plan.ok()) << plan.error().message;
      const SvtPhase& phase = plan->phases[0];
      const double needed = 4 * static_cast<double>(rows) * std::pow(2 * 1.5 / phase.clip, k);
      EXPECT_LE(needed, static_cast<double>(phase.cutoff));
      half_fails = half_fails || needed > static_cast<double>(phase.cutoff) / 2;
    }
  }
  EXPECT_TRUE(half_fails);
}

// Erratum E10: the clip is biased anew in every phase, and the bound says so.
TEST(SmoothSvt, E10EveryPhasePaysForItsBias) {
  const auto plan = plan_smooth_svt(setting_with(1 << 20, 1e-6), kBudget, kPaper);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  const double phases = static_cast<double>(plan->phases.size());
  EXPECT_EQ(phases, 19);  // of 2^19, ..., 2 rows: erratum E20
  EXPECT_GT(plan->bound.excess_risk, phases * 2 * clip_bias({4, 1, 1.5}, plan->phases[0].clip));
}

// Erratum E11: the conditions themselves are tested, also where the text's shortcut to them is wrong (d = 1), and the
// refusal says how smooth the losses would have to be.
TEST(SmoothSvt, E11ConditionsAreTestedDirectly) {
  for (const std::size_t d : {1u, 5u}) {
    const auto refused = plan_smooth_svt(setting_with(1 << 20, 1, d), kBudget, kPaper);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::refused);
    const std::string text = refused.error().message;
    const std::size_t at = text.find("smoothness = 1 may be at most ");
    ASSERT_NE(at, std::string::npos) << text;
    const double most = std::stod(text.substr(at + 30));
    EXPECT_FALSE(plan_smooth_svt(setting_with(1 << 20, most * 1.01, d), kBudget, kPaper).ok());
    const auto plan = plan_smooth_svt(setting_with(1 << 20, most * 0.99, d), kBudget, kPaper);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    for (const SvtPhase& phase : plan->phases) {
      const double c = static_cast<double>(phase.cutoff), n = static_cast<double>(phase.rows);
      const double sensitivity = 6 * phase.clip * phase.step * phase.smoothness, log_tail = std::log(30 * n / 1e-6);
      EXPECT_GE(phase.clip, 8 * sensitivity / plan->budget.for_threshold * log_tail * 0.99);
      EXPECT_GE(phase.clip, 4 * 2 * std::ceil(1.5 * c) * sensitivity / plan->budget.for_queries * log_tail * 0.99);
      EXPECT_LE(8 * phase.step * phase.smoothness * c, 1);
      EXPECT_GE(c, 6 * std::log(12 / 1e-6));
    }
  }
}

// The paper's parameters leave the budget a margin, and run.
TEST(SmoothSvt, PaperConstantsAreWithinTheBudget) {
  const MeanProblem mean(1 << 17, 1);
  Setting setting = setting_of(mean.problem, MeanProblem::moments());
  setting.smoothness = 1e-7;
  const auto plan = plan_smooth_svt(setting, kBudget, kPaper);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  std::size_t first = 0;
  for (const SvtPhase& phase : plan->phases) {
    const auto noise =
        svt_noise(mean.problem.samples.block(first, phase.rows), mean.problem.domain, phase, plan->budget);
    ASSERT_TRUE(noise.ok()) << noise.error().message;
    EXPECT_LT(noise->delta, 1e-6);
    EXPECT_GE(noise->shortest_clipped(), phase.clip / 2);
    first += phase.rows;
  }
}

// The text's Gaussian noise is for epsilon < 1: the plan says so, and what it lets pass runs within the budget.
TEST(SmoothSvt, PaperConstantsAreRefusedInThePlanWhereTheirNoiseIsTooLittle) {
  const Setting setting = setting_with(1 << 20, 1e-9);
  EXPECT_TRUE(plan_smooth_svt(setting, ApproxDp{1, 1e-6}, kPaper).ok());
  const auto refused = plan_smooth_svt(setting, ApproxDp{4, 1e-6}, kPaper);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("epsilon < 1"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(plan_smooth_svt(setting, ApproxDp{4, 1e-6}, {}).ok());
}

TEST(SmoothSvt, TightBoundIsBelowThePapersAndShrinksWithMoreRowsAndSmootherLosses) {
  const auto bound = [](const Setting& setting, const Options& options) {
    const auto plan = plan_smooth_svt(setting, kBudget, options);
    EXPECT_TRUE(plan.ok()) << plan.error().message;
    return plan->bound.excess_risk;
  };
  EXPECT_LT(bound(setting_with(1 << 20, 1e-5), {}), bound(setting_with(1 << 20, 1e-5), kPaper) / 10);
  EXPECT_LT(bound(setting_with(1'000'000, 0.1), {}), bound(setting_with(100'000, 0.1), {}));
  EXPECT_LT(bound(setting_with(100'000, 0.001), {}), bound(setting_with(100'000, 0.1), {}));
  EXPECT_GT(bound(setting_with(100'000, 1e-6), {}), optimal_rate(setting_with(100'000, 1e-6), Gdp{0.23}) / 4);
}

TEST(SmoothSvt, RefusalSaysHowSmoothLossesMustBe) {
  const auto refused = plan_smooth_svt(setting_with(10'000, 5), kBudget, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  const std::string text = refused.error().message;
  const std::size_t at = text.find("at most about ");
  ASSERT_NE(at, std::string::npos) << text;
  const double most = std::stod(text.substr(at + 14));
  EXPECT_TRUE(plan_smooth_svt(setting_with(10'000, most * 0.99), kBudget, {}).ok());
  EXPECT_FALSE(plan_smooth_svt(setting_with(10'000, most * 3), kBudget, {}).ok());

  const double none = std::numeric_limits<double>::infinity();
  for (const Options& options : {Options{}, kPaper}) {
    const auto rough = plan_smooth_svt(setting_with(100'000, none), kBudget, options);
    ASSERT_FALSE(rough.ok());
    EXPECT_NE(rough.error().message.find("smoothness = inf"), std::string::npos) << rough.error().message;
  }
  EXPECT_NE(plan_smooth_svt(setting_with(100, 1e-3), kBudget, {}).error().message.find("100 rows"), std::string::npos);
}

TEST(SmoothSvt, NeedsEpsilonAndDeltaAndSensibleNumbers) {
  EXPECT_FALSE(plan_smooth_svt(setting_with(100'000, 0.1), Gdp{0.2}, {}).ok());
  EXPECT_FALSE(plan_smooth_svt(setting_with(3, 0.1), kBudget, {}).ok());
  EXPECT_FALSE(plan_smooth_svt(setting_with(100'000, 0.1), ApproxDp{0, 1e-6}, {}).ok());
  EXPECT_FALSE(plan_smooth_svt(setting_with(100'000, -1), kBudget, {}).ok());
  EXPECT_TRUE(find_algorithm("smooth-svt").ok());
}

}  // namespace
}  // namespace tailcoat
