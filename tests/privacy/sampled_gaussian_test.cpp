#include "tailcoat/privacy/sampled_gaussian.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "sampled_reference_values.hpp"
#include "tailcoat/privacy/accountant.hpp"
#include "tailcoat/privacy/composed_loss.hpp"
#include "tailcoat/privacy/conversions.hpp"
#include "tailcoat/privacy/gaussian_profile.hpp"

namespace tailcoat {
namespace {

double normal(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }
double density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }

Accountant accountant_of(const std::vector<Event>& events) {
  Accountant accountant;
  for (const Event& event : events) EXPECT_TRUE(accountant.add(event).ok());
  return accountant;
}
double epsilon_of(const std::vector<Event>& events, double delta) { return *accountant_of(events).epsilon(delta); }
double delta_of(const std::vector<Event>& events, double epsilon) { return *accountant_of(events).delta(epsilon); }

// delta of one step by the proof's own formula: the greatest over x0 of P(x > x0) - e^epsilon Q(x > x0), which is where
// the loss is epsilon.
double one_step(double rate, double ratio, double epsilon) {
  const auto odds = [&](double x) {
    const double exponent = ratio * x - ratio * ratio / 2;
    return exponent < 0 ? (1 - rate) + rate * std::exp(exponent) : 1 + rate * std::expm1(exponent);
  };
  double low = -30;
  double high = 30;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::log(odds(middle) / odds(-middle)) < epsilon ? low : high) = middle;
  }
  return rate * normal(ratio - low) - (1 - rate) * std::expm1(epsilon) * normal(-low) -
         std::exp(epsilon) * rate * normal(-ratio - low);
}

// The exact epsilon, dp-accounting's and ours. Half the ratio gives .648 for 1.3745, the pair of fixed-size batches
// 2.51: far outside.
TEST(SampledGaussian, CostsWhatTheReferenceSaysAndNeverLess) {
  for (const auto& row : reference::kSampled) {
    const double epsilon = epsilon_of({SampledGaussianEvent{row.rate, row.ratio, row.steps}}, row.delta);
    EXPECT_GE(epsilon, row.epsilon * (1 - 1e-8)) << row.rate;
    EXPECT_LE(epsilon, row.epsilon * (1 + 3e-4)) << row.rate;
    if (row.dp_accounting > 0) {
      EXPECT_NEAR(epsilon / row.dp_accounting, 1, 3e-4) << row.rate;
    }
  }
}

// The best profile known for batches of a fixed size without replacement: H_gamma = q delta(1 + (gamma - 1) / q) for
// the Gaussian of 2 s and gamma >= 1, symmetric (privacy.md, "Why no other way to sample"). Chords lie above it; a kink
// at gamma is an atom of the loss log(gamma).
LossLaw fixed_size_law(double rate, double ratio) {
  std::vector<std::pair<double, double>> points{{0, 1}};  // gamma, H
  const auto add = [&](double gamma, double profile) { points.emplace_back(gamma, profile); };
  const auto from_one = [&](double x) { return rate * gaussian_delta(2 * ratio, x); };  // at gamma = 1 + q (e^x - 1)
  constexpr double step = 0x1p-6;
  const auto most = static_cast<int>(ratio * (2 * ratio + 20) / step);
  for (int i = most; i > 0; --i) {
    const double gamma = 1 / (1 + rate * std::expm1(i * step));
    add(gamma, 1 - gamma + gamma * from_one(i * step));
  }
  for (int i = 0; i <= most; ++i) add(1 + rate * std::expm1(i * step), from_one(i * step));
  LossLaw law;
  const auto slope = [&](std::size_t i) {
    if (i + 1 == points.size()) return 0.0;
    return (points[i + 1].second - points[i].second) / (points[i + 1].first - points[i].first);
  };
  for (std::size_t i = 1; i < points.size(); ++i) {
    law.losses.push_back(std::log(points[i].first));
    law.probabilities.push_back(std::max(0.0, points[i].first * (slope(i) - slope(i - 1))));
  }
  law.infinite = points.back().second;
  return law;
}

