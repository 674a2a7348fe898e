#include "tailcoat/privacy/gaussian_profile.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "reference_values.hpp"

namespace tailcoat {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_100;

// The defining formula, with digits to spare for its cancellation.
Wide exact_delta(double mu, double epsilon) {
  const Wide m = mu, e = epsilon;
  const Wide half_root = sqrt(Wide(0.5));
  return (erfc((e / m - m / 2) * half_root) - exp(e) * erfc((e / m + m / 2) * half_root)) / 2;
}

TEST(GaussianProfile, IsAboveTheExactDeltaByLessThanATrillionth) {
  for (const auto& row : reference::kProfiles) {
    const double log_delta = gaussian_log_delta(row.mu, row.epsilon);
    const double slack = 1e-15 * std::abs(row.log_delta);  // the reference as a double, and the argument's share
    EXPECT_GE(log_delta, row.log_delta) << row.mu << " " << row.epsilon;
    EXPECT_LE(log_delta, row.log_delta + 3e-13 + slack) << row.mu << " " << row.epsilon;
  }
}

TEST(GaussianProfile, HoldsWhereverItsFormChanges) {
  // mu = 1 and t = 4 are where the evaluation switches; a = epsilon / mu - mu / 2 = 0 is another seam.
  for (const double mu : {1e-5, 0.3, std::nextafter(1, 0), 1.0, std::nextafter(1, 2), 1.5, 5.0}) {
    for (const double a : {-0.4, -1e-9, 0.0, 1e-9, 2.0, 3.2, 3.999, 4.0, 4.001, 9.0}) {
      const double epsilon = mu * (a + mu / 2);
      if (epsilon < 0) continue;
      const Wide bound = exp(Wide(gaussian_log_delta(mu, epsilon)));
      const Wide exact = exact_delta(mu, epsilon);
      EXPECT_GE(bound, exact) << mu << " " << a;
      EXPECT_LE(bound, exact * (1 + 3e-13)) << mu << " " << a;
    }
  }
}

TEST(GaussianProfile, FallsInEpsilonAndRisesInMu) {
  double previous = 1;
  for (double epsilon = -3; epsilon < 6; epsilon += 0.01) {
    const double delta = gaussian_delta(0.7, epsilon);
    EXPECT_LT(delta, previous);
    previous = delta;
  }
  previous = 0;
  for (double mu = 0.05; mu < 6; mu += 0.01) {
    const double delta = gaussian_delta(mu, 0.7);
    EXPECT_GT(delta, previous);
    previous = delta;
  }
}

TEST(GaussianProfile, WithoutANoiseShiftIsTheProfileOfEqualDistributions) {
  EXPECT_EQ(gaussian_delta(0, 0), 0);
  EXPECT_EQ(gaussian_delta(0, 1), 0);
  EXPECT_NEAR(gaussian_delta(0, -1), 1 - std::exp(-1), 1e-11);
}

TEST(GaussianProfile, StaysABoundAtTheEndsOfTheNumberRange) {
  EXPECT_GT(gaussian_delta(1e-300, 1), 0);
  EXPECT_LT(gaussian_delta(1e-300, 1), 1e-300);
  EXPECT_GT(gaussian_delta(0.01, 10), 0);  // e^-500000
  EXPECT_EQ(gaussian_delta(1e300, 1), 1);
  EXPECT_EQ(gaussian_delta(1e308, 1e308), 1);
  EXPECT_EQ(gaussian_delta(INFINITY, 1), 1);
  EXPECT_NEAR(gaussian_delta(5e-324, 0), 0, 1e-300);
  EXPECT_LT(gaussian_delta(1e-3, 1e308), 1e-300);
}

}  // namespace
}  // namespace tailcoat
