#include "tailcoat/privacy/meter.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "tailcoat/privacy/conversions.hpp"
#include "tailcoat/privacy/gaussian_profile.hpp"
#include "tailcoat/privacy/randomness.hpp"
#include "tailcoat/privacy/sampled_gaussian.hpp"

namespace tailcoat {
namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<4800>>;

const Release kRelease{.what = "test", .mechanism = "gaussian", .values = 1, .sensitivity = 1, .noise_scale = 2};

static_assert(!std::is_copy_constructible_v<PrivacyMeter> && !std::is_copy_assignable_v<PrivacyMeter>,
              "a copied meter would spend its budget twice");

PrivacyMeter meter_of(double mu) { return *PrivacyMeter::open(Gdp{mu}); }

TEST(PrivacyMeter, GivesGaussianReleasesTheWholeBudget) {
  const PrivacyMeter meter = *PrivacyMeter::open(ApproxDp{1, 1e-6});
  EXPECT_NEAR(meter.total().mu, 0.236704, 5e-7);
  EXPECT_EQ(meter.remaining().mu, meter.total().mu);
  EXPECT_LE(*to_delta(meter.total(), 1), 1e-6);
}

TEST(PrivacyMeter, ChargesAddAsSquares) {
  PrivacyMeter meter = meter_of(0.5);
  EXPECT_TRUE(meter.charge(kRelease, Gdp{0.3}).ok());
  EXPECT_NEAR(meter.remaining().mu, 0.4, 1e-15);
  EXPECT_FALSE(meter.charge(kRelease, Gdp{0.4000001}).ok());
  EXPECT_TRUE(meter.charge(kRelease, meter.remaining()).ok());
  EXPECT_LT(meter.remaining().mu, 1e-8);
}

TEST(PrivacyMeter, LetsTheWholeBudgetGoInOneCharge) {
  for (const double mu : {0.1, 0.3, 1 / 3.0, 1e-100, 1e100, 0.236704380663424}) {
    PrivacyMeter meter = meter_of(mu);
    EXPECT_TRUE(meter.charge(kRelease, Gdp{mu}).ok());
    EXPECT_EQ(meter.remaining().mu, 0);
    EXPECT_FALSE(meter.charge(kRelease, Gdp{5e-324}).ok());
  }
}

TEST(PrivacyMeter, RefusesByOneUlp) {
  PrivacyMeter meter = meter_of(0.3);
  EXPECT_FALSE(meter.charge(kRelease, Gdp{std::nextafter(0.3, 1)}).ok());
  EXPECT_EQ(meter.remaining().mu, 0.3);
}

TEST(PrivacyMeter, ARefusalNamesWhatWasAskedAndWhatIsLeftAndChangesNothing) {
  PrivacyMeter meter = meter_of(0.5);
  ASSERT_TRUE(meter.charge(kRelease, Gdp{0.3}).ok());
  const double left = meter.remaining().mu;
  const std::string receipt = meter.receipt().json();
  const auto refused = meter.charge({.what = "gradient, step 7"}, Gdp{0.45});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  EXPECT_TRUE(refused.error().over_budget);
  EXPECT_NE(refused.error().message.find("gradient, step 7"), std::string::npos);
  EXPECT_NE(refused.error().message.find("0.45"), std::string::npos);
  EXPECT_NE(refused.error().message.find("0.39999999999999997 of 0.5"), std::string::npos) << refused.error().message;
  EXPECT_EQ(meter.remaining().mu, left);
  EXPECT_EQ(meter.receipt().json(), receipt);
}

TEST(PrivacyMeter, RefusesChargesThatAreNotPositiveNumbers) {
  PrivacyMeter meter = meter_of(0.5);
  for (const double bad : {0.0, -0.1, -0.0, double{NAN}, double{INFINITY}, -double{INFINITY}, 1e308}) {
    EXPECT_FALSE(meter.charge(kRelease, Gdp{bad}).ok()) << bad;
    EXPECT_FALSE(meter.split(2, Gdp{bad}).ok()) << bad;
  }
  EXPECT_EQ(meter.remaining().mu, 0.5);
  EXPECT_TRUE(meter.receipt().lines.empty());
}

TEST(PrivacyMeter, RefusesReleasesWhoseFiguresAreNotNumbers) {
  PrivacyMeter meter = meter_of(0.5);
  for (const double bad : {-1.0, double{NAN}, double{INFINITY}}) {
    EXPECT_FALSE(meter.charge({.what = "x", .sensitivity = bad}, Gdp{0.1}).ok());
    EXPECT_FALSE(meter.charge({.what = "x", .noise_scale = bad}, Gdp{0.1}).ok());
  }
  EXPECT_EQ(meter.remaining().mu, 0.5);
}

// Any sequence of charges, of any doubles at all: what was accepted never exceeds the total, in exact arithmetic.
TEST(PrivacyMeter, AcceptedChargesNeverExceedTheTotal) {
  EXPECT_TRUE(rc::check("hostile charges", [] {
    const double total = std::ldexp(static_cast<double>(*rc::gen::inRange<std::int64_t>(1, 1LL << 53)), -53);
    PrivacyMeter meter = meter_of(total);
    Wide spent = 0;
    for (int i = 0; i < 40; ++i) {
      double mu = 0;
      switch (*rc::gen::inRange(0, 5)) {
        case 0:
          mu = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
          break;
        case 1:
          mu = meter.remaining().mu;
          break;
        case 2:
          mu = std::nextafter(meter.remaining().mu, 2);
          break;
        case 3:
          mu = total * *rc::gen::inRange(1, 100) / 300.0;
          break;
        default:
          mu = meter.share(*rc::gen::inRange(0, 100) / 99.0).mu;
      }
      const double left = meter.remaining().mu;
      const bool accepted = meter.charge(kRelease, Gdp{mu}).ok();
      RC_ASSERT(accepted == (mu > 0 && mu <= left));
      if (accepted) spent += Wide(mu) * Wide(mu);
    }
    RC_ASSERT(spent <= Wide(total) * Wide(total));
    RC_ASSERT(Wide(meter.receipt().gaussian_spent.mu) * Wide(meter.receipt().gaussian_spent.mu) >= spent);
  }));
}

TEST(PrivacyMeter, AMillionTinyChargesNeitherDriftNorSlipThrough) {
  PrivacyMeter meter = meter_of(1e-9);  // a million times 1e-12, squared, is exactly all of it
  int accepted = 0;
  while (accepted < 1'100'000 && meter.charge(kRelease, Gdp{1e-12}).ok()) ++accepted;
  EXPECT_LE(accepted, 1'000'000);
  EXPECT_GE(accepted, 999'999);
}

TEST(PrivacyMeter, AllSharesOfAPlanFit) {
  const auto spend = [](double total, int parts) {
    PrivacyMeter meter = meter_of(total);
    const Gdp share = meter.share(1.0 / parts);
    for (int i = 0; i < parts; ++i) ASSERT_TRUE(meter.charge(kRelease, share).ok()) << i << " of " << parts;
    EXPECT_LT(meter.remaining().mu, 1.1e-6 * total);
  };
  for (const double total : {0.236704380663424, 0.5, 1.0, 2.0, 3.0})
    for (int parts = 1; parts <= 200; ++parts) spend(total, parts);
  spend(0.236704380663424, 1'000'000);
}

TEST(PrivacyMeter, SharesAreFractionsOfMuSquared) {
  const PrivacyMeter meter = meter_of(0.5);
  EXPECT_NEAR(meter.share(0.25).mu, 0.25, 1e-12);
  EXPECT_LE(meter.share(0.25).mu, 0.25);
  EXPECT_LE(meter.share(1).mu, 0.5);
  EXPECT_NEAR(meter.share(1).mu, 0.5, 1e-12);
}

TEST(PrivacyMeter, NoChargeAcceptsTheShareOfAnImpossibleFraction) {
  PrivacyMeter meter = meter_of(0.5);
  for (const double bad : {0.0, -0.1, 1.0001, double{NAN}, double{INFINITY}})
    EXPECT_FALSE(meter.charge(kRelease, meter.share(bad)).ok()) << bad;
}

TEST(PrivacyMeter, SetsDeltaAsideForTheRandomSource) {
  // At epsilon = 30 that is e^30 2^-78 = 3.5e-11 of delta = 1e-10: more than a conversion's rounding.
  const ApproxDp total{30, 1e-10};
  const double mu = PrivacyMeter::open(total)->total().mu;
  EXPECT_LT(mu, to_gdp(total)->mu * (1 - 1e-4));
  EXPECT_LE(*to_delta(Gdp{mu}, 30) + (1 + std::exp(30)) * kRandomnessDistance, total.delta * (1 + 1e-12));
}

TEST(PrivacyMeter, HonoursALargeEpsilonThroughASmallerOne) {
  double previous = 0;
  for (const double epsilon : {1.0, 20.0, 35.0, 38.0, 39.0, 40.0, 60.0, 100.0, 1e6, 1e300}) {
    const auto meter = PrivacyMeter::open(ApproxDp{epsilon, 1e-6});
    ASSERT_TRUE(meter.ok()) << epsilon;
    const double mu = meter->total().mu;
    EXPECT_GE(mu, previous);
    previous = mu;
    // Some epsilon' <= epsilon proves it.
    bool proved = false;
    for (double smaller = std::min(epsilon, 60.0); smaller > 0.5 && !proved; smaller -= 0.01)
      proved = *to_delta(Gdp{mu}, smaller) + (1 + std::exp(smaller)) * kRandomnessDistance <= 1e-6 * (1 + 1e-9);
    EXPECT_TRUE(proved) << epsilon;
  }
}

TEST(PrivacyMeter, RefusesADeltaBelowTheRandomSource) {
  EXPECT_TRUE(PrivacyMeter::open(ApproxDp{1, 1e-22}).ok());
  for (const double delta : {1e-23, 1e-30, 1e-300}) {
    const auto refused = PrivacyMeter::open(ApproxDp{1, delta});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::refused);
    EXPECT_NE(refused.error().message.find("delta = "), std::string::npos);
  }
}

TEST(PrivacyMeter, RefusesBadBudgets) {
  for (const double bad : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    EXPECT_EQ(PrivacyMeter::open(ApproxDp{bad, 1e-6}).error().kind, ErrorKind::usage);
    EXPECT_EQ(PrivacyMeter::open(ApproxDp{1, bad}).error().kind, ErrorKind::usage);
    EXPECT_EQ(PrivacyMeter::open(Gdp{bad}).error().kind, ErrorKind::usage);
    EXPECT_EQ(PrivacyMeter::open(ApproxDp{1, 1e-6}, {PureEvent{bad}}).error().kind, ErrorKind::usage);
  }
  EXPECT_FALSE(PrivacyMeter::open(ApproxDp{1, 1}).ok());
  EXPECT_FALSE(PrivacyMeter::open(Gdp{1e200}).ok());
  EXPECT_FALSE(PrivacyMeter::open(Gdp{1e-200}).ok());
}

TEST(PrivacyMeter, ReservedEventsAndGaussianReleasesTogetherSatisfyTheBudget) {
  const std::vector<Event> reserved{PureEvent{0.3}, ApproximateEvent{0.2, 1e-7}, BoundedRangeEvent{0.1}};
  const PrivacyMeter meter = *PrivacyMeter::open(ApproxDp{1, 1e-6}, reserved);
  Accountant accountant;
  for (const Event& event : reserved) ASSERT_TRUE(accountant.add(event).ok());
  ASSERT_TRUE(accountant.add(GaussianEvent{meter.total().mu}).ok());
  EXPECT_LE(*accountant.delta(1), 1e-6);
  EXPECT_GT(*accountant.delta(1), 0.999e-6);
}

TEST(PrivacyMeter, AReservationIsUsedOnce) {
  PrivacyMeter meter = *PrivacyMeter::open(ApproxDp{1, 1e-6}, {PureEvent{0.1}, PureEvent{0.1}, PureEvent{0.2}});
  const Release laplace{.what = "count", .mechanism = "laplace"};
  EXPECT_TRUE(meter.charge(laplace, PureEvent{0.1}).ok());
  EXPECT_TRUE(meter.charge(laplace, PureEvent{0.1}).ok());
  const auto refused = meter.charge(laplace, PureEvent{0.1});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  EXPECT_FALSE(meter.charge(laplace, PureEvent{0.05}).ok());
  EXPECT_FALSE(meter.charge(laplace, BoundedRangeEvent{0.2}).ok());
  EXPECT_FALSE(meter.charge(laplace, PureEvent{NAN}).ok());
  EXPECT_TRUE(meter.charge(laplace, PureEvent{0.2}).ok());
  EXPECT_EQ(meter.receipt().lines.size(), 3u);
  EXPECT_EQ(meter.receipt().lines[2].price.epsilon, 0.2);
}

TEST(PrivacyMeter, ReservationsThatDoNotFitAreRefused) {
  EXPECT_EQ(PrivacyMeter::open(ApproxDp{1, 1e-6}, {PureEvent{1.2}}).error().kind, ErrorKind::refused);
  EXPECT_EQ(PrivacyMeter::open(ApproxDp{1, 1e-6}, {ApproximateEvent{0.1, 1e-5}}).error().kind, ErrorKind::refused);
}

TEST(PrivacyMeter, AParallelReservationCostsItsDearestBranch) {
  const ParallelEvent blocks{{{PureEvent{0.1}, PureEvent{0.2}}, {ApproximateEvent{0.25, 1e-8}}}};
  PrivacyMeter meter = *PrivacyMeter::open(ApproxDp{1, 1e-6}, {blocks});
  EXPECT_TRUE(meter.charge({.what = "maxima"}, blocks).ok());
  EXPECT_NEAR(meter.receipt().lines[0].price.epsilon, 0.3, 1e-15);
  EXPECT_EQ(meter.receipt().lines[0].price.delta, 1e-8);
  EXPECT_FALSE(meter.charge({.what = "maxima"}, blocks).ok());
}

TEST(PrivacyMeter, BlocksSpendInParallelForThePriceOfOne) {
  PrivacyMeter meter = meter_of(0.5);
  auto blocks = *meter.split(3, Gdp{0.3});
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_NEAR(meter.remaining().mu, 0.4, 1e-15);
  for (PrivacyMeter& block : blocks) {
    EXPECT_EQ(block.total().mu, 0.3);
    EXPECT_TRUE(block.charge({.what = "mean"}, Gdp{0.2}).ok());
    EXPECT_FALSE(block.charge({.what = "mean"}, Gdp{0.25}).ok());
  }
  meter.join(std::move(blocks));
  EXPECT_NEAR(meter.remaining().mu, 0.4, 1e-15);  // what the blocks left is not given back
  const auto& lines = meter.receipt().lines;
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].release.mechanism, "parallel");
  EXPECT_EQ(lines[0].price.mu, 0.3);
  EXPECT_EQ(lines[3].release.what, "mean");
  EXPECT_EQ(lines[3].block, "3 of 3");
}

