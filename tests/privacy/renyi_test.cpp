#include "tailcoat/privacy/renyi.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reference_values.hpp"

namespace tailcoat {
namespace {

void expect_just_above(double value, double exact, double tolerance) {
  EXPECT_GE(value, exact * (1 - 1e-15));
  EXPECT_LE(value, exact * (1 + tolerance));
}

TEST(Renyi, CurvesMatchTheReferenceFromAbove) {
  for (const auto& row : reference::kDivergences) {
    SCOPED_TRACE(testing::Message() << "epsilon " << row.epsilon << ", alpha " << row.alpha);
    // The closed forms lose digits where alpha epsilon is small; there the quadratic bounds are within (alpha
    // epsilon)^2.
    const double small = row.alpha * row.epsilon;
    const double tolerance = std::min(1e-6, small * small) + 1e-12 / (small * small);
    expect_just_above(pure_renyi(row.epsilon, row.alpha), row.pure, tolerance);
    expect_just_above(bounded_range_renyi(row.epsilon, row.alpha), row.bounded_range, tolerance);
  }
}

TEST(Renyi, BoundedRangeCostsAtMostAnEighthOfEpsilonSquared) {
  for (const double epsilon : {1e-6, 0.01, 1.0, 5.0, 700.0, 1e5})
    for (const double alpha : {1 + 1e-9, 1.5, 2.0, 40.0, 1e9}) {
      EXPECT_LE(bounded_range_renyi(epsilon, alpha), std::min(epsilon, alpha * epsilon * epsilon / 8) * (1 + 1e-15));
      EXPECT_LE(bounded_range_renyi(epsilon, alpha), pure_renyi(epsilon, alpha) * (1 + 1e-9));
      EXPECT_GT(bounded_range_renyi(epsilon, alpha), 0);
    }
}

TEST(Renyi, CurvesGrowWithTheOrderUpToEpsilon) {
  double pure = 0, bounded = 0;
  for (double alpha = 1.01; alpha < 1e8; alpha *= 1.1) {
    EXPECT_GE(pure_renyi(0.7, alpha), pure * (1 - 1e-13));
    EXPECT_GE(bounded_range_renyi(0.7, alpha), bounded * (1 - 1e-13));
    pure = pure_renyi(0.7, alpha);
    bounded = bounded_range_renyi(0.7, alpha);
  }
  EXPECT_NEAR(pure, 0.7, 1e-6);
  EXPECT_NEAR(bounded, 0.7, 1e-6);
}

TEST(Renyi, DeltaOfAConstantCurveVanishesBeyondIt) {
  const Rdp pure{[](double alpha) { return pure_renyi(1, alpha); }};
  EXPECT_LT(renyi_log_delta(pure, 1.001), -1e10);
  EXPECT_GT(renyi_log_delta(pure, 0.5), std::log(0.1));
}

TEST(Renyi, AnInfiniteCurveSaysNothing) {
  EXPECT_EQ(renyi_log_delta({[](double) { return INFINITY; }}, 1), 0);
  EXPECT_EQ(renyi_log_delta({[](double) { return NAN; }}, 1), 0);
}

}  // namespace
}  // namespace tailcoat