// The table of the design, in which batches of a fixed size cost more; their one-sided pair, composed with itself,
// claims 2.125 where 2.513 is known.
TEST(SampledGaussian, PoissonSamplesCostLessThanBatchesOfFixedSize) {
  const struct {
    double rate, ratio;
    std::size_t steps;
    double fixed_size;
  } rows[] = {{0.01, 0.25, 1000, 0.8272}, {0.01, 0.5, 1000, 2.513}, {0.02, 0.2, 2500, 2.1325}};
  for (const auto& [rate, ratio, steps, fixed_size] : rows) {
    const ComposedLoss batches({{fixed_size_law(rate, ratio), static_cast<double>(steps)}});
    EXPECT_NEAR(batches.epsilon(1e-6, 0) / fixed_size, 1, 5e-4) << ratio;
    EXPECT_LT(epsilon_of({SampledGaussianEvent{rate, ratio, steps}}, 1e-6), 0.84 * fixed_size) << ratio;
  }
  EXPECT_NEAR(epsilon_of({SampledGaussianEvent{0.01, 0.5, 1000}}, 1e-6), 1.37454, 3e-4 * 1.37454);
}

TEST(SampledGaussian, OneStepIsTheClosedForm) {
  for (const double ratio : {1e-3, 0.1, 0.8, 2.0, 5.0, 10.0})
    for (const double rate : {1e-9, 1e-4, 0.1, 0.9})
      for (const double epsilon : {0.0, 0.01, 0.1, 1.0, 5.0}) {
        const double exact = one_step(rate, ratio, epsilon);
        if (exact < 1e-13) continue;
        const double delta = delta_of({SampledGaussianEvent{rate, ratio, 1}}, epsilon);
        EXPECT_GE(delta, exact * (1 - 1e-9)) << rate << " " << ratio << " " << epsilon;
        EXPECT_LE(delta, exact * (1 + 1e-3) + 1e-15) << rate << " " << ratio << " " << epsilon;
      }
}

// Where the odds of an outcome under Q are next to those of no sample: 1 - q must not be lost in a difference.
TEST(SampledGaussian, OneStepAtARateNextToOneIsTheClosedForm) {
  const struct {
    double left_out, ratio, epsilon, exact;
  } rows[] = {{1e-15, 3, 62.672, 3.907163e-16},
              {1e-15, 3.2, 61.32, 1.7923001e-12},
              {0x1p-53, 3, 64, 1.1108319e-15},
              {1e-12, 2.5, 48, 8.7731038e-14}};
  for (const auto& [left_out, ratio, epsilon, exact] : rows) {
    const double found = one_step(1 - left_out, ratio, epsilon);
    EXPECT_NEAR(found / exact, 1, 1e-6);  // computed with 60 digits, for the double that 1 - left_out is
    const double delta = delta_of({SampledGaussianEvent{1 - left_out, ratio, 1}}, epsilon);
    EXPECT_GE(delta, found * (1 - 1e-9)) << left_out << " " << ratio;
    EXPECT_LE(delta, found * (1 + 1e-3)) << left_out << " " << ratio;
  }
  const double with_noise = delta_of({SampledGaussianEvent{1 - 0x1p-53, 3, 1}, GaussianEvent{0.02}}, 64.051);
  EXPECT_GE(with_noise, 1.009e-15 * (1 - 1e-3));
  EXPECT_LE(with_noise, 1.009e-15 * (1 + 1e-2));
}

// Rates that no event has: an answer, not a search without end.
TEST(SampledGaussian, LawsWithoutLossHaveAnAnswer) {
  const ComposedLoss composed({{sampled_gaussian_loss_law(1e-300, 1), 10}});
  EXPECT_LE(composed.delta(1, 0), 1);
}

constexpr std::array kGammas{0.6, 1.0, 1.5};
using Point = std::array<double, 2>;