TEST(PrivacyMeter, ReceiptSaysWhichBlocksAreMissing) {
  PrivacyMeter meter = *PrivacyMeter::open(Gdp{1});
  auto blocks = *meter.split(2, Gdp{0.5});
  auto inner = *blocks[0].split(3, Gdp{0.5});
  EXPECT_NE(meter.receipt().json().find("\"secure\":false,\"blocks_not_joined\":2"), std::string::npos);
  meter.join(std::move(blocks));
  EXPECT_NE(meter.receipt().json().find("\"secure\":false,\"blocks_not_joined\":3"), std::string::npos);
  meter.join(std::move(inner));
  EXPECT_NE(meter.receipt().json().find("\"secure\":true"), std::string::npos);
}

TEST(PrivacyMeter, BlocksOfBlocksSayWhereTheyAre) {
  PrivacyMeter meter = meter_of(0.5);
  auto blocks = *meter.split(2, Gdp{0.5});
  auto inner = *blocks[1].split(4, Gdp{0.5});
  ASSERT_TRUE(inner[2].charge({.what = "mean"}, Gdp{0.5}).ok());
  blocks[1].join(std::move(inner));
  meter.join(std::move(blocks));
  EXPECT_EQ(meter.receipt().lines.back().block, "2 of 2, 3 of 4");
}

