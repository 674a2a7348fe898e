#include "tailcoat/mechanisms/objective_perturbation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "tailcoat/privacy/conversions.hpp"

namespace tailcoat {
namespace {

// The slope of a clipped sample's envelope in one dimension, at x.
struct Sample {
  Loss loss;
  double a, y;

  double slope(double x, double clip, double beta) const {
    const double limit = clip / std::abs(a);
    const double alpha = std::visit([&](const auto& one) { return one.implicit_slope(a * x, y, a * a / beta); }, loss);
    return a * std::clamp(alpha, -limit, limit);
  }
};

// E (p - e^epsilon q)_+ for the laws of the two exact minimisers, summed over a fine grid: with b = B(x) decreasing in
// x, a cell has the probability of an interval of b.
double hockey_stick(const std::function<double(double)>& b, const std::function<double(double)>& other, double sigma,
                    double epsilon, double reach) {
  constexpr int kCells = 20000;
  double sum = 0, last_p = 0, last_q = 0;
  const auto tail = [&](double value) { return std::erfc(value / (sigma * std::numbers::sqrt2)) / 2; };
  for (int i = 0; i <= kCells; ++i) {
    const double x = reach * (2.0 * i / kCells - 1), p = tail(b(x)), q = tail(other(x));
    sum += std::max(0.0, (p - last_p) - std::exp(epsilon) * (q - last_q));
    last_p = p, last_q = q;
  }
  return sum;
}

// Exact laws in one dimension, where a and a' are as aligned as the proof fears. Half of delta is reached: by linear
// samples, whose loss has one sign, where the proof allows for both.
TEST(ObjectivePerturbation, ExactMinimisersAreAsCloseAsClaimedAndNotMuchCloser) {
  std::mt19937_64 random(1);
  std::normal_distribution<> normal;
  const std::vector<Loss> losses = {SquaredLoss{}, LogisticLoss{}, AbsoluteLoss{}, HingeLoss{}, LinearLoss{}};
  double most = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const ApproxDp cost{std::exp(normal(random)), trial % 2 == 0 ? 1e-2 : 1e-4};
    const double clip = 1, weight = std::exp(normal(random)),
                 curvature = 0.5 * std::expm1(cost.epsilon) * (trial % 3) / 2;
    const double beta = std::max(curvature, 1e-4) * weight;
    const auto noise = objective_noise(beta / weight, cost);
    ASSERT_TRUE(noise.ok()) << noise.error().message;
    const double sigma = *noise * clip;

    const auto any = [&] { return Sample{losses[random() % losses.size()], 3 * normal(random), normal(random)}; };
    const Sample shared = any(), one = any(), two = trial % 5 == 0 ? Sample{one.loss, -one.a, -one.y} : any();
    const auto map_of = [&](const Sample& own) {
      return [&, own](double x) { return -(shared.slope(x, clip, beta) + own.slope(x, clip, beta) + weight * x); };
    };
    const double reach = (9 * sigma + 2 * clip) / weight;
    for (const auto& [p, q] : {std::pair{one, two}, std::pair{two, one}}) {
      const double delta = hockey_stick(map_of(p), map_of(q), sigma, cost.epsilon, reach);
      EXPECT_LE(delta, cost.delta) << "trial " << trial;
      most = std::max(most, delta / cost.delta);
    }
  }
  EXPECT_GT(most, 0.35);
}

TEST(ObjectivePerturbation, NoiseGrowsWithCurvatureUntilItIsRefused) {
  const ApproxDp cost{1, 1e-6};
  const double none = *objective_noise(1e-9, cost), some = *objective_noise(0.5, cost),
               more = *objective_noise(1.5, cost);
  EXPECT_LT(none, some);
  EXPECT_LT(some, more);
  // Without curvature: the Gaussian mechanism of sensitivity 2 at delta / 2.
  EXPECT_NEAR(none, 2 / (*to_gdp(ApproxDp{1, 5e-7})).mu, 1e-6);
  const auto refused = objective_noise(2, cost);  // log(3) > 1
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("1.099"), std::string::npos) << refused.error().message;
}

struct Fixture {
  Engine engine{1};
  Domain domain = *Domain::ball({0, 0}, 100);
  ObjectivePerturbation options{.clip = 1, .weight = 1, .smoothness = 0.01, .cost = {0.9, 5e-7}};
  ApproximateEvent event{0.9, 5e-7};

