#include "experiments/statistics.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <vector>

namespace tailcoat::experiments {
namespace {

TEST(Statistics, ClopperPearsonInvertsTheBinomial) {
  for (const std::uint64_t hits : {1u, 7u, 50u, 99u}) {
    const double lower = probability_above(hits, 100, 0.99), upper = probability_below(hits, 100, 0.99);
    const auto successes = static_cast<double>(hits);
    EXPECT_NEAR(boost::math::cdf(boost::math::complement(boost::math::binomial(100, lower), successes - 1)), 0.01,
                1e-10);
    EXPECT_NEAR(boost::math::cdf(boost::math::binomial(100, upper), successes), 0.01, 1e-10);
  }
  EXPECT_EQ(probability_above(0, 100, 0.99), 0);
  EXPECT_EQ(probability_below(100, 100, 0.99), 1);
  EXPECT_NEAR(probability_below(0, 100, 0.99), 1 - std::pow(0.01, 0.01), 1e-12);
}

TEST(Statistics, SlopesOfPowerLaws) {
  std::vector<LogLogPoint> points;
  for (double n = 100; n < 1e6; n *= 3) points.push_back({n, 5 * std::pow(n, -0.625), 0});
  EXPECT_NEAR(log_log_slope(points).value, -0.625, 1e-12);
  points.push_back({1e9, 0, 0});
  points.push_back({1e10, -1, 0});
  EXPECT_NEAR(log_log_slope(points).value, -0.625, 1e-12) << "values that have no logarithm are left out";
  points.push_back({1e7, 1, 100});
  EXPECT_NEAR(log_log_slope(points).value, -0.625, 1e-2) << "a point that is not known counts little";
  EXPECT_EQ(log_log_slope(std::span(points).first(1)).value, 0);
}

TEST(Statistics, MeansHaveStandardErrors) {
  const std::vector<double> values{1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(mean_of(values).value, 2.5);
  EXPECT_NEAR(mean_of(values).standard_error, std::sqrt(5.0 / 12), 1e-12);
  EXPECT_EQ(mean_of(std::span(values).first(1)).standard_error, 0);
}

}  // namespace
}  // namespace tailcoat::experiments