TEST(PrivacyMeter, RefusesToSplitIntoNothingOrMoreThanItHas) {
  PrivacyMeter meter = meter_of(0.5);
  EXPECT_EQ(meter.split(0, Gdp{0.1}).error().kind, ErrorKind::usage);
  EXPECT_EQ(meter.split(SIZE_MAX, Gdp{0.1}).error().kind, ErrorKind::usage);
  EXPECT_EQ(meter.split(2, Gdp{0.6}).error().kind, ErrorKind::refused);
  EXPECT_EQ(meter.split(2, Gdp{1e-200}).error().kind, ErrorKind::usage);
  EXPECT_EQ(meter.remaining().mu, 0.5);
}

// Two phases that sample, the first with a Gaussian release besides; the rows of both release a Laplace count.
const SampledGaussianEvent kFirstPhase{0.001, 0.8, 15000};
const SampledGaussianEvent kSecondPhase{0.002, 0.7, 4000};
const ParallelEvent kPhases{{{kFirstPhase, GaussianEvent{0.03}, GaussianEvent{0.04}}, {kSecondPhase, PureEvent{0.1}}}};

TEST(PrivacyMeter, OpensWithWhatIsStatedIfItFits) {
  const ApproxDp total{1, 1e-6};
  const std::vector<Event> reserved{kPhases, PureEvent{0.05}};
  PrivacyMeter meter = *PrivacyMeter::open(total, reserved, Gdp{0.02});
  EXPECT_EQ(meter.total().mu, 0.02);
  EXPECT_EQ(meter.receipt().budget.epsilon, 1);
  EXPECT_TRUE(meter.charge(kRelease, Gdp{0.02}).ok());
  EXPECT_FALSE(meter.charge(kRelease, Gdp{1e-6}).ok());
  EXPECT_EQ(PrivacyMeter::open(total, reserved, Gdp{0})->remaining().mu, 0);
  const auto refused = PrivacyMeter::open(total, reserved, Gdp{0.2});
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().over_budget);
  EXPECT_FALSE(PrivacyMeter::open({0.5, 1e-6}, reserved, Gdp{0}).ok());
  for (const double bad : {-0.1, double{NAN}, double{INFINITY}})
    EXPECT_EQ(PrivacyMeter::open(total, reserved, Gdp{bad}).error().kind, ErrorKind::usage) << bad;
  // What open() finds by itself, stated, is accepted; a little more is not.
  const double most = PrivacyMeter::open(total, reserved)->total().mu;
  EXPECT_TRUE(PrivacyMeter::open(total, reserved, Gdp{most * (1 - 1e-4)}).ok());
  EXPECT_FALSE(PrivacyMeter::open(total, reserved, Gdp{most * 1.01}).ok());
}

