#include "tailcoat/algorithms/catalogue.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "problems.hpp"
#include "tailcoat/losses/mean.hpp"

namespace tailcoat {
namespace {

// A block of a loss of the user's own is the rows of that block, whatever the algorithm makes of the functions.
TEST(Catalogue, AlgorithmsReadTheRowsOfTheirBlock) {
  Engine engine(1);
  const TestData data = heavy_tailed_data(8000, 2, 1);
  int ran = 0;
  for (const Algorithm& algorithm : algorithms()) {
    std::size_t lowest = 8000, highest = 0;
    const SampleFunctions functions{.gradient = [&](std::size_t row, std::span<const double> x, std::span<double> g) {
      lowest = std::min(lowest, row), highest = std::max(highest, row);
      MeanLoss{}.gradient(x, {&data.rows[2 * row], 2}, g);
    }};
    BitSource noise = BitSource::insecure_seeded(1);
    const Problem problem{Samples(8000, 2, functions).block(4000, 3000), ball(2, 1), 1};
    const auto solution = algorithm.solve({engine, noise}, problem, {3, 2.5, 3}, ApproxDp{1, 1e-6}, {.max_passes = 3});
    if (!solution.ok()) continue;
    ++ran;
    EXPECT_GE(lowest, 4000u) << algorithm.name;
    EXPECT_LT(highest, 7000u) << algorithm.name;
  }
  EXPECT_GE(ran, 6);
}

// What a progress bar counts: changes of the row. Rows that fail, and those that take long, count like any other.
TEST(Catalogue, FixedWorkIsTheSameWhateverIsInTheRows) {
  constexpr std::size_t kRows = 1000;
  Engine engine(1);
  int ran = 0;
  for (const Algorithm& algorithm : algorithms()) {
    std::map<double, double> visits_of;  // by the work that is told: a halt, which is released, makes it less
    for (const double strange : {0.0, 1e-300, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
      double visits = 0;
      std::size_t last = kRows;
      const SampleFunctions functions{.gradient = [&](std::size_t row, std::span<const double> x, std::span<double> g) {
        visits += row != last ? 1 : 0;
        last = row;
        for (std::size_t j = 0; j < 2; ++j)
          g[j] = row % 3 == 0 ? strange : std::tanh(x[j] - 0.01 * static_cast<double>(row % 50));
      }};
      BitSource noise = BitSource::insecure_seeded(1);
      const Problem problem{Samples(kRows, 2, functions), ball(2, 1), 1};
      const Options options{.max_passes = 20};
      const auto plan = algorithm.plan(setting_of(problem, {3, 2.5, 3}), ApproxDp{1, 1e-6}, options);
      if (!plan.ok() || !plan->work.fixed) continue;
      const auto solution = algorithm.solve({engine, noise}, problem, {3, 2.5, 3}, ApproxDp{1, 1e-6}, options);
      if (!solution.ok()) continue;
      ++ran;
      const double told = solution->work.sample_gradients;
      EXPECT_EQ(visits_of.emplace(told, visits).first->second, visits) << algorithm.name << ' ' << strange;
      EXPECT_LE(visits, told) << algorithm.name;
      EXPECT_GT(visits, 0.98 * told) << algorithm.name;  // rows that fill no group are left out
    }
  }
  EXPECT_GE(ran, 20);
}

// Losses as a user may have them, each with what is said of it.
enum class Given { glm, smooth_glm, gradient, smooth_gradient, implicit_step };

// A problem of that kind on the rows of `data`, whose domain is the unit ball.
Problem problem_with(Given given, const TestData& data, const LabelledData& loaded, double smoothness) {
  const std::size_t d = data.dimension;
  const bool smooth = given == Given::smooth_glm || given == Given::smooth_gradient;
  const double beta = smooth ? smoothness : std::numeric_limits<double>::infinity();
  if (given == Given::glm || given == Given::smooth_glm) return {Samples(loaded, LogisticLoss{}), ball(d, 1), beta};
  SampleFunctions functions{
      .gradient = [&data, d, smoothness](std::size_t row, std::span<const double> x, std::span<double> g) {
        for (std::size_t j = 0; j < d; ++j) g[j] = std::tanh(smoothness * (x[j] - data.rows[row * d + j]));
      }};
  if (given == Given::implicit_step) {  // of <s, x>, on the ball
    functions = {.implicit_step = [&data, d, domain = ball(d, 1)](std::size_t row, std::span<const double> x,
                                                                  double step, std::span<double> y) {
      for (std::size_t j = 0; j < d; ++j) y[j] = x[j] - step * data.rows[row * d + j];
      if (!domain.project(y).ok()) std::ranges::copy(x, y.begin());
    }};
    functions.step_error = 1e-15;
  }
  return {Samples(data.size(), d, functions), ball(d, 1), beta};
}

struct Trial {
  std::size_t rows;
  Given given;
  double smoothness, epsilon;
  Constants constants;
};

std::string text_of(const Trial& trial) {
  return std::to_string(trial.rows) + " rows, given " + std::to_string(static_cast<int>(trial.given)) +
         ", smoothness " + std::to_string(trial.smoothness) + ", epsilon " + std::to_string(trial.epsilon) +
         (trial.constants == Constants::paper ? ", paper: " : ", tight: ");
}

// Of each kind too few rows, few and many, losses that are smooth and hardly so, budgets below and above epsilon = 1.
std::vector<Trial> trials() {
  std::vector<Trial> all;
  for (const Given given :
       {Given::glm, Given::smooth_glm, Given::gradient, Given::smooth_gradient, Given::implicit_step})
    for (const Constants constants : {Constants::tight, Constants::paper}) {
      all.push_back({3, given, 1e-7, 1, constants});
      all.push_back({3000, given, 1e-7, 4, constants});
      all.push_back({150, given, 1, 0.1, constants});
      all.push_back({150, given, 1e-7, 4, constants});
    }
  return all;
}

// Whatever runs is planned, and whatever is planned runs: all that can be refused is known without the rows.
TEST(Catalogue, WhatIsPlannedRunsAndWhatIsNotIsRefusedInTheSameWords) {
  Engine engine(1);
  std::set<std::string_view> ran;
  for (const Trial& trial : trials()) {
    const TestData data = heavy_tailed_data(trial.rows, 2, 1);
    const LabelledData loaded = data.load(engine);
    const Problem problem = problem_with(trial.given, data, loaded, trial.smoothness);
    const ApproxDp budget{trial.epsilon, 1e-6};
    const Options options{.constants = trial.constants, .max_passes = 3};
    const Moments moments{3, 1, 1.2};
    for (const Algorithm& algorithm : algorithms()) {
      const std::string what = text_of(trial) + std::string(algorithm.name) + ": ";
      const auto plan = algorithm.plan(setting_of(problem, moments), budget, options);
      BitSource noise = BitSource::insecure_seeded(1);
      const auto found = algorithm.solve({engine, noise}, problem, moments, budget, options);
      ASSERT_EQ(plan.ok(), found.ok()) << what << (plan.ok() ? found.error() : plan.error()).message;
      if (plan.ok())
        ran.insert(algorithm.name);
      else
        EXPECT_EQ(plan.error().message, found.error().message) << what;
    }
  }
  EXPECT_EQ(ran.size(), algorithms().size());
}

// Which algorithms take a loss that is no GLM, and what the others say.
TEST(Catalogue, AlgorithmsNameWhatTheyMissOfALossOfOnesOwn) {
  Setting general{.rows = 100'000, .dimension = 3, .diameter = 2, .start_distance = 1, .moments = {3, 1.6, 2.5}};
  general.generalised_linear = false;
  const auto refused = [&](const Setting& setting) {
    std::map<std::string_view, std::string> all;
    for (const Algorithm& algorithm : algorithms())
      if (const auto plan = algorithm.plan(setting, ApproxDp{1, 1e-6}, {}); !plan.ok())
        all[algorithm.name] = plan.error().message;
    return all;
  };
  auto reasons = refused(general);
  for (const char* name :
       {"known-lipschitz-sgd", "one-pass-glm", "implicit-glm", "implicit-glm-adaptive", "objective-perturbation"})
    EXPECT_NE(reasons[name].find("is for generalised linear models"), std::string::npos) << name << reasons[name];
  for (const char* name : {"known-lipschitz", "known-lipschitz-gd", "smooth-svt"})
    EXPECT_NE(reasons[name].find("smoothness = inf"), std::string::npos) << name << reasons[name];
  EXPECT_NE(reasons["implicit"].find("implicit_step"), std::string::npos) << reasons["implicit"];
  EXPECT_EQ(reasons.size(), 9u);

  general.smoothness = 1e-3;
  EXPECT_EQ(refused(general).size(), 5u) << "smooth losses of one's own";

  general.smoothness = std::numeric_limits<double>::infinity();
  general.given = {.gradient = false, .implicit_step = true};
  reasons = refused(general);
  EXPECT_EQ(reasons.size(), algorithms().size() - 1);
  EXPECT_FALSE(reasons.contains("implicit"));
  EXPECT_NE(reasons["localized"].find("needs the gradient of a sample"), std::string::npos) << reasons["localized"];
}

// A GLM's sample is a function of one margin: the promise that it is strongly convex cannot hold.
TEST(Catalogue, StrongConvexityOfEverySampleIsRefusedForGlms) {
  const Setting strong{.rows = 10'000,
                       .dimension = 3,
                       .diameter = 2,
                       .start_distance = 1,
                       .moments = {3, 1.6, 2.5},
                       .strong_convexity = 0.1};
  for (const char* name : {"known-lipschitz", "known-lipschitz-gd"}) {
    const auto plan = find_algorithm(name)->plan(strong, ApproxDp{1, 1e-6}, {});
    ASSERT_FALSE(plan.ok()) << name;
    EXPECT_NE(plan.error().message.find("cannot hold"), std::string::npos) << plan.error().message;
  }
  EXPECT_TRUE(find_algorithm("localized")->plan(strong, ApproxDp{1, 1e-6}, {}).ok());
}

TEST(Catalogue, AFailureProbabilityOfZeroIsTheUsualOneForThoseThatNeedOne) {
  const Setting setting{.rows = 1000, .dimension = 3, .diameter = 2, .start_distance = 1, .moments = {3, 1.6, 2.5}};
  const Algorithm medians = *find_algorithm("kamath-liu-zhang");
  const auto none = medians.plan(setting, ApproxDp{1, 1e-6}, {});
  const auto usual = medians.plan(setting, ApproxDp{1, 1e-6}, {.failure_probability = kUsualFailureProbability});
  ASSERT_TRUE(none.ok() && usual.ok());
  EXPECT_EQ(none->work.sample_gradients, usual->work.sample_gradients);
  EXPECT_EQ(medians.plan(setting, ApproxDp{1, 1e-6}, {.failure_probability = -0.1}).error().kind, ErrorKind::usage);
}

TEST(Catalogue, NamesAreFoundAndDiffer) {
  std::set<std::string_view> names;
  for (const Algorithm& algorithm : algorithms()) {
    EXPECT_EQ(find_algorithm(algorithm.name)->name, algorithm.name);
    EXPECT_TRUE(names.insert(algorithm.name).second) << algorithm.name;
  }
  const auto unknown = find_algorithm("magic");
  EXPECT_EQ(unknown.error().kind, ErrorKind::usage);
  EXPECT_NE(unknown.error().message.find("implicit-glm, "), std::string::npos);
}

// Numbers that no theorem covers are refused before any algorithm computes with them.
TEST(Catalogue, EveryPlanRefusesNonsense) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Setting fine{
      .rows = 1000, .dimension = 3, .diameter = 2, .start_distance = 1, .moments = {3, 1, 1}, .smoothness = 1};
  Setting no_rows = fine, no_columns = fine, low_order = fine, nan_moment = fine, disorder = fine, no_domain = fine;
  no_rows.rows = 0, no_columns.dimension = 0, low_order.moments.k = 1, nan_moment.moments.g2 = nan;
  disorder.moments.gk = 0.5, no_domain.diameter = 0;
  for (const Algorithm& algorithm : algorithms()) {
    for (const Setting& bad : {no_rows, no_columns, low_order, nan_moment, disorder, no_domain})
      EXPECT_FALSE(algorithm.plan(bad, ApproxDp{1, 1e-6}, {}).ok()) << algorithm.name;
    for (const ApproxDp bad : {ApproxDp{0, 1e-6}, ApproxDp{-1, 1e-6}, ApproxDp{1, 1}, ApproxDp{nan, 1e-6}})
      EXPECT_FALSE(algorithm.plan(fine, bad, {}).ok()) << algorithm.name;
  }
}

// What cannot run without Gaussian noise says what can.
TEST(Catalogue, OnlyKnownLipschitzTakesAPureBudget) {
  const Setting setting{
      .rows = 10'000, .dimension = 3, .diameter = 2, .start_distance = 1, .moments = {3, 1, 1}, .smoothness = 0.01};
  for (const Algorithm& algorithm : algorithms()) {
    const auto plan = algorithm.plan(setting, PureDp{1}, {});
    EXPECT_EQ(plan.ok(), algorithm.name == "known-lipschitz") << algorithm.name;
    if (plan.ok()) continue;
    EXPECT_EQ(plan.error().kind, ErrorKind::refused) << algorithm.name;
    EXPECT_NE(plan.error().message.find("use known-lipschitz with tight constants, or give a delta above 0"),
              std::string::npos)
        << algorithm.name << ": " << plan.error().message;
  }
}

TEST(Catalogue, MomentsBelowTwoAreForSomeGeneralisedLinearModels) {
  const std::set<std::string_view> proved = {"localized", "known-lipschitz", "known-lipschitz-gd", "implicit-glm"};
  Setting setting{.rows = 10'000,
                  .dimension = 3,
                  .diameter = 2,
                  .start_distance = 1,
                  .moments = moments_below_two(1.5, 1),
                  .smoothness = 0.01};
  for (const bool glm : {true, false}) {
    setting.generalised_linear = glm;
    for (const Algorithm& algorithm : algorithms()) {
      const auto plan = algorithm.plan(setting, ApproxDp{1, 1e-6}, {});
      EXPECT_EQ(plan.ok(), glm && proved.contains(algorithm.name)) << algorithm.name;
      if (plan.ok()) {
        EXPECT_TRUE(std::isfinite(plan->bound.excess_risk)) << algorithm.name;
        continue;
      }
      EXPECT_EQ(plan.error().kind, ErrorKind::refused) << algorithm.name;
      EXPECT_NE(plan.error().message.find("k = 1.5 is below 2"), std::string::npos) << plan.error().message;
    }
  }
  for (const Moments bad : {Moments{1.5, 1, 1}, moments_below_two(1, 1), moments_below_two(2, 1),
                            moments_below_two(1.5, std::numeric_limits<double>::infinity())}) {
    setting.generalised_linear = true;
    setting.moments = bad;
    for (const Algorithm& algorithm : algorithms())
      EXPECT_FALSE(algorithm.plan(setting, ApproxDp{1, 1e-6}, {}).ok()) << algorithm.name;
  }
}

}  // namespace
}  // namespace tailcoat