  Result<std::vector<double>> release(const std::vector<double>& rows, PrivacyMeter& meter, std::uint64_t seed) {
    const std::vector<double> labels(rows.size() / 2), centre{0, 0};
    const auto data = *engine.load(RowsOf<double>{rows.data(), labels.size(), 2, 2}, labels);
    BitSource noise = BitSource::insecure_seeded(seed);
    return perturbed_minimiser(engine, Samples(data, LinearLoss{}), domain, centre, options, meter.total(),
                               {meter, noise});
  }
};

// Opposite linear samples of full slope, with the same noise: the release shifts by 2 C / (lambda n), and its deviation
// is sigma / (lambda n), of the inner noise and a little of the outer. Half as much would be seen to exceed the budget.
TEST(ObjectivePerturbation, ReleasesShiftByWhatTheNoiseIsFor) {
  Fixture fixture;
  const std::vector<double> sides[2] = {{3, 0, 0, 1}, {-3, 0, 0, 1}};
  constexpr int kRuns = 300;  // two coordinates each: the deviation is known to 3 %
  double squares = 0, largest_shift = 0;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    std::vector<double> released[2];
    for (int side = 0; side < 2; ++side) {
      PrivacyMeter meter = *PrivacyMeter::open(ApproxDp{1, 1e-6}, {fixture.event});
      released[side] = *fixture.release(sides[side], meter, seed);
    }
    largest_shift = std::max(largest_shift, released[1][0] - released[0][0]);
    squares += std::pow(released[0][0] + 0.5, 2) + std::pow(released[0][1] + 0.5, 2);
  }
  const double deviation = std::sqrt(squares / (2 * kRuns)),
               sigma = *objective_noise(0.01 / 2, fixture.options.cost) / 2;
  EXPECT_NEAR(largest_shift, 1, 0.05);
  EXPECT_NEAR(deviation / sigma, 1.02, 0.15);
  EXPECT_LE(*to_delta(Gdp{largest_shift / deviation}, 1), 1e-6);
  EXPECT_GT(*to_delta(Gdp{2 * largest_shift / deviation}, 1), 1e-6);
}

TEST(ObjectivePerturbation, ChargesItsEventAndItsOutputNoiseOnce) {
  Fixture fixture;
  PrivacyMeter meter = *PrivacyMeter::open(ApproxDp{1, 1e-6}, {fixture.event});
  ASSERT_TRUE(fixture.release({1, 0, 0, 1}, meter, 1).ok());
  const auto& lines = meter.receipt().lines;
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].price.epsilon, 0.9);
  EXPECT_EQ(lines[0].price.delta, 5e-7);
  EXPECT_EQ(lines[0].release.sensitivity, 2);
  EXPECT_NEAR(lines[0].release.noise_scale, *objective_noise(0.01 / 2, fixture.options.cost), 1e-12);
  EXPECT_NEAR(lines[1].price.mu, meter.total().mu, 1e-6 * meter.total().mu);
  EXPECT_FALSE(fixture.release({1, 0, 0, 1}, meter, 1).ok());  // nothing is left
  PrivacyMeter unreserved = *PrivacyMeter::open(ApproxDp{1, 1e-6});
  EXPECT_FALSE(fixture.release({1, 0, 0, 1}, unreserved, 1).ok());
  EXPECT_TRUE(unreserved.receipt().lines.empty());
}

// The clip and the curvature that the proof counts with are those of samples of weight 1.
TEST(ObjectivePerturbation, RefusesWeightsBeforeAnythingIsCharged) {
  Fixture fixture;
  const std::vector<double> rows{1, 0, 0, 1}, labels{0, 0}, weights{1, 2}, centre{0, 0};
  const auto data = *fixture.engine.load(RowsOf<double>{rows.data(), 2, 2, 2}, labels, weights);
  PrivacyMeter meter = *PrivacyMeter::open(ApproxDp{1, 1e-6}, {fixture.event});
  BitSource noise = BitSource::insecure_seeded(1);
  const auto refused = perturbed_minimiser(fixture.engine, Samples(data, LinearLoss{}), fixture.domain, centre,
                                           fixture.options, meter.total(), {meter, noise});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("weights"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(meter.receipt().lines.empty());
}

}  // namespace
}  // namespace tailcoat
