#include "tailcoat/algorithms/catalogue.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

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
  const std::set<std::string_view> proved = {"known-lipschitz", "known-lipschitz-gd", "implicit-glm"};
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