// As a planner does it: calibrated to what is left for an ideal random source, opened with exactly that.
TEST(PrivacyMeter, OpensWithExactlyTheCalibratedSteps) {
  for (const ApproxDp total : {ApproxDp{1, 1e-6}, ApproxDp{8, 1e-9}, ApproxDp{30, 1e-10}}) {
    const ApproxDp ideal = *ideal_budget(total);
    EXPECT_LT(ideal.delta, total.delta);
    std::vector<std::vector<Event>> branches;
    for (const std::size_t steps : {std::size_t{50}, std::size_t{4000}, std::size_t{1'000'000}})
      branches.push_back({SampledGaussianEvent{*largest_sampling_rate(ideal, 0.8, steps), 0.8, steps}});
    EXPECT_TRUE(PrivacyMeter::open(total, {ParallelEvent{branches}}, Gdp{0}).ok()) << total.epsilon;
    branches.back().push_back(PureEvent{0.01 * total.epsilon});
    EXPECT_FALSE(PrivacyMeter::open(total, {ParallelEvent{branches}}, Gdp{0}).ok()) << total.epsilon;
  }
}

TEST(PrivacyMeter, AParallelReservationSplitsIntoItsBranches) {
  PrivacyMeter meter = *PrivacyMeter::open({1, 1e-6}, {kPhases}, Gdp{0.01});
  auto phases = *meter.split(kPhases);
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_NEAR(phases[0].total().mu, 0.05, 1e-15);
  EXPECT_LE(phases[0].total().mu * phases[0].total().mu, 0.0025);
  EXPECT_EQ(phases[1].total().mu, 0);
  EXPECT_EQ(meter.remaining().mu, 0.01);  // reserved, so that nothing is charged
  EXPECT_FALSE(meter.split(kPhases).ok());
  EXPECT_FALSE(meter.charge({.what = "solve"}, kPhases).ok());

  const Release solve{.what = "solve", .mechanism = "sampled-gaussian", .sensitivity = 0.8, .noise_scale = 1};
  EXPECT_FALSE(phases[0].charge(solve, kSecondPhase).ok());
  EXPECT_FALSE(phases[0].charge(solve, SampledGaussianEvent{0.001, 0.8, 15001}).ok());
  EXPECT_TRUE(phases[0].charge(solve, kFirstPhase).ok());
  EXPECT_FALSE(phases[0].charge(solve, kFirstPhase).ok());
  EXPECT_TRUE(phases[0].charge(kRelease, phases[0].total()).ok());
  EXPECT_FALSE(phases[0].charge(kRelease, Gdp{0.01}).ok());
  EXPECT_TRUE(phases[1].charge(solve, kSecondPhase).ok());
  EXPECT_TRUE(phases[1].charge(solve, PureEvent{0.1}).ok());
  EXPECT_FALSE(phases[1].charge(kRelease, Gdp{1e-6}).ok());
  meter.join(std::move(phases));

  const auto& lines = meter.receipt().lines;
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0].release.mechanism, "parallel");
  EXPECT_EQ(lines[0].price.epsilon, 1);
  EXPECT_NEAR(lines[0].price.mu, 0.05, 1e-15);
  EXPECT_EQ(lines[0].price.steps, 0u);  // the blocks have steps of their own, each
  EXPECT_EQ(lines[1].block, "1 of 2");
  EXPECT_EQ(lines[1].price.epsilon, 1);
  EXPECT_EQ(lines[1].price.delta, 1e-6);
  EXPECT_EQ(lines[1].price.rate, 0.001);
  EXPECT_EQ(lines[1].price.ratio, 0.8);
  EXPECT_EQ(lines[1].price.steps, 15000u);
  EXPECT_EQ(meter.receipt().blocks_not_joined, 0u);
  EXPECT_NE(meter.receipt().json().find("\"rate\":0.001,\"ratio\":0.8,\"steps\":15000"), std::string::npos);
}

