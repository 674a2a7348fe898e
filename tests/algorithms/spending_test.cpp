#include "tailcoat/algorithms/spending.hpp"

#include <gtest/gtest.h>

#include "problems.hpp"
#include "tailcoat/algorithms/catalogue.hpp"
#include "tailcoat/losses/mean.hpp"

namespace tailcoat {
namespace {

const Result<int> kFailed = data_error("row 7 is bad");

TEST(Spending, NothingIsSpentBeforeTheFirstDraw) {
  BitSource noise = BitSource::insecure_seeded(1);
  noise.next_release();  // before the watch
  const SpendingWatch watch(noise, ApproxDp{2, 1e-6});
  const auto outcome = watch.told(kFailed);
  EXPECT_FALSE(outcome.error().spent);
  EXPECT_EQ(outcome.error().message, "row 7 is bad");
}

TEST(Spending, OneDrawCostsTheWholeBudget) {
  BitSource noise = BitSource::insecure_seeded(1);
  const SpendingWatch watch(noise, ApproxDp{2, 1e-6});
  noise.next_release();
  const auto outcome = watch.told(kFailed);
  ASSERT_TRUE(outcome.error().spent);
  EXPECT_EQ(outcome.error().kind, ErrorKind::data);
  EXPECT_EQ(outcome.error().spent->epsilon, 2);
  EXPECT_EQ(outcome.error().spent->delta, 1e-6);
  EXPECT_EQ(outcome.error().message,
            "row 7 is bad; something was released before that: the whole budget, epsilon = 2, delta = 1e-06, counts as "
            "spent");
}

TEST(Spending, NoiseOfASplitSourceCounts) {
  BitSource noise = BitSource::insecure_seeded(1);
  const SpendingWatch watch(noise, ApproxDp{2, 1e-6});
  noise.split(2)[1].next_release();
  EXPECT_TRUE(watch.told(kFailed).error().spent);
}

TEST(Spending, WhatSucceedsIsLeftAlone) {
  BitSource noise = BitSource::insecure_seeded(1);
  const SpendingWatch watch(noise, ApproxDp{2, 1e-6});
  noise.next_release();
  EXPECT_EQ(*watch.told(Result<int>(3)), 3);
}

// Whatever fails, however late: nothing is spent before noise was drawn, and all of the budget is afterwards.
TEST(Spending, AFailureSaysWhatIsSpentWhateverTheAlgorithm) {
  Engine engine(1);
  const TestData data = heavy_tailed_data(2000, 2, 1);
  int late = 0;
  for (const Algorithm& algorithm : algorithms()) {
    for (const std::size_t allowed : {100u, 2500u}) {
      std::size_t calls = 0;
      const SampleFunctions functions{.gradient = [&](std::size_t row, std::span<const double> x, std::span<double> g) {
        if (++calls > allowed) throw std::runtime_error("no more");
        MeanLoss{}.gradient(x, {&data.rows[2 * row], 2}, g);
      }};
      BitSource noise = BitSource::insecure_seeded(1);
      noise.next_release();  // what was drawn before the run does not count
      const Problem problem{Samples(2000, 2, functions), ball(2, 1), 1};
      const auto solution =
          algorithm.solve({engine, noise}, problem, {3, 2.5, 3}, ApproxDp{2, 1e-6}, {.max_passes = 50});
      if (calls == 0) break;  // the algorithm is not for such a problem
      if (solution.ok()) continue;
      const Error& error = solution.error();
      const bool told = error.message.find("the whole budget, epsilon = 2, delta = 1e-06") != std::string::npos;
      EXPECT_EQ(error.spent.has_value(), noise.releases() > 1) << algorithm.name << ": " << error.message;
      EXPECT_EQ(error.spent.has_value(), told) << algorithm.name << ": " << error.message;
      if (!error.spent) continue;
      ++late;
      EXPECT_EQ(error.spent->epsilon, 2) << algorithm.name;
      EXPECT_EQ(error.spent->delta, 1e-6) << algorithm.name;
    }
  }
  EXPECT_GE(late, 6);
}

TEST(Spending, ABudgetGivenAsMuIsSpentAsThat) {
  Engine engine(1);
  std::size_t calls = 0;
  const SampleFunctions functions{.gradient = [&](std::size_t, std::span<const double>, std::span<double> g) {
    if (++calls > 1500) throw std::runtime_error("no more");
    std::ranges::fill(g, 0.0);
  }};
  BitSource noise = BitSource::insecure_seeded(1);
  const Problem problem{Samples(1000, 2, functions), ball(2, 1), 1};
  const auto solution = find_algorithm("dp-sgd")->solve({engine, noise}, problem, {3, 2.5, 3}, Gdp{0.5}, {});
  ASSERT_FALSE(solution.ok());
  EXPECT_EQ(solution.error().spent->mu, 0.5);
  EXPECT_NE(solution.error().message.find("the whole budget, mu = 0.5, counts as spent"), std::string::npos);
}

}  // namespace
}  // namespace tailcoat
