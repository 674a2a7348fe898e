#include "tailcoat/algorithms/implicit.hpp"

#include <gtest/gtest.h>

#include "problems.hpp"
#include "tailcoat/losses/mean.hpp"

namespace tailcoat {
namespace {

constexpr Moments kMoments{3, 2.5, 3};
const Budget kBudget = Gdp{1};

// The mean of the rows of `data`: f(x; s) = |x - s|^2 / 2, no GLM.
SampleFunctions mean_of(const TestData& data) {
  const auto sample = [&data](std::size_t row) {
    return std::span(data.rows).subspan(row * data.dimension, data.dimension);
  };
  return {.gradient = [=](std::size_t row, auto x, auto gradient) { MeanLoss{}.gradient(x, sample(row), gradient); },
          .implicit_step =
              [=](std::size_t row, auto x, double step, auto y) {
                std::ranges::copy(x, y.begin());
                MeanLoss{}.implicit_step(y, sample(row), step);
              },
          .step_error = 1e-14};
}

Solution solved(const TestData& data, const SampleFunctions& functions, std::uint64_t seed) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(seed);
  const Problem problem{Samples(data.size(), data.dimension, functions), ball(data.dimension, 1), 1};
  return *implicit({engine, noise}, problem, kMoments, kBudget, {});
}

TEST(Implicit, FindsTheMeanOfHeavyTails) {
  double excess = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    TestData data = heavy_tailed_data(4000, 3, seed, 3);
    for (std::size_t i = 0; i < data.size(); ++i) data.rows[3 * i] += 0.5;
    const Solution solution = solved(data, mean_of(data), seed);
    const double away = distance(solution.x, std::vector<double>{0.5, 0, 0});
    excess += away * away / 20;
    EXPECT_TRUE(adds_up(solution.receipt, 1));
    EXPECT_LT(away * away / 2, solution.certified.excess_risk);
  }
  EXPECT_LT(excess, 0.02);  // at the start it is 1/8
}

TEST(Implicit, CoupledRunsStayWithinTheSensitivity) {
  double largest = 0;
  const std::size_t n = 64, last = plan_implicit({n, 3, 2, 1, kMoments}, kBudget, {})->phases.back().rows;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const TestData data = heavy_tailed_data(n, 3, seed, 3);
    const TestData neighbour = neighbour_of(data, n - last + seed % last, seed);
    const Solution one = solved(data, mean_of(data), seed), other = solved(neighbour, mean_of(neighbour), seed);
    EXPECT_LE(distance(one.x, other.x), last_sensitivity(one.receipt)) << seed;
    largest = std::max(largest, distance(one.x, other.x) / last_sensitivity(one.receipt));
  }
  EXPECT_GT(largest, 0.3);
}

TEST(Implicit, StepsByDescentAreTheExactOnes) {
  const TestData data = heavy_tailed_data(20, 3, 1);
  const SampleFunctions exact = mean_of(data);
  const SampleStep descent = implicit_step_by_descent(exact.gradient, ball(3, 100), 1);
  const std::vector<double> x = {0.3, -0.2, 0.1};
  for (std::size_t row = 0; row < 20; ++row) {
    for (const double step : {1e-3, 1.0, 100.0}) {
      std::vector<double> y(3), expected(3);
      descent(row, x, step, y);
      exact.implicit_step(row, x, step, expected);
      EXPECT_LT(distance(y, expected), 0x1p-48 * 200);
    }
  }
}

TEST(Implicit, RefusesStepsTooInexactForTheirNumber) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(1);
  const TestData data = heavy_tailed_data(5000, 3, 1);
  SampleFunctions functions{.gradient = mean_of(data).gradient, .gradient_error = 1e-6};
  const Problem problem{Samples(5000, 3, functions), ball(3, 1), 1};
  const auto refused = implicit({engine, noise}, problem, kMoments, kBudget, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("too inexact"), std::string::npos) << refused.error().message;
}

// A step error that a small problem admits and a large one does not, and the largest that it would.
TEST(Implicit, ThePlanKnowsHowExactStepsMustBe) {
  Setting setting{.rows = 1'000'000, .dimension = 3, .diameter = 2, .start_distance = 1, .moments = {3, 1.6, 2.5}};
  setting.generalised_linear = false;
  setting.given = {.implicit_step = true, .step_error = 1e-14};
  const auto runs = [&] { return plan_implicit(setting, ApproxDp{1, 1e-6}, {}); };
  const auto refused = runs();
  ASSERT_FALSE(refused.ok());
  const std::string text = refused.error().message;
  const std::size_t at = text.find("which admit ");
  ASSERT_NE(at, std::string::npos) << text;
  const double admitted = std::stod(text.substr(at + 12));
  setting.given.step_error = 0.99 * admitted;
  EXPECT_TRUE(runs().ok());
  setting.given.step_error = 1.01 * admitted;
  EXPECT_FALSE(runs().ok());
  setting.rows = 10'000;
  setting.given.step_error = 1e-14;
  EXPECT_TRUE(runs().ok());
  setting.generalised_linear = true;
  setting.rows = 1'000'000;
  EXPECT_TRUE(runs().ok()) << "steps of GLMs are our own";
}

TEST(Implicit, NeedsAStepOrAGradientAndItsSmoothness) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(1);
  const TestData data = heavy_tailed_data(20, 3, 1);
  const Problem problem{Samples(20, 3, {.gradient = mean_of(data).gradient}), ball(3, 1)};
  const auto refused = implicit({engine, noise}, problem, kMoments, kBudget, {});
  EXPECT_NE(refused.error().message.find("finite smoothness"), std::string::npos);
}

}  // namespace
}  // namespace tailcoat
