#include "experiments/trials.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace tailcoat::experiments {
namespace {

constexpr ApproxDp kBudget{4, 1e-6};

TrialPlan small_plan() {
  TrialPlan plan{
      .name = "test",
      .cells = {*cell_of(Kind::hard, 3, 4, 512, kBudget, 1, 3), *cell_of(Kind::mean, 2, 4, 512, kBudget, 1, 3)},
      .contenders = all_contenders({.max_passes = 5}),
      .budget = kBudget};
  return plan;
}

TEST(Trials, DoNotDependOnThreads) {
  std::vector<std::vector<CellOutcome>> all;
  for (const std::size_t threads : {1u, 3u}) {
    Engine engine(threads);
    all.push_back(*run_trials({.engine = engine}, small_plan()));
  }
  for (std::size_t i = 0; i < all[0].size(); ++i) {
    EXPECT_EQ(all[0][i].nonprivate.value, all[1][i].nonprivate.value);
    for (std::size_t a = 0; a < all[0][i].contenders.size(); ++a) {
      EXPECT_EQ(all[0][i].contenders[a].excess.value, all[1][i].contenders[a].excess.value) << algorithms()[a].name;
      EXPECT_EQ(all[0][i].contenders[a].refused, all[1][i].contenders[a].refused);
    }
  }
}

TEST(Trials, EachAlgorithmRunsOrSaysWhyNot) {
  Engine engine;
  const auto outcomes = *run_trials({.engine = engine}, small_plan());
  bool refused = false, ran = false;
  for (const CellOutcome& cell : outcomes) {
    for (const Outcome& outcome : cell.contenders) {
      EXPECT_EQ(outcome.refused.empty(), outcome.runs > 0) << outcome.refused;
      refused |= !outcome.refused.empty();
      ran |= outcome.runs == 3;
    }
  }
  EXPECT_TRUE(refused) << "implicit-glm is not for means";
  EXPECT_TRUE(ran);
}

// Means are strongly convex; who does not use that is held against the rate for convex losses.
TEST(Trials, RatesAreThoseOfWhatACertificateUses) {
  Engine engine;
  const TrialPlan plan{.name = "test",
                       .cells = {*cell_of(Kind::mean, 4, 4, 1 << 17, kBudget, 1, 3)},
                       .contenders = all_contenders({.max_passes = 1e9}),
                       .budget = kBudget,
                       .most_work = 100};  // forecasts only
  const CellOutcome mean = (*run_trials({.engine = engine}, plan))[0];
  std::map<std::string_view, double> over;
  for (std::size_t a = 0; a < algorithms().size(); ++a)
    over[algorithms()[a].name] = mean.contenders[a].rate / mean.rate;
  EXPECT_EQ(over["known-lipschitz"], 1);
  EXPECT_GT(over["implicit"], 1.5);
}

TEST(Trials, WorkBeyondTheLimitIsLeftOutAndSaid) {
  Engine engine;
  TrialPlan plan = small_plan();
  plan.most_work = 100;
  const auto outcomes = *run_trials({.engine = engine}, plan);
  for (const CellOutcome& cell : outcomes)
    for (const Outcome& outcome : cell.contenders) EXPECT_EQ(outcome.runs, 0u);
  const Outcome& outcome = outcomes[0].contenders.back();
  EXPECT_NE(outcome.refused, "");
}

}  // namespace
}  // namespace tailcoat::experiments
