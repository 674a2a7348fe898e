#include "tailcoat/algorithms/erm_phases.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace tailcoat {
namespace {

// Erratum E6: the text has G_k^k / ((k - 1) C^(k - 1)). For L_s just above C, always, all is left out, and the slope
// lost is L_s.
TEST(ErmPhases, ErratumE6TheBiasOfLeavingOutHasConstantOne) {
  const double clip = 2, slope = 2.000001;
  for (const double k : {2.0, 3.0, 6.0}) {
    const Moments moments{k, slope, slope};
    EXPECT_GE(drop_bias(moments, clip), slope);
    if (k > 2) {
      EXPECT_LT(drop_bias(moments, clip) / (k - 1), slope);
    }
  }
}

// Two phases, summed by hand: a GLM, whose steep samples are clipped.
TEST(ErmPhases, BoundOfAGlmIsTheSumOfTheProof) {
  Setting setting{.rows = 30, .dimension = 4, .diameter = 2, .start_distance = 1.5, .moments = {3, 1, 2}};
  const std::vector<ErmPhase> phases = {{20, 0.5, {.noise = 0.3, .descent = 0.1}}, {10, 4, {.noise = 0.2}}};
  double clip = 5, v1 = (0.3 * 25 + 0.1) / 0.25, v2 = 0.2 * 25 / 16;
  const double error = 0.5 * 2.25 / 4 + 1 / (0.5 * 20) + 4 * v1 / 4 + 1 / (4 * 10.0) + std::sqrt(v2);
  EXPECT_NEAR(erm_bound(setting, clip, phases), error + 4 / 27.0 * 8 / 25.0 * 2, 1e-12);

  // Clipped below G_2, no slope is above the clip.
  clip = 0.5, v1 = (0.3 / 4 + 0.1 / 4) / 0.25, v2 = 0.2 / 4 / 16;
  const double clipped = 0.5 * 2.25 / 4 + 0.25 / (0.5 * 20) + 4 * v1 / 4 + 0.25 / (4 * 10.0) + 0.5 * std::sqrt(v2);
  EXPECT_NEAR(erm_bound(setting, clip, phases), clipped + 4 / 27.0 * 8 / 0.25 * 2, 1e-12);
}

TEST(ErmPhases, BoundOfALossOfOnesOwnIsTheSumOfTheProof) {
  Setting setting{.rows = 30,
                  .dimension = 4,
                  .diameter = 2,
                  .start_distance = 1.5,
                  .moments = {3, 1, 2},
                  .generalised_linear = false};
  const std::vector<ErmPhase> phases = {{20, 0.5, {.noise = 0.3, .descent = 0.1}}, {10, 4, {.noise = 0.2}}};
  const double clip = 5, v1 = (0.3 * 25 + 0.1) / 0.25, v2 = 0.2 * 25 / 16;
  const double error = 0.5 * 2.25 / 4 + 1 / (0.5 * 20) + 4 * v1 / 4 + 1 / (4 * 10.0) + std::sqrt(v2);
  EXPECT_NEAR(erm_bound(setting, clip, phases), error + 8 / 25.0 * 2, 1e-12);

  // With strong convexity 1 the first terms have lambda^2 / (2 lambda + 1) = 1/8 and 16/9 in place of lambda / 2.
  setting.strong_convexity = 1;
  const double w1 = (0.3 * 25 + 0.1) / 2.25, w2 = 0.2 * 25 / 25;
  const double strong = 2.25 / 8 / 2 + 1 / (1.5 * 20) + 16 / 9.0 * w1 / 2 + 1 / (5 * 10.0) + std::sqrt(w2);
  const double b = 8 / 25.0 + 1.5 * 8 / 125;
  EXPECT_NEAR(erm_bound(setting, clip, phases), strong + b * std::min(2.0, b + std::sqrt(2 * strong)), 1e-12);
}

// k = 1.5: g^2 = C^(1/2) G_k^(3/2), slopes of at most G_k in the mean, and kappa = (1/2)^(1/2) / 1.5^(3/2).
TEST(ErmPhases, BoundBelowTwoMomentsIsTheSumOfTheProof) {
  Setting setting{
      .rows = 30, .dimension = 4, .diameter = 2, .start_distance = 1.5, .moments = moments_below_two(1.5, 4)};
  const std::vector<ErmPhase> phases = {{20, 0.5, {.noise = 0.3, .descent = 0.1}}, {10, 4, {.noise = 0.2}}};
  const double clip = 9, square = 3 * 8, v1 = (0.3 * 81 + 0.1 * square) / 0.25, v2 = 0.2 * 81 / 16;
  const double error = 0.5 * 2.25 / 4 + square / (0.5 * 20) + 4 * v1 / 4 + square / 40 + 4 * std::sqrt(v2);
  const double bias = std::sqrt(0.5) / std::pow(1.5, 1.5) * 8 / 3;
  EXPECT_NEAR(erm_bound(setting, clip, phases), error + bias * 2, 1e-12);
}

// The minimiser over X = [-1, 1] of the mean of `slopes`-weighted functions and (lambda / 2) x^2, by bisection of the
// slope of the objective.
double regularised_minimiser(const std::function<double(double)>& slope, double lambda) {
  double low = -1, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (slope(middle) + lambda * middle < 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

// One phase without noise, from 0 to the best point of [-1, 1] or to the best there is for its first term; all slopes
// are at most 1, and the clip is above.
double one_phase_bound(double lambda, std::size_t rows) {
  const Setting setting{
      .rows = rows, .dimension = 1, .diameter = 2, .start_distance = 1, .moments = {.k = 1000, .g2 = 1, .gk = 1}};
  return erm_bound(setting, 1.05, {{rows, lambda, {.noise = 0}}});
}

constexpr std::size_t kSamples = 50;
constexpr int kDraws = 10'000;

// The leave-one-out lemma for linear losses s x, s = +-1 with mean `tilt`, and for |x - s|: the excess of the
// regularised minimiser is at most lambda / 4 + 1 / (lambda m). The means of 10,000 draws have standard errors below
// 0.001, and none is closer to its bound than 0.01.
TEST(ErmPhases, ExcessOfMinimisersIsWithinTheLeaveOneOutBound) {
  std::mt19937_64 random(1);
  for (const double lambda : {0.05, 0.3, 1.0}) {
    for (const double tilt : {0.0, 0.1, 0.5}) {
      double linear = 0, absolute = 0;
      for (int draw = 0; draw < kDraws; ++draw) {
        std::vector<double> samples(kSamples);
        double sum = 0;
        for (double& s : samples) {
          s = std::bernoulli_distribution((1 + tilt) / 2)(random) ? 1 : -1;
          sum += s / kSamples;
        }
        const double of_linear = regularised_minimiser([&](double) { return sum; }, lambda);
        linear += (tilt * of_linear + tilt) / kDraws;
        // |x - s| at +-1 has the slope -s on [-1, 1]; the median of F is at 1, or anywhere if there is no tilt.
        const double of_absolute = regularised_minimiser([&](double) { return -sum; }, lambda);
        absolute += tilt * (1 - of_absolute) / kDraws;
      }
      EXPECT_LT(linear, one_phase_bound(lambda, kSamples) + 1e-9) << lambda << ' ' << tilt;
      EXPECT_LT(absolute, one_phase_bound(lambda, kSamples) + 1e-9) << lambda << ' ' << tilt;
    }
  }
}

// Absolute losses of samples spread over [-1, 1]: here the minimiser follows the samples.
TEST(ErmPhases, ExcessOfRegularisedMediansIsWithinTheLeaveOneOutBound) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<> uniform(-1, 1);
  for (const double lambda : {0.05, 0.3, 1.0}) {
    double excess = 0;
    for (int draw = 0; draw < kDraws / 5; ++draw) {
      std::vector<double> samples(kSamples);
      for (double& s : samples) s = 0.3 + 0.7 * uniform(random);
      const double x = regularised_minimiser(
          [&](double at) {
            double slope = 0;
            for (const double s : samples) slope += (at > s ? 1.0 : at < s ? -1.0 : 0.0) / kSamples;
            return slope;
          },
          lambda);
      // E |x - s| for s uniform on [-0.4, 1]: (x - 0.3)^2 / 1.4 above its least inside, |x - 0.3| - 0.35 outside.
      excess += std::abs(x - 0.3) <= 0.7 ? (x - 0.3) * (x - 0.3) / 1.4 : std::abs(x - 0.3) - 0.35;
    }
    EXPECT_LT(excess / (kDraws / 5), one_phase_bound(lambda, kSamples)) << lambda;
  }
}

// No smaller first term will do: of the function x, always, the minimiser with lambda = 2 has an excess of 1/2 = lambda
// / 4 over -1. Nor would a smaller second term in the step of the proof that it comes from: with slopes of +-1, leaving
// out sample j changes its own value at the minimiser by 1 / (lambda m) in the mean, exactly.
TEST(ErmPhases, TheLeaveOneOutLemmaHasNoSlackInEitherTerm) {
  const double lambda = 2;
  const double x = regularised_minimiser([](double) { return 1.0; }, lambda);
  EXPECT_NEAR(x + 1, 0.5, 1e-9);
  EXPECT_LT(x + 1, one_phase_bound(lambda, 10'000));
  EXPECT_GT(x + 1, 0.95 * one_phase_bound(lambda, 10'000));

  std::mt19937_64 random(3);
  double gained = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    double sum = 0;
    for (std::size_t j = 0; j < kSamples; ++j) sum += random() % 2 == 0 ? 1 : -1;
    const double ghost = random() % 2 == 0 ? 1 : -1, m = kSamples;
    const double without = -sum / (lambda * m), with = -(sum + ghost) / (m + 1) / (lambda * m / (m + 1));
    gained += ghost * (without - with) / kDraws;
  }
  EXPECT_NEAR(gained, 1 / (lambda * kSamples), 1e-9);
}

}  // namespace
}  // namespace tailcoat
