#include "tailcoat/estimators/planner.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tailcoat {
namespace {

using nlohmann::json;

PlanInputs example() {
  return {.setting = {.rows = 100000, .dimension = 20, .diameter = 2, .start_distance = 1, .moments = {3, 1.6, 2.5}},
          .budget = {1, 1e-6}};
}

constexpr Speed kSpeed{.full_pass = 1e-8, .one_pass = 5e-8};

TEST(Planner, TheDefaultDeltaIsATenthOfOneInTheRowsOrLess) {
  EXPECT_EQ(default_delta(1000), 1e-6);
  EXPECT_DOUBLE_EQ(default_delta(1e6), 1e-7);
}

// By hand: 2 (1.6 / sqrt(1e5) + 2.5 (sqrt(20) / (1e5 sqrt(rho)))^(2/3)) with rho = 0.236704^2 / 2.
TEST(Planner, KnownFigures) {
  const auto text = plan_json(example(), kSpeed);
  ASSERT_TRUE(text.ok()) << text.error().message;
  const json plan = json::parse(*text);
  EXPECT_EQ(plan["schema"], "tailcoat-plan/1");
  EXPECT_NEAR(plan["mu"], 0.236704, 1e-6);
  EXPECT_NEAR(plan["rho"], 0.0280144, 3e-7);
  EXPECT_NEAR(plan["rate"], 0.0308614, 2e-6);
  EXPECT_DOUBLE_EQ(plan["trivial_bound"], 1.6);
  EXPECT_FALSE(plan.contains("smoothness")) << "an infinite one is none";
  EXPECT_EQ(plan["algorithms"].size(), algorithms().size());
}

TEST(Planner, EveryForecastIsThatOfItsAlgorithm) {
  const PlanInputs inputs = example();
  std::size_t place = 0;
  for (const AlgorithmForecast& planned : forecasts_of(inputs)) {
    const Algorithm& algorithm = algorithms()[place++];
    EXPECT_EQ(planned.algorithm.name, algorithm.name);
    const auto own = algorithm.plan(inputs.setting, inputs.budget, inputs.options);
    ASSERT_EQ(planned.forecast.has_value(), own.ok()) << algorithm.name;
    if (!own) {
      EXPECT_EQ(planned.refused, own.error().message);
      continue;
    }
    const Bound& bound = planned.forecast->bound;
    EXPECT_EQ(bound.trivial, !(own->bound.excess_risk < 1.6)) << algorithm.name;
    EXPECT_EQ(bound.excess_risk, std::min(own->bound.excess_risk, 1.6)) << algorithm.name;
  }
  EXPECT_EQ(place, algorithms().size());
}

// kamath-liu-zhang certifies what holds in the whole domain, twice the trivial bound: told as trivial, here alone.
TEST(Planner, BoundsAreNeverToldAboveTheTrivialOne) {
  const json plan = json::parse(*plan_json(example(), kSpeed));
  int trivial = 0;
  for (const json& algorithm : plan["algorithms"]) {
    if (!algorithm["runs"]) continue;
    EXPECT_LE(algorithm["certified_bound"].get<double>(), 1.6) << algorithm;
    EXPECT_EQ(algorithm["trivial"].get<bool>(), algorithm["certified_bound"].get<double>() == 1.6) << algorithm;
    trivial += algorithm["trivial"].get<bool>();
  }
  EXPECT_GE(trivial, 2);
  EXPECT_GT(find_algorithm("kamath-liu-zhang")->plan(example().setting, example().budget, {})->bound.excess_risk, 1.6);
}

TEST(Planner, AGeneralProblemIsALossOfOnesOwn) {
  PlanInputs inputs = example();
  ASSERT_TRUE(set_problem(inputs.setting, "general", std::nullopt).ok());
  EXPECT_FALSE(inputs.setting.generalised_linear);
  EXPECT_FALSE(inputs.setting.given.implicit_step);
  const json plan = json::parse(*plan_json(inputs, kSpeed));
  EXPECT_EQ(plan["problem"], "general");
  for (const json& algorithm : plan["algorithms"]) {
    if (algorithm["name"] == "implicit-glm") {
      EXPECT_NE(algorithm["refused"].get<std::string>().find("generalised linear"), std::string::npos);
    }
    if (algorithm["name"] == "localized") {
      EXPECT_TRUE(algorithm["runs"]);
    }
  }
  ASSERT_TRUE(set_problem(inputs.setting, "general", 1e-15).ok());
  EXPECT_TRUE(inputs.setting.given.implicit_step);
  EXPECT_EQ(json::parse(*plan_json(inputs, kSpeed))["step_error"], 1e-15);
  EXPECT_FALSE(set_problem(inputs.setting, "glm", 1e-15).ok());
  EXPECT_FALSE(set_problem(inputs.setting, "general", -1).ok());
  EXPECT_NE(set_problem(inputs.setting, "convex", {}).error().message.find("neither glm nor general"),
            std::string::npos);
}

// The ends of the ranges that `plan` takes, but for memory: what is measured must not depend on them.
TEST(Planner, SpeedIsMeasuredForFewRowsAndWideOnes) {
  Engine engine(1);
  for (const auto& [rows, features] : {std::pair<std::size_t, std::size_t>{1, 1}, {3, 5}, {1000, 20000}}) {
    const auto speed = measure_speed(engine, rows, features);
    ASSERT_TRUE(speed.ok()) << rows << ' ' << features << speed.error().message;
    EXPECT_GT(speed->full_pass, 0);
    EXPECT_GT(speed->one_pass, 0);
  }
}

// One pass goes at the speed of one core from row to row, more of them at that of all cores.
TEST(Planner, TimeAndMemory) {
  EXPECT_DOUBLE_EQ(seconds_of({.sample_gradients = 1e6, .passes = 1}, kSpeed), 0.05);
  EXPECT_DOUBLE_EQ(seconds_of({.sample_gradients = 1e6, .passes = 10}, kSpeed), 0.01);
  EXPECT_EQ(memory_of(example().setting), 8.0 * 100000 * 22);
}

TEST(Planner, RefusesWhatNoAlgorithmCouldPlanFor) {
  EXPECT_TRUE(check(example()).ok());
  const auto refused = [](auto&& change, const std::string& said) {
    PlanInputs inputs = example();
    change(inputs);
    const auto checked = check(inputs);
    ASSERT_FALSE(checked.ok()) << said;
    EXPECT_NE(checked.error().message.find(said), std::string::npos) << checked.error().message;
  };
  refused([](PlanInputs& inputs) { inputs.setting.rows = 0; }, "rows = 0");
  refused([](PlanInputs& inputs) { inputs.setting.dimension = 20'000'000; }, "features = 2");
  refused([](PlanInputs& inputs) { inputs.budget.epsilon = 0; }, "epsilon = 0");
  refused([](PlanInputs& inputs) { inputs.budget.delta = 1; }, "delta = 1");
  refused([](PlanInputs& inputs) { inputs.budget.delta = 1e-40; }, "random source");
  refused([](PlanInputs& inputs) { inputs.options.max_passes = 0.5; }, "max-passes = 0.5");
  refused([](PlanInputs& inputs) { inputs.options.failure_probability = 0.7; }, "failure-probability = 0.7");
  refused([](PlanInputs& inputs) { inputs.setting.moments.gk = 1; }, "1");
}

}  // namespace
}  // namespace tailcoat