// H_gamma((1-q) N(0) + q N(g), (1-q) N(0) + q N(h)) in the plane of g and h, by summing over a grid.
std::array<double, 3> plane_deltas(double rate, const Point& g, const Point& h) {
  constexpr double step = 0x1p-4;
  std::array<double, 3> sums{};
  for (double x = -8; x <= 8; x += step)
    for (double y = -8; y <= 8; y += step) {
      const auto weight = [&](const Point& m) {
        return 1 + rate * std::expm1(m[0] * x + m[1] * y - (m[0] * m[0] + m[1] * m[1]) / 2);
      };
      const double plus = weight(g);
      const double minus = weight(h);
      const double here = density(x) * density(y) * step * step;
      for (std::size_t i = 0; i < kGammas.size(); ++i) sums[i] += here * std::max(0.0, plus - kGammas[i] * minus);
    }
  return sums;
}

// The theorem: whatever a row adds in the two worlds, opposite vectors of full length are the worst, also at a gamma
// below 1. Vectors in any space lie in a plane with 0. The sums over the grid are good to 1e-4.
TEST(SampledGaussian, NoTwoContributionsOfARowBeatThePair) {
  std::mt19937_64 random(21);
  std::uniform_real_distribution<double> uniform;
  double closest = 0;
  for (std::size_t i = 0; i < 72; ++i) {
    const double rate = std::array{0.02, 0.1, 0.4, 0.8}[i % 4];
    const double ratio = std::array{0.3, 1.0, 1.5}[i % 3];
    const auto point = [&] {
      const double length = ratio * (uniform(random) < 0.5 ? 1 : std::sqrt(uniform(random)));
      const double angle = 2 * std::numbers::pi * uniform(random);
      return Point{length * std::cos(angle), length * std::sin(angle)};
    };
    const Point g = point();
    const auto deltas = plane_deltas(rate, g, i % 6 == 0 ? Point{-g[0], -g[1]} : point());
    for (std::size_t j = 0; j < kGammas.size(); ++j) {
      const double gamma = kGammas[j];
      const double pair = gamma < 1 ? 1 - gamma + gamma * one_step(rate, ratio, -std::log(gamma))
                                    : one_step(rate, ratio, std::log(gamma));
      EXPECT_LE(deltas[j], pair * (1 + 1e-4) + 1e-6) << rate << " " << ratio << " " << gamma;
      closest = std::max(closest, deltas[j] / pair);
    }
  }
  EXPECT_GT(closest, 0.999);  // some are opposite and of full length
}

TEST(SampledGaussian, EveryRowInEverySampleIsGaussianNoise) {
  for (const double ratio : {1e-3, 0.1, 1.0})
    for (const std::size_t steps : {std::size_t{1}, std::size_t{25}, std::size_t{400}}) {
      const double gaussian = *to_epsilon(Gdp{2 * ratio * std::sqrt(static_cast<double>(steps))}, 1e-6);
      const double sampled = epsilon_of({SampledGaussianEvent{1, ratio, steps}}, 1e-6);
      EXPECT_NEAR(sampled / gaussian, 1, 1e-9);
      EXPECT_GE(sampled, gaussian);
      if (ratio < 1) {  // at .999999 the discretised law is as good
        const double nearly = epsilon_of({SampledGaussianEvent{0.999999, ratio, steps}}, 1e-6);
        EXPECT_NEAR(nearly / gaussian, 1, 1e-4) << ratio << " " << steps;
        EXPECT_GE(nearly, gaussian * (1 - 2e-6)) << ratio << " " << steps;
      }
    }
  EXPECT_NEAR(epsilon_of({SampledGaussianEvent{1, 0.1, 25}}, 1e-6), 4.886554, 1e-6);
}

TEST(SampledGaussian, CostsGrowInRateRatioAndSteps) {
  const SampledGaussianEvent base{0.003, 0.7, 500};
  const double epsilon = epsilon_of({base}, 1e-6);
  EXPECT_GT(epsilon_of({SampledGaussianEvent{0.00301, 0.7, 500}}, 1e-6), epsilon);
  EXPECT_GT(epsilon_of({SampledGaussianEvent{0.003, 0.702, 500}}, 1e-6), epsilon);
  EXPECT_GT(epsilon_of({SampledGaussianEvent{0.003, 0.7, 503}}, 1e-6), epsilon);
  EXPECT_GT(epsilon_of({base}, 1e-7), epsilon);
}

