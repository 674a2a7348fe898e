#include "tailcoat/engine/lattice.hpp"

#include <gtest/gtest.h>

#include "helpers.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {
namespace {

TEST(ClipLattice, CostsNoMoreThanAskedForInExactArithmetic) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const double mu = std::exp2(std::uniform_real_distribution<>(-15, 20)(random));
    const std::size_t d = 1 + random() % 5000;
    const auto lattice = clip_lattice(1, d, Gdp{mu});
    ASSERT_TRUE(lattice.ok()) << lattice.error().message;
    // (2 C + sqrt(d))^2 <= sensitivity^2, without a square root: s - 2 C >= 0 and (s - 2 C)^2 >= d.
    const Rational room = exact(lattice->sensitivity) - 2 * exact(lattice->clip_units);
    EXPECT_GE(room, 0);
    EXPECT_GE(squared(room), Rational(d));
    EXPECT_LE(exact(lattice->sensitivity), exact(kGaussianScale) * exact(mu));
    EXPECT_GT(lattice->sensitivity, kGaussianScale * mu * (1 - 1e-15));
  }
}

TEST(ClipLattice, HasTheUnitThatMakesTheThreshold) {
  const auto lattice = clip_lattice(3, 10, Gdp{0.5});
  ASSERT_TRUE(lattice.ok());
  EXPECT_DOUBLE_EQ(lattice->unit() * lattice->clip_units, 3);
  EXPECT_NEAR(lattice->clip_units, (0x1p25 - std::sqrt(10)) / 2, 1e-6);
}

TEST(ClipLattice, RefusesABudgetThatRoundingWouldUseUp) {
  const double least = 2 * std::sqrt(64) / 0x1p26;
  EXPECT_TRUE(clip_lattice(1, 64, Gdp{least * 1.0001}).ok());
  const auto refused = clip_lattice(1, 64, Gdp{least * 0.9999});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  EXPECT_NE(refused.error().message.find("64 numbers"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("give mu >= 2.384e-07"), std::string::npos) << refused.error().message;
  EXPECT_FALSE(clip_lattice(1, 1, Gdp{1e-300}).ok());
}

TEST(ClipLattice, RefusesUnitsThatWouldNotAddUpExactly) {
  EXPECT_TRUE(clip_lattice(1, 1, Gdp{0x1p24}).ok());
  EXPECT_EQ(clip_lattice(1, 1, Gdp{0x1p26}).error().kind, ErrorKind::refused);
  EXPECT_EQ(clip_lattice(1, 1, Gdp{kHuge}).error().kind, ErrorKind::refused);
}

TEST(ClipLattice, RefusesThresholdsBudgetsAndSizesThatAreNone) {
  for (const double threshold : {0.0, -1.0, kNaN, kInf, kSubnormal, kHuge})
    EXPECT_EQ(clip_lattice(threshold, 3, Gdp{1}).error().kind, ErrorKind::usage) << threshold;
  for (const double mu : {0.0, -1.0, kNaN, kInf}) EXPECT_FALSE(clip_lattice(1, 3, Gdp{mu}).ok()) << mu;
  EXPECT_FALSE(clip_lattice(1, 0, Gdp{1}).ok());
}

TEST(ShrunkUnits, AreBelowTheUnitsByTheSlack) {
  for (const std::size_t d : {1, 64, 4096}) {
    const Rational slack(static_cast<std::int64_t>(d + 8), std::int64_t{1} << 52);
    EXPECT_LE(exact(shrunk_units(12345.678, d, kClipSlack)), exact(12345.678) * (1 - slack));
    EXPECT_GT(shrunk_units(12345.678, d, kClipSlack), 12345.678 * (1 - 1e-11));
  }
}

}  // namespace
}  // namespace tailcoat
