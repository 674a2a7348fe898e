#include "tailcoat/mechanisms/sparse_vector.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tailcoat/privacy/accountant.hpp"

namespace tailcoat {
namespace {

struct Setting {
  PrivacyMeter meter;
  BitSource noise;

  Setting(const SparseVectorOptions& options, std::uint64_t seed)
      : meter(*PrivacyMeter::open(ApproxDp{20, 1e-6}, SparseVector::price(options))),
        noise(BitSource::insecure_seeded(seed)) {}
  Result<SparseVector> start(const SparseVectorOptions& options) {
    return SparseVector::start("norms", options, {meter, noise});
  }
};

TEST(SparseVector, TellsFarAboveFromFarBelow) {
  const SparseVectorOptions options{.epsilon = 1, .max_above = 3, .sensitivity = 2};
  Setting setting(options, 1);
  auto sparse = setting.start(options);
  ASSERT_TRUE(sparse.ok()) << sparse.error().message;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(*sparse->above(Sensitive(-1000.0), 0));
  EXPECT_TRUE(*sparse->above(Sensitive(1000.0), 0));
  EXPECT_FALSE(*sparse->above(Sensitive(1000.0), 1e300));
  EXPECT_TRUE(*sparse->above(Sensitive(1e308), 0));
  EXPECT_TRUE(*sparse->above(Sensitive(5000.0), 4000));
  EXPECT_EQ(sparse->above_left(), 0u);
  const auto exhausted = sparse->above(Sensitive(-1000.0), 0);
  ASSERT_FALSE(exhausted.ok());
  EXPECT_EQ(exhausted.error().kind, ErrorKind::refused);
}

TEST(SparseVector, KeepCostsEpsilonOnceAndRefreshOncePerAbove) {
  SparseVectorOptions options{.epsilon = 0.25, .max_above = 8, .sensitivity = 1};
  EXPECT_EQ(SparseVector::price(options).size(), 1u);
  Setting keep(options, 1);
  ASSERT_TRUE(keep.start(options).ok());
  EXPECT_EQ(keep.meter.receipt().lines.size(), 1u);
  EXPECT_EQ(keep.meter.receipt().lines[0].price.epsilon, 0.25);

  options.threshold_noise = ThresholdNoise::refresh;
  EXPECT_EQ(SparseVector::price(options).size(), 8u);
  Setting refresh(options, 1);
  ASSERT_TRUE(refresh.start(options).ok());
  ASSERT_EQ(refresh.meter.receipt().lines.size(), 1u);
  EXPECT_EQ(refresh.meter.receipt().lines[0].price.epsilon, 2);
}

TEST(SparseVector, CannotStartTwiceOnOneReservation) {
  for (auto threshold_noise : {ThresholdNoise::keep, ThresholdNoise::refresh}) {
    const SparseVectorOptions options{
        .epsilon = 0.25, .max_above = 2, .sensitivity = 1, .threshold_noise = threshold_noise};
    Setting setting(options, 1);
    ASSERT_TRUE(setting.start(options).ok());
    const std::size_t lines = setting.meter.receipt().lines.size();
    const auto again = setting.start(options);
    ASSERT_FALSE(again.ok());
    EXPECT_EQ(again.error().kind, ErrorKind::refused);
    EXPECT_EQ(setting.meter.receipt().lines.size(), lines);
  }
}

// A refused start charges nothing, also when part of the price had been reserved.
TEST(SparseVector, HalfAReservationBuysNothing) {
  const SparseVectorOptions options{
      .epsilon = 0.25, .max_above = 2, .sensitivity = 1, .threshold_noise = ThresholdNoise::refresh};
  PrivacyMeter meter = *PrivacyMeter::open(ApproxDp{20, 1e-6}, {PureEvent{0.25}});
  BitSource noise = BitSource::insecure_seeded(1);
  EXPECT_FALSE(SparseVector::start("norms", options, {meter, noise}).ok());
  EXPECT_TRUE(meter.receipt().lines.empty());
}

double laplace_below(double x, double scale) {
  return x < 0 ? 0.5 * std::exp(x / scale) : 1 - 0.5 * std::exp(-x / scale);
}

// P[`below` queries at `low` are below 0, then one at `high` is above] for the noise of the proof, sensitivity 1, c
// = 1.
double pattern_probability(double epsilon, int below, double low, double high) {
  const double for_threshold = epsilon / (1 + std::pow(2, 2.0 / 3));
  const double threshold_scale = 1 / for_threshold, query_scale = 2 / (epsilon - for_threshold);
  double probability = 0;
  constexpr double kStep = 0.01;
  for (double rho = -100; rho < 100; rho += kStep) {
    const double density = std::exp(-std::abs(rho) / threshold_scale) / (2 * threshold_scale);
    probability += density * kStep * std::pow(laplace_below(rho - low, query_scale), below) *
                   (1 - laplace_below(rho - high, query_scale));
  }
  return probability;
}

// A noise of half the scale would give 0.064 instead of 0.110 for the first pattern; a threshold noise that is fresh
// for each query, or shared by nothing, would show in the second. 3,000 runs, five standard errors.
TEST(SparseVector, AnswersHaveTheProbabilitiesOfTheProvenNoise) {
  constexpr int kRuns = 3'000;
  const SparseVectorOptions options{.epsilon = 1, .sensitivity = 1};
  struct Pattern {
    int below;
    double low, high;
  };
  for (const auto& [below, low, high] : {Pattern{1, 1, -1}, Pattern{10, -1, 0}}) {
    double hits = 0;
    for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
      Setting setting(options, seed);
      auto sparse = setting.start(options);
      bool hit = true;
      for (int i = 0; i < below && hit; ++i) hit = !*sparse->above(Sensitive(low), 0);
      hits += hit && *sparse->above(Sensitive(high), 0);
    }
    const double expected = pattern_probability(options.epsilon, below, low, high);
    EXPECT_NEAR(hits / kRuns, expected, 5 * std::sqrt(expected * (1 - expected) / kRuns));
  }
}

TEST(SparseVectorDeathTest, IsSpentWhenMovedFrom) {
  const SparseVectorOptions options{.epsilon = 1, .sensitivity = 1};
  Setting setting(options, 1);
  SparseVector sparse = *setting.start(options);
  const SparseVector moved = std::move(sparse);
  EXPECT_DEATH((void)sparse.above(Sensitive(1.0), 0), "moved-from");
}

TEST(SparseVector, RefusesNonsense) {
  for (SparseVectorOptions options :
       {SparseVectorOptions{.epsilon = 0, .sensitivity = 1}, SparseVectorOptions{.epsilon = NAN, .sensitivity = 1},
        SparseVectorOptions{.epsilon = 1, .max_above = 0, .sensitivity = 1},
        SparseVectorOptions{.epsilon = 1, .sensitivity = 0},
        SparseVectorOptions{.epsilon = 1, .sensitivity = INFINITY}}) {
    PrivacyMeter meter = *PrivacyMeter::open(ApproxDp{1, 1e-6});
    BitSource noise = BitSource::insecure_seeded(1);
    const auto refused = SparseVector::start("norms", options, {meter, noise});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  }
  const SparseVectorOptions options{.epsilon = 1, .sensitivity = 1};
  Setting setting(options, 1);
  auto sparse = setting.start(options);
  EXPECT_FALSE(sparse->above(Sensitive(1.0), NAN).ok());
}

}  // namespace
}  // namespace tailcoat