TEST(SampledGaussian, EqualEventsAddTheirSteps) {
  const SampledGaussianEvent half{0.003, 0.7, 250};
  EXPECT_EQ(epsilon_of({half, half}, 1e-6), epsilon_of({SampledGaussianEvent{0.003, 0.7, 500}}, 1e-6));
}

// The laws of the outcomes of two sampled steps and a Gaussian release of `mu`, by summing over the first outcomes on
// a fine grid with the exact profile of the Gaussian release inside.
double by_convolution(double rate, double first_ratio, double second_ratio, double mu, double epsilon) {
  constexpr double step = 0x1p-4;
  const auto odds = [&](double x, double ratio) { return 1 + rate * std::expm1(ratio * x - ratio * ratio / 2); };
  double sum = 0;
  for (double x = -9; x <= 10; x += step)
    for (double y = -9; y <= 10; y += step) {
      const double plus = odds(x, first_ratio) * odds(y, second_ratio);
      const double loss = std::log(plus / (odds(-x, first_ratio) * odds(-y, second_ratio)));
      sum += density(x) * density(y) * plus * gaussian_delta(mu, epsilon - loss);
    }
  return sum * step * step;
}

TEST(SampledGaussian, ComposesWithGaussianNoiseAndOtherSampledSteps) {
  for (const double mu : {0.3, 1.0})
    for (const double epsilon : {0.2, 1.0, 3.0}) {
      const double exact = by_convolution(0.2, 0.5, 0.9, mu, epsilon);
      const double delta =
          delta_of({GaussianEvent{mu}, SampledGaussianEvent{0.2, 0.5, 1}, SampledGaussianEvent{0.2, 0.9, 1}}, epsilon);
      EXPECT_GE(delta, exact * (1 - 1e-6)) << mu << " " << epsilon;
      EXPECT_LE(delta, exact * (1 + 1e-3)) << mu << " " << epsilon;
    }
}

// A pure event shifts the loss by epsilon either way; an approximate one fails besides.
TEST(SampledGaussian, ComposesWithPureAndApproximateEvents) {
  const std::vector<Event> steps{GaussianEvent{0.3}, SampledGaussianEvent{0.01, 0.7, 800}};
  const double plus = 1 / (1 + std::exp(-0.2));
  const double mixed = plus * delta_of(steps, 1.5 - 0.2) + (1 - plus) * delta_of(steps, 1.5 + 0.2);
  auto events = steps;
  events.push_back(PureEvent{0.2});
  EXPECT_NEAR(delta_of(events, 1.5) / mixed, 1, 5e-4);
  events.back() = ApproximateEvent{0.2, 1e-5};
  EXPECT_NEAR(delta_of(events, 1.5) / (1e-5 + (1 - 1e-5) * mixed), 1, 5e-4);
  EXPECT_GE(delta_of(events, 1.5), 1e-5);
  events.back() = BoundedRangeEvent{0.2};
  EXPECT_LE(delta_of(events, 1.5), mixed * (1 + 5e-4));
}

// A Gaussian release in the guise of sampled steps with rate nearly 1, beside zCDP: what two Gaussian ones would cost.
TEST(SampledGaussian, ComposesWithZcdpThroughRenyi) {
  const double gaussian = epsilon_of({GaussianEvent{0.4}, ZcdpEvent{0.02}}, 1e-6);
  const double sampled = epsilon_of({SampledGaussianEvent{0.999999, 0.02, 100}, ZcdpEvent{0.02}}, 1e-6);
  EXPECT_NEAR(sampled / gaussian, 1, 1e-4);
  EXPECT_GE(sampled, gaussian * (1 - 2e-6));
}

TEST(SampledGaussian, EpsilonAndDeltaAreEachOthersInverse) {
  const std::vector<Event> events{SampledGaussianEvent{0.001, 0.8, 20000}, PureEvent{0.1}};
  for (const double delta : {1e-3, 1e-6, 1e-12}) {
    const double epsilon = epsilon_of(events, delta);
    EXPECT_LE(delta_of(events, epsilon), delta);
    EXPECT_GT(delta_of(events, epsilon * (1 - 1e-4)), delta);
  }
}

