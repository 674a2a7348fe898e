#include "tailcoat/algorithms/localized_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/algorithms/aggregate.hpp"
#include "tailcoat/algorithms/binomial.hpp"
#include "tailcoat/algorithms/localized.hpp"
#include "tailcoat/algorithms/localized_as_stated.hpp"
#include "tailcoat/algorithms/localized_stages.hpp"
#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/algorithms/tuning.hpp"
#include "tailcoat/privacy/accountant.hpp"

namespace tailcoat {
namespace {

constexpr ApproxDp kBudget{1, 1e-6};

Setting setting_for(std::size_t rows, bool generalised_linear = true, std::size_t dimension = 20) {
  return {.rows = rows,
          .dimension = dimension,
          .diameter = 2,
          .start_distance = 1,
          .moments = {3, 1.6, 2.5},
          .generalised_linear = generalised_linear};
}

LocalizedPlan planned(const Setting& setting, const Options& options = {}, ApproxDp budget = kBudget) {
  const auto plan = tight_plan(setting, budget, options);
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  return *plan;
}

// The message of what is refused; empty if nothing is.
std::string tight_or_check(const Setting& setting) {
  const auto plan = plan_localized(setting, kBudget, {});
  return plan ? "" : plan.error().message;
}

double bias_of(const Moments& m, double clip) {
  return std::pow(m.k - 1, m.k - 1) / std::pow(m.k, m.k) * std::pow(m.gk, m.k) * std::pow(clip, 1 - m.k);
}

// w of sampled_descent.md, written out, with what rounding to the lattice may do to a mean gradient.
double spread_of(const Setting& setting, const LocalizedPhase& phase) {
  const auto [q, s, steps] = phase.descent.event;
  const double m = static_cast<double>(phase.rows), d = static_cast<double>(setting.dimension),
               clip = phase.descent.clip;
  const double b = q * m, sigma = clip / (s * b), t = static_cast<double>(steps);
  const bool glm = setting.generalised_linear;
  const double g = glm ? std::min(setting.moments.g2, clip) : setting.moments.g2;
  const double bias = glm ? 0 : bias_of(setting.moments, clip), varies = glm ? 0 : clip_variance(setting.moments, clip);
  const double beta = std::sqrt(bias * bias + varies / m) + std::sqrt(d) / 2 * clip / (s * 0x1p26);
  const double step = d * sigma * sigma + g * g / b;
  const double usual = std::sqrt(g * g + t * (step + 4 * g * g));
  return std::min(usual, g + std::sqrt(g * g + t * (step + g * g + 2 * beta * g))) / (t + 1) + beta;
}

double bound_by_one_proof(const Setting& setting, const std::vector<LocalizedPhase>& phases, double modulus) {
  const double clip = phases[0].descent.clip;
  const bool glm = setting.generalised_linear;
  const double g = glm ? std::min(setting.moments.g2, clip) : setting.moments.g2;
  double bound = glm ? bias_of(setting.moments, clip) * setting.diameter : 0.0, away = setting.start_distance;
  for (const LocalizedPhase& phase : phases) {
    const double all = phase.weight + modulus;
    bound += phase.weight * phase.weight / (2 * phase.weight + modulus) / 2 * away * away +
             g * g / (all * static_cast<double>(phase.rows));
    away = spread_of(setting, phase) / all;
  }
  return bound + g * away;
}

// Theorem A, from the plan's own numbers; for a GLM by the better of its two proofs.
double bound_of(const Setting& setting, const std::vector<LocalizedPhase>& phases, double modulus = 0) {
  if (setting.generalised_linear) {
    Setting any = setting;
    any.generalised_linear = false;
    return std::min(bound_by_one_proof(setting, phases, modulus), bound_by_one_proof(any, phases, modulus));
  }
  return bound_by_one_proof(setting, phases, modulus);
}

TEST(LocalizedPlan, BlocksAreDisjointAndUseAllRowsButWhatDoesNotDivide) {
  for (const std::size_t rows : {2u, 3u, 17u, 1000u, 123'457u}) {
    for (const double failure : {0.0, 0.4, 1e-6}) {
      const LocalizedPlan plan = planned(setting_for(rows), {.failure_probability = failure});
      ASSERT_FALSE(plan.phases.empty()) << rows;
      std::size_t used = 0, solves = 0;
      for (const LocalizedPhase& phase : plan.phases) {
        EXPECT_EQ(phase.copies % 2, 1u);
        EXPECT_TRUE(failure > 0 || phase.copies == 1);
        used += phase.copies * phase.rows;
        solves += phase.copies;
      }
      used = used * plan.runs + plan.selection.rows;
      EXPECT_LE(used, rows);
      EXPECT_GE(used + plan.runs * solves, rows) << rows << " rows, failure " << failure;
    }
  }
}

TEST(LocalizedPlan, TheBoundIsTheTheoremsForTheParametersThatRun) {
  for (const bool glm : {true, false}) {
    for (const double passes : {10.0, 1000.0}) {
      const Setting setting = setting_for(100'000, glm);
      const LocalizedPlan plan = planned(setting, {.max_passes = passes});
      EXPECT_NEAR(plan.bound.excess_risk / bound_of(setting, plan.phases), 1, 1e-6);
      EXPECT_EQ(plan.bound.failure_probability, 0);
      EXPECT_LE(plan.work.passes, passes * 1.01);
      EXPECT_GE(plan.work.wanted_passes, plan.work.passes);
      double read = 0;
      for (const LocalizedPhase& phase : plan.phases) {
        EXPECT_EQ(phase.descent.clip, plan.phases[0].descent.clip) << "the bias is paid once for one clipped loss only";
        EXPECT_EQ(phase.descent.modulus, phase.weight);
        read += phase.descent.event.rate * static_cast<double>(phase.rows * phase.descent.event.steps);
      }
      EXPECT_NEAR(plan.work.passes, read / 1e5, 1e-9 * read);
    }
  }
}

// Each block has the whole budget, by the exact accounting of its event, and does not waste it.
TEST(LocalizedPlan, EveryEventSpendsTheBudgetAndNoMore) {
  for (const ApproxDp budget : {kBudget, ApproxDp{8, 1e-9}, ApproxDp{0.1, 1e-6}}) {
    for (const double failure : {0.0, 0.05}) {
      const LocalizedPlan plan = planned(setting_for(30'000), {.failure_probability = failure}, budget);
      for (const LocalizedPhase& phase : plan.phases) {
        Accountant accountant;
        ASSERT_TRUE(accountant.add(phase.descent.event).ok());
        const double delta = *accountant.delta(budget.epsilon);
        EXPECT_LE(delta, budget.delta);
        EXPECT_GE(delta, 0.8 * budget.delta) << phase.rows;
      }
    }
  }
}

// What theory and reference figures promise (n = 100,000, d = 20, epsilon 1, G_2 r = 1.6): .05 of the trivial bound.
TEST(LocalizedPlan, CertifiesATwentiethOfTheTrivialBoundWithin200Passes) {
  const LocalizedPlan glm = planned(setting_for(100'000), {.max_passes = 200});
  EXPECT_LE(glm.bound.excess_risk, 0.080);
  EXPECT_LE(glm.work.passes, 200);
  EXPECT_LE(planned(setting_for(100'000, false), {.max_passes = 200}).bound.excess_risk, 0.085);
}

// The closed form of localized.md, with its own parameters, is an upper bound: its best c_1, c_2 are those at tau = 64.
TEST(LocalizedPlan, CertifiesNoMoreThanTheClosedForm) {
  for (const double k : {2.0, 3.0, 4.0}) {
    for (const std::size_t rows : {std::size_t{1} << 14, std::size_t{1} << 17, std::size_t{1} << 20}) {
      Setting setting = setting_for(rows);
      setting.moments.k = k;
      const double n = static_cast<double>(rows), mu = gaussian_budget(kBudget)->mu, rho = mu * mu / 2;
      const double c1 = std::sqrt(2.67 + 6.7 / 64) / 2, c2 = std::pow(2 * std::sqrt(2) * 1.034, 1 - 1 / k);
      const double closed = c1 * 1.6 * 2 / std::sqrt(n) +
                            c2 * 2.5 * 2 * std::pow(std::sqrt(20) / (n * std::sqrt(rho)), 1 - 1 / k) +
                            0.5 * 1.6 * 2 / n;
      EXPECT_LE(planned(setting, {.max_passes = 1e9}).bound.excess_risk, closed * 1.06) << k << " " << rows;
    }
  }
}

// c_1 and c_2 of the theorem, and what passes and sampling cost: the bound is within a constant of the rate for every
// n, k and budget, and for any convex loss.
TEST(LocalizedPlan, IsWithinAConstantOfTheRate) {
  double most = 0;
  for (const double k : {2.0, 4.0}) {
    for (const bool glm : {true, false}) {
      for (const double epsilon : {0.3, 8.0}) {
        for (const std::size_t rows : {std::size_t{1} << 14, std::size_t{1} << 20, std::size_t{1} << 26}) {
          Setting setting = setting_for(rows, glm);
          setting.moments.k = k;
          const double bound = planned(setting, {.max_passes = 1e9}, {epsilon, 1e-6}).bound.excess_risk;
          if (bound > trivial_bound(setting)) continue;
          most = std::max(most, bound / optimal_rate(setting, *gaussian_budget(ApproxDp{epsilon, 1e-6})));
        }
      }
    }
  }
  EXPECT_LT(most, 3.5);
  EXPECT_GT(most, 1);
}

// The chain through population minimisers, from the plan's own numbers, each phase with an equal share of the failure.
double majority_bound(const Setting& setting, const std::vector<LocalizedPhase>& phases, double failure) {
  const bool glm = setting.generalised_linear;
  const double clip = phases[0].descent.clip, g = glm ? std::min(setting.moments.g2, clip) : setting.moments.g2;
  const double share = failure / static_cast<double>(phases.size());
  double away = setting.start_distance, bound = glm ? bias_of(setting.moments, clip) * setting.diameter : 0.0;
  for (const LocalizedPhase& phase : phases) {
    double low = 0, high = 0.5;  // Markov's q: the largest that leaves more than half of the copies near
    while (high - low > 1e-12) {
      const double q = (low + high) / 2;
      const double fails = phase.copies == 1 ? q : binomial_tail(phase.copies, phase.copies - phase.copies / 2, q);
      (fails <= share ? low : high) = q;
    }
    bound += phase.weight * away * away / 4;
    away = (phase.copies == 1 ? 1 : 3) / std::sqrt(low) *
           (spread_of(setting, phase) + g / std::sqrt(static_cast<double>(phase.rows))) / phase.weight;
  }
  return bound + g * away;
}

TEST(LocalizedPlan, MajoritiesFailNoMoreOftenThanAsked) {
  std::size_t majorities = 0;
  for (const bool glm : {true, false}) {
    for (const double failure : {1e-4, 1e-6}) {
      const Setting setting = setting_for(50'000, glm), any = setting_for(50'000, false);
      const LocalizedPlan plan = planned(setting, {.failure_probability = failure});
      EXPECT_EQ(plan.bound.failure_probability, failure);
      if (plan.runs > 1) continue;
      ++majorities;
      const double expected =
          std::min(majority_bound(setting, plan.phases, failure), majority_bound(any, plan.phases, failure));
      EXPECT_NEAR(expected / plan.bound.excess_risk, 1, 1e-5);
    }
  }
  EXPECT_GE(majorities, 2u);
}

TEST(LocalizedPlan, BoostingTakesTheBestOfRunsWithTheirSharesOfTheFailure) {
  const Setting setting = setting_for(20'000'000);
  const Options options{.failure_probability = 0.05};
  const LocalizedPlan plan = planned(setting, options, {8, 1e-6});
  ASSERT_GT(plan.runs, 1u);
  Setting part = setting;
  part.rows = (setting.rows - plan.selection.rows) / plan.runs;
  const double j = static_cast<double>(plan.runs), n = static_cast<double>(plan.selection.rows);
  const double a = plan.selection.bound, l = std::log(6 * j / 0.05), mu = gaussian_budget(ApproxDp{8, 1e-6})->mu;
  const double e = bias_of(setting.moments, a) + 1.6 * std::sqrt(2 * l / n) + 2 * a * l / (3 * n) +
                   2 * a * std::sqrt(j) / (n * mu) * std::sqrt(2 * l);
  const double expected = std::pow(2 / 0.05, 1 / j) * bound_of(part, plan.phases) + 2 * e;
  EXPECT_NEAR(plan.bound.excess_risk / expected, 1, 1e-5);
  double read = n;  // by the score of each run
  for (const LocalizedPhase& phase : plan.phases)
    read += phase.descent.event.rate * static_cast<double>(phase.rows * phase.descent.event.steps);
  EXPECT_NEAR(plan.work.sample_gradients / (j * read), 1, 1e-12);
  EXPECT_NEAR(plan.work.passes * static_cast<double>(setting.rows) / (j * read), 1, 1e-12);
  EXPECT_EQ(planned(setting_for(20'000'000, false), options, {8, 1e-6}).runs, 1u) << "no values, no selection";
}

TEST(LocalizedPlan, NoOtherLambdaCertifiesLess) {
  const Setting setting = setting_for(1 << 18);
  const LocalizedPlan plan = planned(setting);
  EXPECT_GT(plan.phases.size(), 2u);
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    for (const double factor : {0.98, 1.02}) {
      auto other = plan.phases;
      other[i].weight *= factor;
      EXPECT_GT(bound_of(setting, other), bound_of(setting, plan.phases)) << i;
    }
  }
}

TEST(LocalizedPlan, MoreRowsBudgetPassesOrRiskNeverCertifyMuchMore) {
  for (const double failure : {0.0, 0.01}) {
    const auto certified = [&](std::size_t rows, double epsilon, double passes, double times) {
      return planned(setting_for(rows), {.failure_probability = times * failure, .max_passes = passes}, {epsilon, 1e-6})
          .bound.excess_risk;
    };
    const double base = certified(50'000, 1, 100, 1);
    EXPECT_LT(certified(200'000, 1, 100, 1), base);
    EXPECT_LT(certified(50'000, 2, 100, 1), base);
    EXPECT_LE(certified(50'000, 1, 100, 10), base);
    EXPECT_LT(certified(50'000, 1, 1000, 1), base * 1.02);
  }
}

TEST(LocalizedPlan, ExtremeNumbersGiveFiniteParametersOrARefusal) {
  for (const std::size_t rows : {std::size_t{2}, std::size_t{100'000'000}}) {
    for (const ApproxDp budget : {ApproxDp{1e-5, 1e-6}, ApproxDp{30, 1e-12}}) {
      for (const double failure : {0.0, 1e-15}) {
        for (const double scale : {rows == 2 ? 1e-50 : 1e50}) {
          Setting setting = setting_for(rows, false, 1);
          setting.moments = {3, 1.6 * scale, 2.5 * scale};
          const auto plan = tight_plan(setting, budget, {.failure_probability = failure, .max_passes = 1});
          if (!plan.ok() || !std::isfinite(plan->bound.excess_risk)) continue;
          for (const LocalizedPhase& phase : plan->phases) {
            EXPECT_TRUE(std::isnormal(phase.descent.clip) && phase.descent.clip > 0);
            EXPECT_TRUE(std::isnormal(phase.weight) && phase.weight > 0);
            EXPECT_GE(phase.descent.event.steps, 1u);
            EXPECT_TRUE(phase.descent.event.rate > 0 && phase.descent.event.rate <= 1);
          }
          EXPECT_LE(plan->work.passes, 1.01);
        }
      }
    }
  }
}

TEST(LocalizedPlan, GrowthCertifiesMoreAndStrongerGrowthStillMore) {
  for (const bool glm : {true, false}) {
    Setting setting = setting_for(50'000, glm);
    double before = planned(setting).bound.excess_risk;
    for (const double alpha : {0.5, 50.0}) {
      setting.growth = {.exponent = 2, .modulus = alpha};
      const LocalizedPlan plan = planned(setting);
      EXPECT_LT(plan.bound.excess_risk, before * 1.03) << alpha;
      before = plan.bound.excess_risk;
    }
    EXPECT_LT(before, planned(setting_for(50'000, glm)).bound.excess_risk / 5);
    // Growth of order theta: the rate to the power theta / (theta - 1).
    setting.growth = {.exponent = 4, .modulus = 5};
    EXPECT_LT(planned(setting).bound.excess_risk, planned(setting_for(50'000, glm)).bound.excess_risk);
  }
}

// The start of a later stage is a released point: the promise that x_0 is within r of x* is not about it.
TEST(LocalizedPlan, AStageStartsWithinWhatTheOneBeforeProves) {
  Setting setting = setting_for(30'000);
  setting.moments = {3, 1.5, 2.5};
  setting.growth = {.exponent = 4, .modulus = 0.3};
  const SamplingRates rates(*ideal_budget(kBudget), *gaussian_budget(kBudget));
  for (const double passes : {1.0, 2.0, 50.0}) {
    LocalizedStages stages = best_stages(setting, *gaussian_budget(kBudget), rates, 0, passes);
    ASSERT_TRUE(certify(stages, *ideal_budget(kBudget)).ok());
    for (std::size_t j = 1; j < stages.chains.size(); ++j)
      EXPECT_DOUBLE_EQ(stages.searches[j].setting.start_distance,
                       std::min(std::pow(stages.chains[j - 1].excess_risk / 0.3, 0.25), setting.diameter));
    // And what is certified is the theorem for that start.
    Setting last = stages.searches.back().setting;
    last.growth = {};
    last.generalised_linear = stages.searches.back().setting.generalised_linear;
    EXPECT_LE(stages.excess_risk(), bound_by_one_proof(last, stages.chains.back().phases, 0) * (1 + 1e-9));
  }
}

TEST(LocalizedPlan, StrongerConvexityOrGrowthThanSlopesAllowIsRefused) {
  Setting setting = setting_for(10'000, false);
  setting.strong_convexity = 2 * 1.6 / 2 * 1.01;
  EXPECT_NE(tight_or_check(setting).find("cannot hold"), std::string::npos);
  setting.strong_convexity = 2 * 1.6 / 2 * 0.99;
  EXPECT_EQ(tight_or_check(setting), "");
  setting.strong_convexity = 0;
  setting.growth = {.exponent = 3, .modulus = 1.6 * 1.01};
  EXPECT_NE(tight_or_check(setting).find("cannot hold"), std::string::npos);
  setting.growth.modulus = 1.6 * 0.99;
  EXPECT_EQ(tight_or_check(setting), "");
}

TEST(LocalizedPlan, MorePassesNeverCertifyLessEvenWhereARowIsDrawnAFewTimesOnly) {
  for (const std::size_t rows : {100'000u, 100'000'000u}) {
    double before = std::numeric_limits<double>::infinity();
    for (const double passes : {1.0, 3.0, 5.0, 20.0, 50.0}) {
      const LocalizedPlan plan = planned(setting_for(rows), {.max_passes = passes});
      EXPECT_LE(plan.work.passes, passes * 1.01);
      EXPECT_LE(plan.bound.excess_risk, before * 1.06)
          << rows << " rows, " << passes << " passes";  // 5 % are given away
      before = plan.bound.excess_risk;
    }
  }
}

TEST(LocalizedPlan, WantsNoMorePassesThanItHasWhereNoneAreCut) {
  for (const std::size_t rows : {1000u, 20'000u, 1'000'000u}) {
    const LocalizedPlan plan = planned(setting_for(rows), {.max_passes = 1e6});
    EXPECT_EQ(plan.work.wanted_passes, plan.work.passes);
    const LocalizedPlan cut = planned(setting_for(rows), {.max_passes = 1});
    EXPECT_GT(cut.work.wanted_passes, cut.work.passes);
  }
}

TEST(LocalizedPlan, StronglyConvexSamplesAreCertifiedByTheirOwnChain) {
  Setting setting = setting_for(100'000, false);
  setting.strong_convexity = 1;
  const LocalizedPlan plan = planned(setting, {.max_passes = 1e6});
  ASSERT_EQ(plan.phases[0].convexity, 1);
  Setting near = setting;
  EXPECT_NEAR(plan.bound.excess_risk / bound_of(near, plan.phases, 1), 1, 1e-6);
  // The closed form of THEOREM A's strongly convex chain for any loss, tau = 64, with its own clip.
  const double n = 1e5, mu = gaussian_budget(kBudget)->mu, rho = mu * mu / 2, tau = 64, infl = 1.034;
  const auto closed_at = [&](double log_clip) {
    const double c = std::exp(log_clip), kappa = 4.0 / 27;
    return 2.61 * 2.56 / n + 120.8 * infl * infl * 20 * c * c / (n * n * rho) + 87 * 2.56 / (tau * n) +
           8.93 * kappa * kappa * std::pow(2.5, 6) * std::pow(c, -4) + 20.5 * 2.56 / n;
  };
  const double closed = closed_at(least_of_unimodal(closed_at, 0, 10, 1e-3));
  EXPECT_LT(plan.bound.excess_risk, closed * 1.05);
}

TEST(LocalizedPlan, TightCertifiesLessThanTheText) {
  for (const double failure : {0.3, 1e-3, 1e-9}) {
    const Setting setting = setting_for(1 << 20);
    const auto text = plan_localized_as_stated(
        setting, kBudget, {.constants = Constants::paper, .failure_probability = failure, .max_passes = 1e6});
    ASSERT_TRUE(text.ok());
    EXPECT_LT(planned(setting, {.failure_probability = failure}).bound.excess_risk, text->bound.excess_risk / 20);
  }
}

TEST(LocalizedPlan, GlmsNeedNoSecondMomentAndOtherLossesDo) {
  Setting setting = setting_for(1'000'000);
  setting.moments = moments_below_two(1.5, 2);
  const double certified = planned(setting).bound.excess_risk;
  EXPECT_LT(certified, 0.5 * trivial_bound(setting));
  EXPECT_GT(certified, optimal_rate(setting, *gaussian_budget(kBudget)) / 2);
  setting.moments = {2, 2, 2};
  EXPECT_LT(planned(setting).bound.excess_risk, certified);
  setting.generalised_linear = false;
  setting.moments = moments_below_two(1.5, 2);
  const auto refused = plan_localized(setting, kBudget, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("k = 1.5"), std::string::npos) << refused.error().message;
}

// The samples of a GLM are functions of one margin, so the chain for strongly convex samples is not for them, whatever
// their moments.
TEST(LocalizedPlan, StrongConvexityOfAGlmIsThatOfTheMeanAlone) {
  for (const Moments& moments : {moments_below_two(1.5, 2), Moments{3, 1.6, 2.5}}) {
    for (const double failure : {0.0, 0.05}) {
      Setting setting = setting_for(20'000);
      setting.moments = moments;
      setting.strong_convexity = 1;
      const LocalizedPlan plan = planned(setting, {.failure_probability = failure});
      for (const LocalizedPhase& phase : plan.phases) EXPECT_EQ(phase.convexity, 0) << moments.k;
      Setting growing = setting;
      growing.strong_convexity = 0;
      growing.growth = {.exponent = 2, .modulus = 0.5};
      EXPECT_EQ(planned(growing, {.failure_probability = failure}).bound.excess_risk, plan.bound.excess_risk);
    }
  }
}

TEST(LocalizedPlan, BudgetsWithoutDeltaAndGrowthBelowTwoAreRefused) {
  const auto gdp = plan_localized(setting_for(1000), Gdp{1}, {});
  ASSERT_FALSE(gdp.ok());
  EXPECT_EQ(gdp.error().kind, ErrorKind::refused);
  EXPECT_NE(gdp.error().message.find("epsilon"), std::string::npos) << gdp.error().message;
  EXPECT_TRUE(plan_localized(setting_for(std::size_t{1} << 22), Gdp{1}, {.constants = Constants::paper}).ok());
  Setting setting = setting_for(1000);
  setting.growth = {.exponent = 1.5, .modulus = 1};
  const auto sharp = plan_localized(setting, kBudget, {});
  ASSERT_FALSE(sharp.ok());
  EXPECT_NE(sharp.error().message.find("1.5"), std::string::npos);
}

}  // namespace
}  // namespace tailcoat
