#include "tailcoat/algorithms/localized_plan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tailcoat/algorithms/aggregate.hpp"
#include "tailcoat/algorithms/binomial.hpp"
#include "tailcoat/algorithms/noisy_gradients.hpp"
#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat {
namespace {

Setting setting_for(std::size_t rows, bool generalised_linear = true) {
  return {.rows = rows,
          .dimension = 20,
          .diameter = 2,
          .start_distance = 1,
          .moments = {3, 1.6, 2.5},
          .generalised_linear = generalised_linear};
}

Options tight(double failure, double passes = 1000) { return {.failure_probability = failure, .max_passes = passes}; }
Options paper(double failure, double passes = 1000) {
  return {.constants = Constants::paper, .failure_probability = failure, .max_passes = passes};
}

// (1) of localization.md, from the plan's own numbers.
double bound_of(const Setting& setting, const LocalizedStage& stage) {
  double bound = 0, away = setting.start_distance;
  for (const LocalizedPhase& phase : stage.phases) {
    bound += phase.descent.lambda * away * away / 2;
    away = phase.spread / phase.descent.lambda;
  }
  return bound + setting.moments.g2 * away;
}

// lambda_i sqrt(E |x - x*_i|^2) of one solve that has the whole budget, written out.
double spread_of_one_solve(const Setting& setting, Gdp budget, const LocalizedPhase& phase) {
  const ClippedDescent& descent = phase.descent;
  const auto d = static_cast<double>(setting.dimension), steps = static_cast<double>(descent.steps);
  const auto part = static_cast<double>(phase.rows / descent.batches);
  const double rows = part * static_cast<double>(descent.batches), uses = static_cast<double>(descent.uses);
  const bool glm = setting.generalised_linear;
  const double g = glm ? std::min(setting.moments.g2, descent.clip) : setting.moments.g2;
  const double noise = gradient_noise(setting, part, budget, descent.clip, uses);
  const double bias = glm ? 0 : clip_bias(setting.moments, descent.clip);
  const double bias_varies = glm ? 0 : clip_variance(setting.moments, descent.clip) / rows;
  return std::sqrt(g * g + steps * (noise * noise * d + 4 * g * g)) / (steps + 1) +
         std::sqrt(bias * bias + bias_varies) + g / std::sqrt(rows);
}

TEST(LocalizedPlan, PhasesUseAllRowsButWhatDoesNotDivide) {
  for (const std::size_t rows : {2u, 3u, 17u, 1000u, 123'457u, 1u << 20}) {
    for (const double failure : {0.4, 0.05, 1e-6}) {
      const PlannedStage plan = tight_stage(setting_for(rows), {1}, tight(failure));
      ASSERT_FALSE(plan.stage.phases.empty()) << rows;
      std::size_t used = 0, remainders = 0;
      for (const LocalizedPhase& phase : plan.stage.phases) {
        EXPECT_EQ(phase.copies % 2, 1u);
        EXPECT_GE(phase.rows, 2u);
        used += phase.copies * phase.rows;
        remainders += phase.copies - 1;
      }
      EXPECT_LE(used, rows);
      EXPECT_GE(used + remainders, rows) << rows << " rows, failure " << failure;
    }
  }
}

TEST(LocalizedPlan, TheBoundIsThatOfTheParametersThatRun) {
  for (const bool glm : {true, false}) {
    for (const double passes : {30.0, 1e6}) {
      const Setting setting = setting_for(1 << 18, glm);
      const PlannedStage plan = tight_stage(setting, {1}, tight(0.05, passes));
      const double clip = plan.stage.phases[0].descent.clip;
      const double bias = glm ? clip_bias(setting.moments, clip) * setting.diameter : 0.0;
      EXPECT_NEAR(plan.excess_risk / (bound_of(setting, plan.stage) + bias), 1, 1e-9);
      for (const LocalizedPhase& phase : plan.stage.phases) {
        EXPECT_EQ(phase.descent.rule, Constants::tight);
        EXPECT_EQ(phase.descent.clip, clip) << "the bias is paid once for one clipped loss only";
        EXPECT_LE(phase.descent.passes(), passes);
      }
    }
  }
}

// From its spread follows how far off a solve may be with which probability, and from that how likely the phase fails.
TEST(LocalizedPlan, ChancesOfThePhasesToFailSumToWhatWasAsked) {
  for (const bool glm : {true, false}) {
    for (const double failure : {0.3, 0.05, 1e-3, 1e-6}) {
      for (const double passes : {30.0, 1e6}) {
        const Setting setting = setting_for(1 << 18, glm);
        const PlannedStage plan = tight_stage(setting, {0.7}, tight(failure, passes));
        double sum = 0;
        for (const LocalizedPhase& phase : plan.stage.phases) {
          const std::size_t copies = phase.copies, too_many = copies - copies / 2;
          const double times = phase.spread / spread_of_one_solve(setting, {0.7}, phase);
          const double far = std::pow((copies == 1 ? 1 : 3) / times, 2) + kOverdrawn;  // Markov
          sum += copies == 1 ? far : binomial_tail(copies, too_many, far);
        }
        EXPECT_LE(sum, failure * (1 + 1e-7));
        EXPECT_GE(sum, failure * (1 - 1e-7)) << "a certificate for less than was asked is wasted";
      }
    }
  }
}

// A solve has the whole budget for `uses` releases of every part, and reads no part more often.
TEST(LocalizedPlan, StepsAreAsManyAsTheReleasesThatShareTheBudget) {
  std::size_t in_parts = 0;
  for (const double passes : {8.0, 1e7}) {
    const PlannedStage plan = tight_stage(setting_for(1 << 18), {1}, tight(0.05, passes));
    for (const LocalizedPhase& phase : plan.stage.phases) {
      const ClippedDescent& descent = phase.descent;
      if (descent.batches == 1) {
        EXPECT_EQ(descent.uses, descent.steps);
        EXPECT_LE(static_cast<double>(descent.steps), phase.wanted_steps);
        if (passes < 1e7) continue;
        const double optimising = 2 * 1.6 / std::sqrt(static_cast<double>(descent.steps));
        const auto rows = static_cast<double>(phase.rows);
        EXPECT_LE(optimising, std::max(1.6 / std::sqrt(rows), 2 * descent.clip * std::sqrt(20) / rows) / 2);
      } else {
        ++in_parts;
        const auto parts = static_cast<double>(descent.batches);
        EXPECT_EQ(descent.passes(), passes);
        EXPECT_LE(parts * binomial_tail(descent.steps, descent.uses + 1, 1 / parts), kOverdrawn);
        EXPECT_LE(descent.batches, phase.rows);
        EXPECT_LE(descent.steps * phase.copies, std::size_t{1} << 17);
      }
    }
  }
  EXPECT_GT(in_parts, 0u);
}

TEST(LocalizedPlan, NoOtherLambdaCertifiesLess) {
  const Setting setting = setting_for(1 << 18);
  const PlannedStage plan = tight_stage(setting, {1}, tight(0.05, 1e6));
  EXPECT_GT(plan.stage.phases.size(), 2u);
  for (std::size_t i = 0; i < plan.stage.phases.size(); ++i) {
    for (const double factor : {0.98, 1.02}) {
      LocalizedStage other = plan.stage;
      other.phases[i].descent.lambda *= factor;
      EXPECT_GT(bound_of(setting, other), bound_of(setting, plan.stage)) << i;
    }
  }
}

TEST(LocalizedPlan, MoreRowsBudgetPassesOrRiskNeverCertifyMuchMore) {
  const auto certified = [](std::size_t rows, double mu, double failure, double passes) {
    return tight_stage(setting_for(rows), {mu}, tight(failure, passes)).excess_risk;
  };
  const double base = certified(50'000, 1, 0.01, 100);
  EXPECT_LT(certified(200'000, 1, 0.01, 100), base);
  EXPECT_LT(certified(50'000, 2, 0.01, 100), base);
  EXPECT_LT(certified(50'000, 1, 0.1, 100), base);
  EXPECT_LT(certified(50'000, 1, 0.01, 1000), base);
}

TEST(LocalizedPlan, ExtremeNumbersGiveFiniteParametersOrNoCertificate) {
  for (const std::size_t rows : {std::size_t{2}, std::size_t{1'000'000'000'000}}) {
    for (const double mu : {1e-6, 1e4}) {
      for (const double failure : {0.5, 1e-15}) {
        Setting setting = setting_for(rows);
        setting.dimension = 1;
        const Options options = for_lattice(setting, {mu}, tight(failure));
        const PlannedStage plan = tight_stage(setting, {mu}, options);
        if (!std::isfinite(plan.excess_risk)) continue;
        for (const LocalizedPhase& phase : plan.stage.phases) {
          EXPECT_TRUE(std::isnormal(phase.descent.clip) && phase.descent.clip > 0);
          EXPECT_TRUE(std::isnormal(phase.descent.lambda) && phase.descent.lambda > 0);
          EXPECT_GE(phase.descent.steps, 1u);
          EXPECT_GE(phase.descent.uses, 1u);
        }
      }
    }
  }
  const Setting many = setting_for(1'000'000'000'000);
  // As in Localized.BoundIsWithinAConstantOfTheRate.
  EXPECT_LT(tight_stage(many, {1e4}, tight(0.05, 1e15)).excess_risk, 40 * optimal_rate(many, Gdp{1e4}));
  EXPECT_GT(tight_stage(setting_for(2), {1e-6}, tight(0.5)).excess_risk, trivial_bound(setting_for(2)));
}

TEST(LocalizedPlan, TextHasItsWeightsAndItsSpreads) {
  const Setting setting = setting_for(1 << 22);
  for (const double failure : {0.05, 1e-3}) {
    const auto plan = text_stage(setting, {1}, paper(failure, 1e15));
    ASSERT_TRUE(plan.ok());
    const auto& phases = plan->stage.phases;
    const double m = 2 * static_cast<double>(phases[0].rows), rho = 0.5;
    const double delta =
        3 * std::sqrt(640) * (2.5 * std::pow(std::sqrt(20 / rho) / m, 1 - 1 / 3.0) + 1.6 / std::sqrt(m));
    const double count = static_cast<double>(phases.size());
    const double lambda = std::sqrt(2 * 1.6 * delta / std::pow(8, count) + delta * delta / 2) / 2;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      const auto phase = static_cast<double>(i + 1), rows = static_cast<double>(phases[i].rows);
      EXPECT_NEAR(phases[i].descent.lambda / (std::pow(32, phase) * lambda), 1, 1e-12);
      EXPECT_GE(phases[i].spread, std::pow(4, phase) * delta * (1 - 1e-12));
      EXPECT_EQ(phases[i].descent.rule, Constants::paper);
      EXPECT_NEAR(phases[i].descent.clip, 2.5 * std::pow(25 * rows * rows * rho / (32 * 20), 1 / 6.0), 1e-9);
      EXPECT_EQ(static_cast<double>(phases[i].descent.steps), std::ceil(std::max(rows, rows * rows * rho / 20)));
    }
    // With all the steps that the text wants, its own R is large enough in the first phase.
    EXPECT_NEAR(phases[0].spread / (4 * delta), 1, 1e-12);
    EXPECT_NEAR(plan->excess_risk / bound_of(setting, plan->stage), 1, 1e-12);
  }
}

// One step in place of the text's many leaves solves further off: R has to grow with what they may be off.
TEST(LocalizedPlan, TextWithFewStepsHasALargerRadius) {
  const Setting setting = setting_for(std::size_t{1} << 34);
  const auto few = text_stage(setting, {1}, paper(0.05, 1)), all = text_stage(setting, {1}, paper(0.05, 1e15));
  ASSERT_TRUE(few.ok() && all.ok());
  EXPECT_EQ(few->stage.phases[0].descent.steps, 1u);
  EXPECT_GT(few->stage.phases[0].spread, all->stage.phases[0].spread);
  Setting own = setting;
  own.generalised_linear = false;
  const LocalizedPhase& first = few->stage.phases[0];
  const double lambda = first.descent.lambda;
  const double solver = lambda * solver_distance(own, first.rows, 2 * 1.6 / lambda, {1}, first.descent);
  const double near = std::sqrt(5) * solver + std::sqrt(20) * 1.6 / std::sqrt(static_cast<double>(first.rows));
  EXPECT_NEAR(first.spread / (3 * near), 1, 1e-2);  // the text rounds sqrt(20) to 4.48
  EXPECT_GT(few->excess_risk, all->excess_risk);
}

TEST(LocalizedPlan, TightCertifiesLessThanTheText) {
  for (const bool glm : {true, false}) {
    for (const double failure : {0.3, 0.05, 1e-3, 1e-9}) {
      const Setting setting = setting_for(1 << 20, glm);
      const auto text = text_stage(setting, {1}, paper(failure, 1e6));
      ASSERT_TRUE(text.ok());
      EXPECT_LT(tight_stage(setting, {1}, tight(failure, 1e6)).excess_risk, text->excess_risk / 20);
    }
  }
}

// The message names the number of solves, the rows that they take, and the rows there are: with those it takes the text
// runs, with one less it does not.
TEST(LocalizedPlan, TextSaysHowManyRowsItTakes) {
  for (const double failure : {0.5, 0.05, 1e-3, 1e-9}) {
    std::size_t least = 2;
    while (!text_stage(setting_for(least), {1}, paper(failure)).ok()) least += 4;  // 4 J
    least -= 3;
    while (!text_stage(setting_for(least), {1}, paper(failure)).ok()) ++least;
    for (const std::size_t rows : {std::size_t{0}, std::size_t{2}, std::size_t{3000}, least - 1}) {
      const auto refused = text_stage(setting_for(rows), {1}, paper(failure));
      ASSERT_FALSE(refused.ok());
      EXPECT_EQ(refused.error().kind, ErrorKind::refused);
      const std::string& message = refused.error().message;
      EXPECT_NE(message.find(fmt::format("n >= {}, and there are {} rows", least, rows)), std::string::npos) << message;
      EXPECT_NE(message.find(fmt::format("makes {} solves", least / 4)), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace tailcoat
