#include "tailcoat/mechanisms/laplace_release.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tailcoat {
namespace {

constexpr PureDp kCost{1};

SensitiveSum sum_of(std::vector<std::int64_t> units, double sensitivity, double unit = 1) {
  const std::size_t size = units.size();
  return {.units = Sensitive(std::move(units)), .size = size, .unit = unit, .sensitivity = sensitivity};
}

struct PureOutlet {
  PrivacyMeter meter = *PrivacyMeter::open(kCost, {PureEvent{kCost.epsilon}});
  BitSource noise;

  explicit PureOutlet(std::uint64_t seed) : noise(BitSource::insecure_seeded(seed)) {}
  operator Outlet() { return {meter, noise}; }
};

// Coordinates move by at most sqrt(size) times the L2 sensitivity together.
TEST(LaplaceRelease, ScalesItsNoiseToTheSumOfAllChanges) {
  PureOutlet outlet(1);
  ASSERT_TRUE(laplace_release("a vector", sum_of({1, 2, 3, 4}, 100, 0.5), kCost, outlet).ok());
  ASSERT_EQ(outlet.meter.receipt().lines.size(), 1u);
  const ReceiptLine& line = outlet.meter.receipt().lines[0];
  EXPECT_EQ(line.release.mechanism, "laplace");
  EXPECT_EQ(line.release.values, 4u);
  EXPECT_NEAR(line.release.noise_scale, 2 * 100 * 0.5, 1e-9);
  EXPECT_NEAR(line.release.sensitivity / line.release.noise_scale, kCost.epsilon, 1e-12);
  EXPECT_EQ(line.price.epsilon, kCost.epsilon);
  EXPECT_FALSE(line.release.secure_noise);
}

TEST(LaplaceRelease, NeedsItsReservationAndDrawsNothingWithout) {
  PureOutlet outlet(1);
  EXPECT_FALSE(laplace_release("another epsilon", sum_of({0}, 10), PureDp{0.5}, outlet).ok());
  EXPECT_FALSE(laplace_release("nan", sum_of({0}, std::nan("")), kCost, outlet).ok());
  EXPECT_FALSE(laplace_release("a scale below 1", sum_of({0}, 0.5), kCost, outlet).ok());
  EXPECT_FALSE(laplace_release("a scale above 2^40", sum_of({0}, 0x1p41), kCost, outlet).ok());
  EXPECT_EQ(outlet.noise.releases(), 0u);
  ASSERT_TRUE(laplace_release("once", sum_of({0}, 10), kCost, outlet).ok());
  EXPECT_EQ(laplace_release("twice", sum_of({0}, 10), kCost, outlet).error().kind, ErrorKind::refused);
  EXPECT_EQ(outlet.noise.releases(), 1u);
}

// Two points at the distance that the sum is made for, each coordinate rounded the worse way: what the noise is for
// must be more than their lattice points differ by, and is hardly more, so that neither a factor nor the d units of
// rounding can be missing.
TEST(LaplaceRelease, CoversTheWorstRoundingOfNeighbours) {
  for (const std::size_t d : {2u, 3u, 5u}) {
    const double sensitivity = 1, root = std::sqrt(static_cast<double>(d));
    const std::vector<double> origin(d, 0.0);
    const auto plain = *point_on_lattice(origin, origin, sensitivity, 10, kLaplaceLattice);
    const double apart = sensitivity / root * (1 - 1e-12);  // in each coordinate
    double most = 0;
    for (int step = 0; step < 1000; ++step) {  // one of them is just below half a unit
      const double at = plain.unit * step / 1000;
      most = std::max(most, static_cast<double>(d) * static_cast<double>(std::llround((at + apart) / plain.unit) -
                                                                         std::llround(at / plain.unit)));
    }
    PureOutlet outlet(1);
    const double allowed = laplace_scale(plain, kCost) * kCost.epsilon;
    EXPECT_LE(most, allowed);
    EXPECT_GT(most, allowed - 2 * static_cast<double>(d));
    EXPECT_GT(most, root * (plain.sensitivity - root)) << "the units of rounding matter here";
  }
}

// 2 x 2,000 releases of neighbours that differ by the whole sensitivity, as much in each of three coordinates. A
// coordinate is at or above that of one of them with a probability of about 1/2 there and e^(-1/3) / 2 for the other,
// and coordinates are independent. Three times the logarithm of the ratio of frequencies has a standard error of 0.065.
TEST(LaplaceRelease, NeighboursAreEToTheEpsilonApart) {
  constexpr int kRuns = 2'000;
  constexpr std::int64_t kStep = 1'000'000;
  const double sensitivity = kStep * std::sqrt(3.0);
  double above[2] = {0, 0};
  for (int side = 0; side < 2; ++side) {
    for (int run = 0; run < kRuns; ++run) {
      PureOutlet outlet(static_cast<std::uint64_t>(2 * run + side));
      const std::int64_t value = side == 0 ? kStep : 0;
      const auto released = *laplace_release("point", sum_of({value, value, value}, sensitivity), kCost, outlet);
      for (const double one : released) above[side] += one >= kStep;
    }
  }
  EXPECT_NEAR(above[0] / (3 * kRuns), 0.5, 5 * std::sqrt(0.25 / (3 * kRuns)));
  EXPECT_NEAR(3 * std::log(above[0] / above[1]), kCost.epsilon, 5 * 0.065);
}

// The certificate of a release counts on at most 2 scale^2. With 200,000 draws the frequency is known to 0.5 %.
TEST(LaplaceRelease, TheVarianceIsTwiceTheSquareOfTheScale) {
  PureOutlet outlet(7);
  constexpr std::size_t kDraws = 200'000;
  const auto zeros = [] { return sum_of(std::vector<std::int64_t>(kDraws, 0), 1e4, 0.01); };
  const double scale = laplace_scale(zeros(), kCost) * 0.01;
  const auto released = *laplace_release("zeros", zeros(), kCost, outlet);
  double square = 0;
  for (const double value : released) square += value * value / kDraws;
  EXPECT_NEAR(square / (2 * scale * scale), 1, 5 * std::sqrt(5.0 / kDraws));
}

}  // namespace
}  // namespace tailcoat