TEST(PrivacyMeter, OnlyAReservedParallelEventSplits) {
  PrivacyMeter meter = *PrivacyMeter::open({1, 1e-6}, {kPhases}, Gdp{0});
  EXPECT_FALSE(meter.split(ParallelEvent{{{kFirstPhase}}}).ok());
  EXPECT_FALSE(meter.split(ParallelEvent{}).ok());
  EXPECT_TRUE(meter.receipt().lines.empty());
  EXPECT_TRUE(meter.split(kPhases).ok());
}

TEST(PrivacyMeter, SeededNoiseMarksTheReceipt) {
  PrivacyMeter meter = meter_of(0.5);
  auto blocks = *meter.split(2, Gdp{0.1});
  ASSERT_TRUE(meter.charge(kRelease, Gdp{0.1}).ok());
  EXPECT_TRUE(meter.receipt().secure);
  ASSERT_TRUE(blocks[0].charge({.what = "mean", .secure_noise = false}, Gdp{0.1}).ok());
  meter.join(std::move(blocks));
  EXPECT_FALSE(meter.receipt().secure);
}

TEST(PrivacyMeter, AMeterThatWasMovedFromHasNothingLeft) {
  PrivacyMeter meter = *PrivacyMeter::open(ApproxDp{1, 1e-6}, {PureEvent{0.1}});
  PrivacyMeter moved = std::move(meter);
  EXPECT_FALSE(meter.charge(kRelease, Gdp{1e-9}).ok());
  EXPECT_FALSE(meter.charge(kRelease, PureEvent{0.1}).ok());
  EXPECT_EQ(meter.remaining().mu, 0);
  PrivacyMeter assigned = meter_of(0.1);
  assigned = std::move(moved);
  EXPECT_FALSE(moved.charge(kRelease, Gdp{1e-9}).ok());
  EXPECT_TRUE(assigned.charge(kRelease, PureEvent{0.1}).ok());
}

