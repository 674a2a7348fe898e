#include "tailcoat/algorithms/sampled_descent.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "heavy_tails.hpp"
#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/privacy/sampled_gaussian.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kRows = 40;

// Meters for so many solves, for runs that are about utility: a budget of epsilon = 30 for each. It is accounted once.
Result<std::vector<PrivacyMeter>> meters_for(std::size_t solves, const SampledGaussianEvent& event) {
  const ParallelEvent each{std::vector<std::vector<Event>>(solves, {event})};
  TAILCOAT_TRY(meter, PrivacyMeter::open(ApproxDp{30, 1e-3}, {each}, Gdp{0}));
  return meter.split(each);
}

Result<std::vector<double>> solved(const Samples& samples, const Domain& domain, const std::vector<double>& centre,
                                   const SampledDescent& descent, std::uint64_t seed, PrivacyMeter& meter) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(seed);
  return solve_sampled(engine, samples, domain, centre, descent, "solve", {meter, noise});
}

Result<std::vector<double>> solved(const Samples& samples, const Domain& domain, const std::vector<double>& centre,
                                   const SampledDescent& descent, std::uint64_t seed) {
  TAILCOAT_TRY(meters, meters_for(1, descent.event));
  return solved(samples, domain, centre, descent, seed, meters[0]);
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
  constexpr std::size_t kRuns = 4000;
  auto meters = *meters_for(kRuns, event);
  double found = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const auto x = solved(samples, line, {0}, {clip, lambda, event}, run, meters[run]);
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
  constexpr std::size_t kRuns = 2000;
  auto meters = *meters_for(2 * kRuns, event);
  for (std::size_t run = 0; run < kRuns; ++run) {
    const auto with = solved({kRows, 1, {.gradient = gradient}}, line, {0}, {1, 1, event}, run, meters[2 * run]);
    const auto without = solved({kRows, 1, {.gradient = zero}}, line, {0}, {1, 1, event}, run, meters[2 * run + 1]);
    ASSERT_TRUE(with.ok() && without.ok());
    const double step = -2 * ((*with)[0] - (*without)[0]);  // x_1 = (x_0 + centre - g / lambda) / 2
    EXPECT_NEAR(step * 4, std::round(step * 4), 1e-5) << "a multiple of 1 / (rate n) = 1 / 4";
    mean += step / kRuns;
    at_mean += std::abs(step - 1) < 0.01;
  }
  EXPECT_NEAR(mean, 1, 5 * std::sqrt(0.9 / 4 / kRuns));  // false alarms: 6e-7
  EXPECT_LT(at_mean, kRuns / 3);                         // P[size = 4] = 0.206
}

// Slopes of 4.5 clipped at 3, where the moments allow no greater bias than 1.5: after T steps from y_0 = 0 the mean is
// T / (T + 1) (-3 / lambda), so T 1.5 / (lambda (T + 1)) of the distance from y = -4.5 / lambda is bias.
TEST(SampledDescent, AConstantBiasMovesTheResultByAsMuchAsTheProofAllows) {
  const std::size_t n = 200;
  const double lambda = 2, clip = 3, slope = 4.5, bias = slope - clip;
  const SampleGradient gradient = [&](std::size_t, auto, std::span<double> g) { g[0] = slope; };
  const Samples samples(n, 1, {.gradient = gradient});
  const Domain line = *Domain::ball({0.0}, 1e6);
  const SampledGaussianEvent event{.rate = 0.05, .ratio = 0.5, .steps = 4000};
  const auto x = solved(samples, line, {0}, {clip, lambda, event}, 1);
  ASSERT_TRUE(x.ok()) << x.error().message;
  const double t = static_cast<double>(event.steps), moved = t * bias / (t + 1), started = slope / (t + 1);
  const double found = lambda * ((*x)[0] + slope / lambda);
  // Noise of C / (s b) = 0.6 and of sampling, 3 sqrt(0.95 / 10), averaged over the steps: five times 0.0175.
  EXPECT_NEAR(found, moved + started, 5 * std::sqrt((0.36 + 0.855) / t));  // false alarms: 6e-7
  const Setting setting{.rows = n,
                        .dimension = 1,
                        .diameter = 2e6,
                        .start_distance = 1e6,
                        .moments = {3, slope, slope},
                        .generalised_linear = false};
  const double w = sampled_spread(setting, n, clip, event);
  EXPECT_LE(found, w);
  EXPECT_GE(w, bias);
  EXPECT_LT(w, 1.2 * bias) << "the bias counts once, and is that of the clip";
}

// F = max_j x_j without noise worth speaking of: each step goes down one coordinate more, and T = d / 2 of them leave
// lambda (T + 1) |y_T - y| = 4.002. w'' is 1 + sqrt(1 + T), w' nearly twice that.
TEST(SampledDescent, AMaximumOfCoordinatesIsWithinTheSmallerOfTheTwoBounds) {
  const std::size_t n = 20'000, d = 64;
  const SampleGradient gradient = [](std::size_t, std::span<const double> x, std::span<double> g) {
    std::ranges::fill(g, 0);
    g[static_cast<std::size_t>(std::ranges::max_element(x) - x.begin())] = 1;
  };
  const Samples samples(n, d, {.gradient = gradient});
  const SampledGaussianEvent event{.rate = 1, .ratio = 0.3, .steps = 32};
  const auto x = solved(samples, unit_ball(d), std::vector<double>(d), {1, 3, event}, 1);
  ASSERT_TRUE(x.ok()) << x.error().message;
  const std::vector<double> y(d, -1 / (3.0 * d));
  const double found = 3 * 33 * std::sqrt(squared_distance(*x, y));
  EXPECT_NEAR(found, std::sqrt(32 * std::pow(33.0 / 64, 2) + 32 * std::pow(31.0 / 64, 2)), 0.01);
  const Setting setting{.rows = n, .dimension = d, .diameter = 2, .start_distance = 1, .moments = {3, 1, 1}};
  const double bound = 33 * sampled_spread(setting, n, 1, event);
  EXPECT_LE(found, bound);
  EXPECT_NEAR(bound, 1 + std::sqrt(33), 0.01);
}

// Two points where L is either 1 or 9, C = 3: E b_D^2 = (E (L - C)_+)^2 + Var((L - C)_+) / m, at most what is claimed.
TEST(SampledDescent, SquaredBiasOfALossThatIsNoGlmIsThatOfTheProof) {
  const double p = 0.1, c = 3, mean = p * 6, exact = mean * mean + p * (1 - p) * 36 / kRows;
  std::mt19937_64 random(1);
  std::binomial_distribution<int> steep(kRows, p);  // samples with L = 9: of linear losses b_D is 6 of them / m
  constexpr int kDraws = 10'000;
  double squares = 0, fourths = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const double square = std::pow(6.0 * steep(random) / static_cast<double>(kRows), 2);
    squares += square / kDraws;
    fourths += square * square / kDraws;
  }
  EXPECT_NEAR(squares, exact, 5 * std::sqrt((fourths - squares * squares) / kDraws));  // false alarms: 6e-7
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
  EXPECT_GE(biased - unbiased, std::sqrt(std::max(exact, squares)));
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
