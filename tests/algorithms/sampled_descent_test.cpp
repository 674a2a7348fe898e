#include "tailcoat/algorithms/sampled_descent.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "heavy_tails.hpp"
#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/privacy/sampled_gaussian.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kRows = 40;

// Steps of an event that costs little, for runs that are about utility: a budget of epsilon = 30 for each solve.
Result<std::vector<double>> solved(const Samples& samples, const Domain& domain, const std::vector<double>& centre,
                                   const SampledDescent& descent, std::uint64_t seed) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(seed);
  TAILCOAT_TRY(meter, PrivacyMeter::open(ApproxDp{30, 1e-3}, {descent.event}, Gdp{0}));
  return solve_sampled(engine, samples, domain, centre, descent, "solve", {meter, noise});
}

// A linear loss whose unconstrained regularised minimiser is -mean / lambda: with V the variance of a step,
// E |y_T - y|^2 = (|y_0 - y|^2 + T V / lambda^2) / (T + 1)^2 exactly, as no monotonicity is given away.
TEST(SampledDescent, LinearLossHasTheExactErrorOfTheProof) {
  const double lambda = 2, clip = 3;
  const SampledGaussianEvent event{.rate = 0.2, .ratio = 0.5, .steps = 30};
  std::vector<double> slopes(kRows);
  std::mt19937_64 random(1);
  double mean = 0, squares = 0;
  for (double& slope : slopes) {
    slope = 1 + std::normal_distribution<>()(random) / 2;
    mean += slope / kRows;
    squares += slope * slope / kRows;
  }
  const SampleGradient gradient = [&](std::size_t row, auto, std::span<double> g) { g[0] = slopes[row]; };
  const Samples samples(kRows, 1, {.gradient = gradient});
  const Domain line = *Domain::ball({0.0}, 1e6);
  const double b = event.rate * kRows, sigma = clip / (event.ratio * b), t = static_cast<double>(event.steps);
  const double variance = sigma * sigma + (1 - event.rate) / b * squares, exact = -mean / lambda;
  const double expected = (exact * exact + t * variance / (lambda * lambda)) / ((t + 1) * (t + 1));
  constexpr int kRuns = 4000;
  double found = 0;
  for (int run = 0; run < kRuns; ++run) {
    const auto x = solved(samples, line, {0}, {clip, lambda, event}, static_cast<std::uint64_t>(run));
    ASSERT_TRUE(x.ok()) << x.error().message;
    found += std::pow((*x)[0] - exact, 2) / kRuns;
  }
  // A chi-square variable, nearly: five standard errors are 5 sqrt(2 / 4000) = 11 %. False alarms: 6e-7.
  EXPECT_NEAR(found / expected, 1, 0.11);
  const Setting setting{.rows = kRows, .dimension = 1, .diameter = 2e6, .start_distance = 1e6, .moments = {3, 2, 3}};
  EXPECT_LE(std::sqrt(found), sampled_spread(setting, kRows, clip, event) / lambda);
}

// Every step divides by the expected size of a batch: with equal gradients the mean of many runs is the full one, and
// single gradients are multiples of one row's share, not the same whatever was drawn.
TEST(SampledDescent, NoNoiseIsLeftOfAConstantGradientInTheMean) {
  const SampledGaussianEvent event{.rate = 0.1, .ratio = 1, .steps = 1};
  const SampleGradient gradient = [](std::size_t, auto, std::span<double> g) { g[0] = 1; };
  const SampleGradient zero = [](std::size_t, auto, std::span<double>) {};
  const Domain line = *Domain::ball({0.0}, 1e6);
  double mean = 0;
  int at_mean = 0;
  constexpr int kRuns = 2000;
  for (int run = 0; run < kRuns; ++run) {
    const auto seed = static_cast<std::uint64_t>(run);
    const auto with = solved({kRows, 1, {.gradient = gradient}}, line, {0}, {1, 1, event}, seed);
    const auto without = solved({kRows, 1, {.gradient = zero}}, line, {0}, {1, 1, event}, seed);
    ASSERT_TRUE(with.ok() && without.ok());
    const double step = -2 * ((*with)[0] - (*without)[0]);  // x_1 = (x_0 + centre - g / lambda) / 2
    EXPECT_NEAR(step * 4, std::round(step * 4), 1e-5) << "a multiple of 1 / (rate n) = 1 / 4";
    mean += step / kRuns;
    at_mean += std::abs(step - 1) < 0.01;
  }
  EXPECT_NEAR(mean, 1, 5 * std::sqrt(0.9 / 4 / kRuns));  // false alarms: 6e-7
  EXPECT_LT(at_mean, kRuns / 3);                         // P[size = 4] = 0.206
}

// Two points where L is either 1 or 9, C = 3: E b_D^2 = (E (L - C)_+)^2 + Var((L - C)_+) / m, at most what is claimed.
TEST(SampledDescent, SquaredBiasOfALossThatIsNoGlmIsThatOfTheProof) {
  const double p = 0.1, c = 3, mean = p * 6, exact = mean * mean + p * (1 - p) * 36 / kRows;
  const Moments moments{3, std::sqrt(1 - p + p * 81), std::cbrt(1 - p + p * 729)};
  Setting setting{.rows = kRows,
                  .dimension = 1,
                  .diameter = 2,
                  .start_distance = 1,
                  .moments = moments,
                  .generalised_linear = false};
  const SampledGaussianEvent event{.rate = 0.5, .ratio = 1, .steps = 1000};
  const double biased = sampled_spread(setting, kRows, c, event);
  setting.generalised_linear = true;
  setting.moments.g2 = std::min(setting.moments.g2, c);
  const double unbiased = sampled_spread(setting, kRows, c, event);
  EXPECT_GE(biased - unbiased, std::sqrt(exact));
  EXPECT_LT(biased - unbiased, 4 * std::sqrt(exact));
}

TEST(SampledDescent, AnEventThatWasNotReservedIsRefusedBeforeAnyRowIsRead) {
  std::size_t reads = 0;
  const SampleGradient gradient = [&](std::size_t, auto, std::span<double>) { ++reads; };
  const Samples samples(kRows, 1, {.gradient = gradient});
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(1);
  const SampledGaussianEvent event{.rate = 0.1, .ratio = 1, .steps = 10};
  SampledGaussianEvent more = event;
  more.steps = 11;
  auto meter = *PrivacyMeter::open(ApproxDp{8, 1e-6}, {event}, Gdp{0});
  const auto refused =
      solve_sampled(engine, samples, unit_ball(1), std::vector<double>{0}, {1, 1, more}, "solve", {meter, noise});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(reads, 0u);
  const auto once = [&] {
    return solve_sampled(engine, samples, unit_ball(1), std::vector<double>{0}, {1, 1, event}, "solve", {meter, noise})
        .ok();
  };
  EXPECT_TRUE(once());
  EXPECT_FALSE(once()) << "a reservation is used up";
}

}  // namespace
}  // namespace tailcoat
