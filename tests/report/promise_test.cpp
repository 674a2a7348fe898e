#include "tailcoat/report/promise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tailcoat/privacy/conversions.hpp"

namespace tailcoat::report {
namespace {

double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

Receipt gaussian_receipt(double epsilon, double delta) {
  const Gdp mu = *to_gdp(ApproxDp{epsilon, delta});
  Receipt receipt{.budget = {epsilon, delta}, .gaussian_budget = mu, .gaussian_spent = mu, .lines = {}};
  receipt.lines.push_back({{.what = "gradient", .mechanism = "gaussian"}, {.mu = mu.mu}});
  return receipt;
}

Receipt laplace_receipt(double epsilon, double delta) {
  Receipt receipt = gaussian_receipt(epsilon, delta);
  receipt.lines.push_back({{.what = "median", .mechanism = "bounded-laplace"}, {.epsilon = 0.1}});
  return receipt;
}

// N(0, 1) against N(mu, 1) is the worst case, so the attackers of the page are matched by a test of a threshold.
TEST(Promise, GaussianDetectionIsThatOfTheBestTestOfTwoNormals) {
  const Promise promise = promise_of(gaussian_receipt(1, 1e-6));
  ASSERT_TRUE(promise.gaussian);
  for (const double threshold : {-1.0, 0.5, 1.6448536269514722, 3.0}) {
    const double false_alarm = 1 - normal_cdf(threshold), power = 1 - normal_cdf(threshold - promise.mu);
    EXPECT_NEAR(detection(promise, false_alarm), power, 1e-12);
  }
  EXPECT_NEAR(guess(promise), (1 + (normal_cdf(promise.mu / 2) - normal_cdf(-promise.mu / 2))) / 2, 1e-12);
}

TEST(Promise, TheGuessIsTheBestOverAllFalseAlarms) {
  for (const Receipt& receipt : {gaussian_receipt(1, 1e-6), laplace_receipt(1, 1e-3), laplace_receipt(0.2, 0.05)}) {
    const Promise promise = promise_of(receipt);
    double best = 0.5;
    for (double a = 0; a <= 1; a += 1e-5) best = std::max(best, (1 - a + detection(promise, a)) / 2);
    EXPECT_NEAR(guess(promise), best, 1e-5);
    EXPECT_GE(guess(promise), best - 1e-12);
  }
}

// Randomised response shows that the bound for epsilon and delta is reached.
TEST(Promise, OtherReleasesAreBoundedByEpsilonAndDelta) {
  const Promise promise = promise_of(laplace_receipt(1, 1e-6));
  ASSERT_FALSE(promise.gaussian);
  const double truth = std::exp(1) / (1 + std::exp(1));
  EXPECT_NEAR(detection(promise, 1 - truth), truth, 1e-5);
  EXPECT_GE(detection(promise, 1 - truth), truth);
  EXPECT_NEAR(detection(promise, 0.05), 0.05 * std::exp(1), 1e-5);
  EXPECT_GT(detection(promise, 0.05), detection(promise_of(gaussian_receipt(1, 1e-6)), 0.05));
}

TEST(Promise, ReleasesThatOnlyFailAddTheirProbability) {
  Receipt receipt = gaussian_receipt(1, 1e-6);
  const Promise without = promise_of(receipt);
  receipt.lines.push_back({{.what = "frequent levels", .mechanism = "stability"}, {.delta = 0.001}});
  const Promise with = promise_of(receipt);
  ASSERT_TRUE(with.gaussian);
  EXPECT_NEAR(detection(with, 0.05), detection(without, 0.05) + 0.001, 1e-12);
  EXPECT_NEAR(guess(with), guess(without) + 0.0005, 1e-12);
  EXPECT_EQ(detection(with, 1), 1);
  receipt.lines.back().price.delta = 5e-7;
  const Promise runs = for_runs(promise_of(receipt), 4);
  EXPECT_DOUBLE_EQ(runs.delta, 4e-6);
  EXPECT_NEAR(runs.epsilon, *to_epsilon(Gdp{2 * without.mu}, 2e-6), 1e-9);
}

TEST(Promise, TheBudgetCountsNotWhatWasSpent) {
  Receipt receipt = gaussian_receipt(1, 1e-6);
  const double before = detection(promise_of(receipt), 0.05);
  receipt.gaussian_spent.mu /= 2;
  EXPECT_EQ(detection(promise_of(receipt), 0.05), before);
}

TEST(Promise, ABudgetGivenAsMuIsToldAsEpsilon) {
  Receipt receipt = gaussian_receipt(1, 1e-6);
  receipt.budget = {0, 0};
  const Promise promise = promise_of(receipt);
  EXPECT_NEAR(promise.epsilon, 1, 1e-6);
  EXPECT_EQ(promise.delta, 1e-6);
}

TEST(Promise, GroupsAndRunsCostMore) {
  const Promise promise = promise_of(gaussian_receipt(1, 1e-6));
  EXPECT_DOUBLE_EQ(for_group(promise, 5).mu, 5 * promise.mu);
  EXPECT_DOUBLE_EQ(for_runs(promise, 4).mu, 2 * promise.mu);
  EXPECT_NEAR(for_runs(promise, 4).epsilon, *to_epsilon(Gdp{2 * promise.mu}, 1e-6), 1e-12);
  EXPECT_DOUBLE_EQ(for_runs(promise_of(laplace_receipt(1, 1e-6)), 4).epsilon, 4);
  EXPECT_NEAR(odds(promise), std::exp(1), 1e-12);
}

TEST(Promise, AnEndlessBudgetPromisesNothing) {
  Receipt receipt = gaussian_receipt(1, 1e-6);
  receipt.budget.epsilon = INFINITY;
  receipt.gaussian_budget.mu = INFINITY;
  EXPECT_EQ(detection(promise_of(receipt), 0.05), 1);
  EXPECT_EQ(guess(promise_of(receipt)), 1);
}

}  // namespace
}  // namespace tailcoat::report
