#include "tailcoat/privacy/account.hpp"

#include <gtest/gtest.h>

#include <map>

namespace tailcoat {
namespace {

std::map<std::string, double> figures_of(const AccountQuery& query) {
  std::map<std::string, double> numbers;
  const auto figures = account(query);
  EXPECT_TRUE(figures.ok()) << figures.error().message;
  if (!figures) return numbers;
  for (const Figure& figure : *figures) {
    if (const auto* number = std::get_if<double>(&figure.value)) numbers[figure.name] = *number;
  }
  return numbers;
}

void expect_refused(const AccountQuery& query, const std::string& said) {
  const auto figures = account(query);
  ASSERT_FALSE(figures.ok()) << said;
  EXPECT_EQ(figures.error().kind, ErrorKind::usage) << said;
  EXPECT_NE(figures.error().message.find(said), std::string::npos) << figures.error().message;
}

// The noise of the analytic Gaussian mechanism, as in the paper of Balle and Wang; zCDP needs more of it.
TEST(AccountFigures, SayTheNoiseForABudget) {
  auto figures = figures_of({.epsilon = 1, .delta = 1e-6});
  EXPECT_EQ(figures["epsilon"], 1);
  EXPECT_EQ(figures["delta"], 1e-6);
  EXPECT_NEAR(figures["mu"], 0.236704, 5e-7);
  EXPECT_NEAR(figures["noise_multiplier"], 4.22468, 5e-6);
  EXPECT_NEAR(figures["rho"], 0.0280144, 1e-7);
  EXPECT_LT(figures["zcdp_rho"], figures["rho"]);
  EXPECT_NEAR(figures["zcdp_noise_multiplier"], 4.5309, 5e-5);
}

// delta = Phi(-5 + 0.1) - e Phi(-5 - 0.1) for epsilon = 1 and mu = 0.2.
TEST(AccountFigures, ConvertMuAndRhoBothWays) {
  EXPECT_NEAR(figures_of({.epsilon = 1, .mu = 0.2})["delta"], 1.7546e-8, 1e-12);
  EXPECT_NEAR(figures_of({.epsilon = 1, .rho = 0.02})["delta"], 1.7546e-8, 1e-12);
  EXPECT_NEAR(figures_of({.delta = 1e-6, .mu = 0.236704})["epsilon"], 1, 1e-5);
  EXPECT_NEAR(figures_of({.mu = 0.3})["rho"], 0.045, 1e-12);
  EXPECT_FALSE(figures_of({.mu = 0.3}).contains("epsilon"));
}

// mu of Gaussian events adds in squares: 25 of 0.1 are one of 0.5. Pure ones of 0.5 and 0.5 are 1 at delta 0.
TEST(AccountFigures, ComposeEvents) {
  EXPECT_NEAR(figures_of({.delta = 1e-6, .compose = "gaussian:0.1x25"})["epsilon"],
              figures_of({.delta = 1e-6, .mu = 0.5})["epsilon"], 1e-9);
  EXPECT_EQ(figures_of({.epsilon = 1, .compose = "pure:0.5x2"})["delta"], 0);
  const auto figures = account({.delta = 1e-6, .compose = "pure:0.5"});
  ASSERT_TRUE(figures.ok());
  EXPECT_EQ(figures->front().name, "compose");
  EXPECT_EQ(std::get<std::string>(figures->front().value), "pure:0.5");
}

// 1.374493 by numerical inversion (sampled_reference.py).
TEST(AccountFigures, ComposeSampledSteps) {
  const double epsilon = figures_of({.delta = 1e-6, .compose = "sampled:0.01:0.5:1000"})["epsilon"];
  EXPECT_NEAR(epsilon, 1.374493, 3e-4 * 1.374493);
  EXPECT_GE(epsilon, 1.374493);
  EXPECT_EQ(figures_of({.delta = 1e-6, .compose = "sampled:0.01:0.5:500x2"})["epsilon"], epsilon);
  EXPECT_GT(figures_of({.delta = 1e-6, .compose = "parallel(sampled:0.01:0.5:1000|pure:0.1),zcdp:0.001"})["epsilon"],
            epsilon);
  expect_refused({.delta = 1e-6, .compose = "sampled:0.01:0.5"}, "number of steps");
  expect_refused({.delta = 1e-6, .compose = "sampled:0.01"}, "ratio");
  expect_refused({.delta = 1e-6, .compose = "sampled:0.01:0.5:1e3"}, "found 'e3'");
  expect_refused({.delta = 1e-6, .compose = "sampled:1.5:0.5:10"}, "rate = 1.5");
  expect_refused({.delta = 1e-6, .compose = "sampled:0.1:0.5:0"}, "steps = 0");
  expect_refused({.delta = 1e-6, .compose = "sampled:nan:0.5:10"}, "rate = nan");
}

TEST(AccountFigures, RefuseWhatDoesNotGoTogether) {
  expect_refused({}, "give --epsilon and --delta");
  expect_refused({.epsilon = 1}, "give --epsilon and --delta");
  expect_refused({.rho = 1, .mu = 1}, "exclude each other");
  expect_refused({.epsilon = 1, .delta = 1e-6, .mu = 1}, "not both");
  expect_refused({.compose = "pure:1"}, "--compose needs --delta");
  expect_refused({.epsilon = -1, .delta = 1e-6}, "epsilon = -1");
  expect_refused({.mu = 0}, "mu = 0");
}

}  // namespace
}  // namespace tailcoat