// The theorem behind the meter, on an adversary who looks at the first release (mu = 0.3) before he picks the second:
// all of the rest if the first looks telling, a little of it otherwise.
TEST(PrivacyMeter, AnAdaptiveAdversaryGetsNoMoreThanTheTotal) {
  const double total = 0.5, first = 0.3, rest = 0.4;
  for (const double epsilon : {0.1, 0.5, 1.0})
    for (const double telling : {-1.0, 0.0, 1.0, 3.0}) {
      const auto integrand = [&](double y) {
        const double density = std::exp(-(y - first) * (y - first) / 2) / std::sqrt(2 * std::numbers::pi);
        const double loss = first * (y - first / 2);
        return density * gaussian_delta(y > telling ? rest : rest / 3, epsilon - loss);
      };
      boost::math::quadrature::tanh_sinh<double> integrate;
      const double delta =
          integrate.integrate(integrand, -10.0, telling) + integrate.integrate(integrand, telling, 10.0);
      EXPECT_LE(delta, gaussian_delta(total, epsilon) * (1 + 1e-6));
    }
}

// Two events after each other, and blocks of which the dearest counts.
TEST(PrivacyMeter, APureBudgetPaysForPureEventsThatSumToIt) {
  const ParallelEvent blocks{{{PureEvent{0.5}}, {PureEvent{0.2}, PureEvent{0.25}}}};
  EXPECT_TRUE(PrivacyMeter::open(PureDp{1}, {PureEvent{0.5}, blocks}).ok());
  EXPECT_TRUE(PrivacyMeter::open(PureDp{1}, {}).ok());
  const auto refused = PrivacyMeter::open(PureDp{1}, {PureEvent{0.5}, PureEvent{1e-12}, blocks});
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().over_budget);
  EXPECT_NE(refused.error().message.find("and the budget is 1"), std::string::npos) << refused.error().message;
  for (const Event& event : {Event{GaussianEvent{1e-9}}, Event{ZcdpEvent{1e-9}}, Event{ApproximateEvent{0.1, 1e-30}},
                             Event{ParallelEvent{{{PureEvent{0.1}}, {GaussianEvent{1e-9}}}}}}) {
    const auto bad = PrivacyMeter::open(PureDp{1}, {event});
    EXPECT_TRUE(!bad.ok() && bad.error().over_budget);
  }
  for (const double epsilon : {0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    EXPECT_FALSE(PrivacyMeter::open(PureDp{epsilon}, {}).ok());
    EXPECT_FALSE(PrivacyMeter::open(PureDp{1}, {PureEvent{epsilon}}).ok());
  }
}

