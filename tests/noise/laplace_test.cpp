#include "tailcoat/noise/laplace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

namespace tailcoat {
namespace {

using Real = boost::multiprecision::cpp_bin_float_100;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

TEST(DiscreteLaplace, RefusesScalesItCannotServe) {
  for (const double scale :
       {std::nan(""), kInfinity, -kInfinity, 0.0, -1.0, kSmallest, std::nextafter(1, 0), 0x1.0000000000001p40, 1e308}) {
    const auto law = DiscreteLaplace::create(scale);
    ASSERT_FALSE(law.ok()) << scale;
    EXPECT_EQ(law.error().kind, ErrorKind::usage);
  }
  EXPECT_TRUE(DiscreteLaplace::create(1).ok());
  EXPECT_TRUE(DiscreteLaplace::create(0x1p40).ok());
}

TEST(DiscreteLaplace, ThresholdsAreTheExactProbabilitiesTo128Bits) {
  for (const double scale : {1.0, 1.5, 3.0, 1000.1, 0x1p20, 0x1p40}) {
    const auto law = DiscreteLaplace::create(scale);
    Real place = 1;
    for (const auto& threshold : law->thresholds()) {
      const Real exact = 1 / (1 + exp(place / scale));
      const Real error = exact - ldexp(Real(threshold.high), -64) - ldexp(Real(threshold.low), -128);
      EXPECT_GE(error, 0);
      EXPECT_LT(error, ldexp(Real(1), -128));
      place *= 2;
    }
    EXPECT_LT(exp(-place / scale), ldexp(Real(1), -180)) << "mass left out";
  }
}

TEST(DiscreteLaplace, StaysWithinItsBound) {
  const auto law = DiscreteLaplace::create(3);
  BitStream bits = BitSource::insecure_seeded(1).stream(0, 0);
  for (const std::int64_t bound : {0, 1, 5})
    for (int i = 0; i < 10'000; ++i) ASSERT_LE(std::abs(law->bounded(bound, bits)), bound);
  for (int i = 0; i < 1000; ++i) ASSERT_LE(std::abs(law->bounded(INT64_MAX, bits)), 750);
}

TEST(DiscreteLaplace, TheFirstDrawsOfSeedOneAreKnown) {
  const auto law = DiscreteLaplace::create(1000);
  BitStream bits = BitSource::insecure_seeded(1).stream(0, 0);
  EXPECT_EQ((*law)(bits), 1107);
  EXPECT_EQ(law->bounded(500, bits), -8);
}

// Hockey-stick divergence at epsilon of the bounded Laplace and its shift, summed value by value.
Real divergence(double scale, std::int64_t bound, std::int64_t shift, const Real& epsilon) {
  const auto weight = [&](std::int64_t k) {
    return std::abs(k) <= bound ? Real(exp(-Real(std::abs(k)) / scale)) : Real(0);
  };
  Real total = 0, sum = 0;
  for (std::int64_t k = -bound; k <= bound; ++k) total += weight(k);
  for (std::int64_t k = -bound; k <= bound; ++k) {
    const Real excess = (weight(k) - exp(epsilon) * weight(k - shift)) / total;
    if (excess > ldexp(Real(1), -300)) sum += excess;
  }
  return sum;
}

TEST(BoundedLaplace, DeltaEqualsTheMassOutsideTheOverlap) {
  for (const double scale : {1.0, 1.5, 3.0, 40.0}) {
    for (const std::int64_t bound : {0, 1, 2, 7, 20}) {
      for (std::int64_t shift = 1; shift <= 2 * bound + 2; ++shift) {
        const Real epsilon = shift / Real(scale);
        const Real exact = divergence(scale, bound, shift, epsilon);
        const double delta = bounded_laplace_delta(scale, bound, shift);
        EXPECT_GE(Real(delta), exact - ldexp(Real(1), -290)) << scale << ' ' << bound << ' ' << shift;
        EXPECT_LE(Real(delta), exact * (1 + 0x1p-51)) << scale << ' ' << bound << ' ' << shift;
        EXPECT_LE(abs(divergence(scale, bound, shift, 2 * epsilon) - exact), 1e-80);
        if (shift <= bound) {
          EXPECT_GT(divergence(scale, bound, shift, epsilon * 0.99), exact * (1 + 1e-6));
        }
      }
    }
  }
}

TEST(BoundedLaplace, DeltaGrowsWithTheShiftAndFallsWithTheBound) {
  for (std::int64_t i = 1; i < 50; ++i) {
    EXPECT_GT(bounded_laplace_delta(5, 60, i + 1), bounded_laplace_delta(5, 60, i));
    EXPECT_LT(bounded_laplace_delta(5, 10 + i, 3), bounded_laplace_delta(5, 9 + i, 3));
  }
}

TEST(BoundedLaplace, DeltaIsSafeAtTheEdges) {
  EXPECT_EQ(bounded_laplace_delta(2, 10, 0), 0);
  EXPECT_EQ(bounded_laplace_delta(2, 10, 21), 1);
  EXPECT_EQ(bounded_laplace_delta(2, 0, 1), 1);
  EXPECT_EQ(bounded_laplace_delta(1, INT64_MAX, 1), kSmallest);
  EXPECT_NEAR(bounded_laplace_delta(1, INT64_MAX, INT64_MAX), 1 / (1 + std::exp(1.0)), 1e-15);
  for (const double scale : {std::nan(""), 0.0, -1.0, kInfinity, 1e308})
    EXPECT_EQ(bounded_laplace_delta(scale, 10, 1), 1);
  EXPECT_EQ(bounded_laplace_delta(2, -1, 1), 1);
  EXPECT_EQ(bounded_laplace_delta(2, 10, -1), 1);
  EXPECT_EQ(bounded_laplace_delta(2, INT64_MIN, INT64_MIN), 1);
}

TEST(BoundedLaplace, SmallestBoundIsEnoughAndOneLessIsNot) {
  for (const double scale : {1.0, 7.3, 0x1p20, 0x1p40}) {
    for (const std::int64_t shift : {std::int64_t{1}, std::int64_t{100}, std::int64_t{1} << 40}) {
      for (const double delta : {0.9, 0.3, 1e-6, 1e-30, 1e-300, kSmallest}) {
        const auto bound = smallest_laplace_bound(scale, shift, delta);
        ASSERT_TRUE(bound.ok());
        EXPECT_LE(bounded_laplace_delta(scale, *bound, shift), delta);
        EXPECT_GT(bounded_laplace_delta(scale, *bound - 1, shift), delta);
      }
    }
  }
  EXPECT_EQ(*smallest_laplace_bound(3, 0, 0.1), 0);
}

// Continuous limit: bound / scale = ln(1 + (e^epsilon - 1) / (2 delta)), by mpmath: 13.663689 at epsilon = 1 and
// 10.870214 at epsilon = 0.1, delta = 1e-6. A factor 2 in delta would move it by 0.69.
TEST(BoundedLaplace, SmallestBoundOnAFineLatticeIsTheContinuousOne) {
  const double scale = 0x1p30;
  EXPECT_NEAR(static_cast<double>(*smallest_laplace_bound(scale, std::int64_t{1} << 30, 1e-6)) / scale, 13.663689,
              1e-6);
  const auto tenth = static_cast<std::int64_t>(0.1 * scale);
  EXPECT_NEAR(static_cast<double>(*smallest_laplace_bound(scale, tenth, 1e-6)) / scale, 10.870214, 1e-6);
}

TEST(BoundedLaplace, SmallestBoundRefusesWhatMakesNoSense) {
  for (const double delta : {std::nan(""), 0.0, -0.1, 1.0, 2.0, kInfinity})
    EXPECT_FALSE(smallest_laplace_bound(3, 1, delta).ok());
  for (const double scale : {std::nan(""), 0.0, kInfinity}) EXPECT_FALSE(smallest_laplace_bound(scale, 1, 0.1).ok());
  EXPECT_FALSE(smallest_laplace_bound(3, -1, 0.1).ok());
  EXPECT_FALSE(smallest_laplace_bound(3, INT64_MIN, 0.1).ok());
  const auto result = smallest_laplace_bound(3, INT64_MAX, 0.1);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message,
            "shift = 9223372036854775807 is not in [0, 2^60]: largest difference of neighbours");
}

TEST(DiscreteLaplaceDeathTest, IsSpentWhenMovedFrom) {
  auto law = *DiscreteLaplace::create(10);
  const DiscreteLaplace moved = std::move(law);
  BitStream bits = BitSource::insecure_seeded(1).stream(0, 0);
  EXPECT_DEATH(law(bits), "moved-from");
  EXPECT_DEATH(law.bounded(5, bits), "moved-from");
}

}  // namespace
}  // namespace tailcoat