TEST(SampledGaussian, RoomForGaussianIsAllThatIsLeft) {
  const std::vector<Event> events{SampledGaussianEvent{0.001, 0.8, 20000}, GaussianEvent{0.05}};
  const double mu = accountant_of(events).room_for_gaussian({1.5, 1e-6})->mu;
  auto all = events;
  all.push_back(GaussianEvent{mu});
  EXPECT_LE(delta_of(all, 1.5), 1e-6);
  all.back() = GaussianEvent{mu * 1.001};
  EXPECT_GT(delta_of(all, 1.5), 1e-6);
  EXPECT_EQ(accountant_of(events).room_for_gaussian({0.5, 1e-6}).error().kind, ErrorKind::refused);
}

TEST(SampledGaussian, OneBranchCountsAndDearerStepsCoverCheaperOnes) {
  const SampledGaussianEvent dear{0.001, 0.8, 20000};
  const ParallelEvent phases{{{dear, GaussianEvent{0.1}}, {SampledGaussianEvent{0.0005, 0.8, 10000}}, {}}};
  EXPECT_EQ(epsilon_of({phases}, 1e-6), epsilon_of({dear, GaussianEvent{0.1}}, 1e-6));
  const ParallelEvent other{{{SampledGaussianEvent{0.002, 0.7, 4000}}, {dear}}};
  EXPECT_EQ(epsilon_of({other}, 1e-6),
            std::max(epsilon_of({dear}, 1e-6), epsilon_of({SampledGaussianEvent{0.002, 0.7, 4000}}, 1e-6)));
}

TEST(SampledGaussian, TheTailBeyondTheCellsIsAnInfiniteLoss) {
  const LossLaw law = sampled_gaussian_loss_law(0.1, 0.5);
  EXPECT_GE(law.infinite, 0.1 * normal(-12));
  double total = law.infinite;
  double mean_ratio = 0;
  for (std::size_t i = 0; i < law.losses.size(); ++i) {
    total += law.probabilities[i];
    mean_ratio += law.probabilities[i] * std::exp(-law.losses[i]);
  }
  EXPECT_NEAR(total, 1, 1e-14);
  EXPECT_GE(total, 1 - 1e-15);
  EXPECT_NEAR(mean_ratio, 1, 1e-9);  // both distributions keep their mass
  EXPECT_GE(delta_of({SampledGaussianEvent{0.1, 0.5, 1}}, 500), law.infinite);
  EXPECT_GE(delta_of({SampledGaussianEvent{0.1, 0.5, 1000}}, 5000), 1000 * law.infinite);
}