TEST(PrivacyMeter, APureBudgetRefusesGaussianNoiseWithTheReason) {
  PrivacyMeter meter = *PrivacyMeter::open(PureDp{1}, {PureEvent{1}});
  const auto refused = meter.charge(kRelease, Gdp{1e-9});
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().over_budget);
  EXPECT_NE(refused.error().message.find("pure epsilon-DP"), std::string::npos) << refused.error().message;
  EXPECT_EQ(meter.total().mu, 0);
  EXPECT_FALSE(meter.split(2, Gdp{0.1}).ok());
  EXPECT_TRUE(meter.charge(kRelease, PureEvent{1}).ok());
  EXPECT_FALSE(meter.charge(kRelease, PureEvent{1}).ok());
}

TEST(PrivacyMeter, BlocksOfAReservationMaySpendTheirBranchOnce) {
  const ParallelEvent blocks{{{PureEvent{0.5}}, {PureEvent{0.2}, PureEvent{0.25}}}};
  PrivacyMeter meter = *PrivacyMeter::open(PureDp{0.5}, {blocks});
  EXPECT_FALSE(meter.split(ParallelEvent{{{PureEvent{0.5}}}}).ok()) << "never reserved";
  EXPECT_FALSE(meter.split(ParallelEvent{}).ok());
  auto parts = *meter.split(blocks);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_FALSE(meter.split(blocks).ok()) << "used up";
  EXPECT_EQ(meter.receipt().blocks_not_joined, 2u);
  EXPECT_TRUE(parts[0].charge(kRelease, PureEvent{0.5}).ok());
  EXPECT_FALSE(parts[0].charge(kRelease, PureEvent{0.2}).ok()) << "of the other branch";
  EXPECT_FALSE(parts[1].charge(kRelease, Gdp{1e-9}).ok());
  EXPECT_TRUE(parts[1].charge(kRelease, {PureEvent{0.2}, PureEvent{0.25}}).ok());
  meter.join(std::move(parts));
  const Receipt& receipt = meter.receipt();
  EXPECT_EQ(receipt.blocks_not_joined, 0u);
  ASSERT_EQ(receipt.lines.size(), 3u);
  EXPECT_EQ(receipt.lines[0].price.epsilon, 0.5);
  EXPECT_EQ(receipt.lines[2].block, "2 of 2");
}

// Alone, in a block, in blocks of blocks, beside what is pure, and without sampling, where they are Gaussian noise.
std::vector<std::vector<Event>> where_sampled_steps_hide() {
  const SampledGaussianEvent event{.rate = 1e-3, .ratio = 0.5, .steps = 100};
  const SampledGaussianEvent all_rows{.rate = 1, .ratio = 1e-3, .steps = 1};
  const Event block = ParallelEvent{{{PureEvent{0.5}}, {event}}};
  const Event nested = ParallelEvent{{{PureEvent{0.1}}, {PureEvent{0.1}, block}}};
  return {{event},  {all_rows},
          {block},  {PureEvent{0.1}, block},
          {nested}, {PureEvent{0.1}, PureEvent{0.1}, ParallelEvent{{{nested}}}}};
}

TEST(PrivacyMeter, APureBudgetPaysForNoSampledSteps) {
  for (const std::vector<Event>& events : where_sampled_steps_hide()) {
    const auto refused = PrivacyMeter::open(PureDp{1}, events);
    ASSERT_FALSE(refused.ok());
    EXPECT_TRUE(refused.error().over_budget);
    EXPECT_NE(refused.error().message.find("pays for pure events alone"), std::string::npos) << refused.error().message;
  }
}

// As events they are reserved, which such a meter never has; nor has a block of it.
TEST(PrivacyMeter, AGdpBudgetPaysForNoSampledSteps) {
  for (const std::vector<Event>& events : where_sampled_steps_hide()) {
    PrivacyMeter meter = *PrivacyMeter::open(Gdp{10});
    auto blocks = *meter.split(2, Gdp{1});
    EXPECT_FALSE(meter.charge(kRelease, events).ok());
    EXPECT_FALSE(blocks[0].charge(kRelease, events).ok());
    if (const auto* parallel = std::get_if<ParallelEvent>(&events.back())) {
      EXPECT_FALSE(meter.split(*parallel).ok());
      EXPECT_FALSE(blocks[0].split(*parallel).ok());
    }
  }
}

// An (epsilon, delta) budget pays for them wherever they hide, and for what the accountant says.
TEST(PrivacyMeter, AnApproximateBudgetPaysForSampledStepsWhereverTheyAre) {
  for (const std::vector<Event>& events : where_sampled_steps_hide()) {
    Accountant accountant;
    for (const Event& event : events) ASSERT_TRUE(accountant.add(event).ok());
    const double epsilon = *accountant.epsilon(1e-6);
    EXPECT_TRUE(PrivacyMeter::open(ApproxDp{1.05 * epsilon, 1e-6}, events, Gdp{0}).ok()) << epsilon;
    EXPECT_FALSE(PrivacyMeter::open(ApproxDp{0.95 * epsilon, 1e-6}, events, Gdp{0}).ok()) << epsilon;
  }
}

}  // namespace
}  // namespace tailcoat