TEST(SampledGaussian, TheLargestRateSatisfiesTheBudgetAndALargerOneDoesNot) {
  for (const ApproxDp total : {ApproxDp{1, 1e-6}, ApproxDp{0.1, 1e-9}, ApproxDp{8, 1e-5}})
    for (const double ratio : {0.25, 1.2})
      for (const std::size_t steps : {std::size_t{20}, std::size_t{200'000}}) {
        const double rate = *largest_sampling_rate(total, ratio, steps);
        EXPECT_LE(delta_of({SampledGaussianEvent{rate, ratio, steps}}, total.epsilon), total.delta);
        if (rate * 1.003 <= 1) {
          EXPECT_GT(delta_of({SampledGaussianEvent{rate * 1.003, ratio, steps}}, total.epsilon), total.delta);
        }
        if (steps > 1000) {
          EXPECT_NEAR(estimated_sampling_rate(*to_gdp(total), ratio, static_cast<double>(steps)) / rate, 1, 0.02);
        }
      }
  EXPECT_EQ(*largest_sampling_rate({1, 1e-6}, 1e-3, 100), 1);
  const auto refused = largest_sampling_rate({0.01, 1e-12}, 10, 1'000'000'000'000);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  EXPECT_NE(refused.error().message.find("no sampling rate"), std::string::npos);
}

TEST(SampledGaussian, NearlyTheLargestRateIsWithinTwoPerCentWhateverTheGuess) {
  for (const ApproxDp total : {ApproxDp{1, 1e-6}, ApproxDp{0.1, 1e-9}, ApproxDp{8, 1e-5}})
    for (const double ratio : {0.8, 1.3})
      for (const std::size_t steps : {std::size_t{8}, std::size_t{512}, std::size_t{1} << 18}) {
        const double rate = *largest_sampling_rate(total, ratio, steps);
        for (const double guess : {0.7, 0.9, 1.05, 1.4})
          EXPECT_NEAR(*nearly_largest_sampling_rate(total, ratio, steps, guess * rate) / rate, 1, 0.025)
              << total.epsilon << ' ' << ratio << ' ' << steps << ' ' << guess;
      }
  EXPECT_EQ(*nearly_largest_sampling_rate({1, 1e-6}, 1e-3, 100, 0.5), 1);
  EXPECT_FALSE(nearly_largest_sampling_rate({0.01, 1e-12}, 10, 1'000'000'000'000, 0.1).ok());
}

TEST(SampledGaussian, EventsOutOfRangeAreUsageErrors) {
  Accountant accountant;
  for (const double bad : {0.0, -0.1, 1.001, double{NAN}, double{INFINITY}})
    EXPECT_EQ(accountant.add(SampledGaussianEvent{bad, 0.5, 10}).error().kind, ErrorKind::usage) << bad;
  for (const double bad : {0.0, -0.1, 10.1, double{NAN}, double{INFINITY}})
    EXPECT_EQ(accountant.add(SampledGaussianEvent{0.5, bad, 10}).error().kind, ErrorKind::usage) << bad;
  for (const std::size_t bad : {std::size_t{0}, std::size_t{1'000'000'000'001}, SIZE_MAX})
    EXPECT_EQ(accountant.add(SampledGaussianEvent{0.5, 0.5, bad}).error().kind, ErrorKind::usage) << bad;
  EXPECT_EQ(*accountant.epsilon(1e-6), 0);
  for (const double bad : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    EXPECT_FALSE(largest_sampling_rate({1, 1e-6}, bad, 10).ok());
    EXPECT_FALSE(largest_sampling_rate({bad, 1e-6}, 0.5, 10).ok());
  }
  EXPECT_FALSE(largest_sampling_rate({1, 1e-6}, 0.5, 0).ok());
}

TEST(SampledGaussian, AreFoundInsideParallelEvents) {
  const SampledGaussianEvent steps{0.1, 0.5, 10};
  EXPECT_FALSE(holds_sampled_steps({GaussianEvent{1}, ParallelEvent{{{PureEvent{1}}, {}}}}));
  EXPECT_TRUE(holds_sampled_steps({GaussianEvent{1}, steps}));
  EXPECT_TRUE(holds_sampled_steps({ParallelEvent{{{PureEvent{1}}, {ParallelEvent{{{steps}}}}}}}));
}

TEST(SampledGaussian, SurvivesExtremeEvents) {
  const SampledGaussianEvent least{1e-12, 1e-6, 1};
  const SampledGaussianEvent weak{1e-12, 1e-6, 1'000'000'000'000};
  const SampledGaussianEvent rare{1e-12, 3, 1000};
  const SampledGaussianEvent most{0.999999999, 1, 1'000'000'000'000};
  for (const SampledGaussianEvent& event : {least, weak, rare, most}) {
    const Accountant accountant = accountant_of({event});
    for (const double epsilon : {0.0, 1.0, 1e300}) {
      const double delta = *accountant.delta(epsilon);
      EXPECT_TRUE(delta > 0 && delta <= 1) << event.rate << " " << event.ratio << " " << epsilon;
    }
    const auto epsilon = accountant.epsilon(1e-6);
    ASSERT_TRUE(epsilon.ok()) << event.rate << " " << event.ratio;
    EXPECT_LE(*accountant.delta(*epsilon), 1e-6);
  }
}

}  // namespace
}  // namespace tailcoat
