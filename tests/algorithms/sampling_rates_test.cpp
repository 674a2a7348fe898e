#include "tailcoat/algorithms/sampling_rates.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tailcoat/privacy/conversions.hpp"
#include "tailcoat/privacy/sampled_gaussian.hpp"

namespace tailcoat {
namespace {

// Between the powers of 8 too, from 8 steps on: where rows are drawn a few times only and where they are drawn often.
TEST(SamplingRates, AreNearThoseThatAreAccounted) {
  for (const ApproxDp budget : {ApproxDp{0.1, 1e-6}, ApproxDp{1, 1e-6}, ApproxDp{1, 1e-10}, ApproxDp{8, 1e-6}}) {
    const SamplingRates rates(budget, *to_gdp(budget));
    for (const double ratio : {0.8, 1.3})
      for (const std::size_t steps : {20u, 180u, 1500u, 12'000u, 1'000'000u}) {
        const double accounted = *largest_sampling_rate(budget, ratio, steps);
        EXPECT_NEAR(rates(ratio, static_cast<double>(steps)) / accounted, 1, 0.08)
            << budget.epsilon << ' ' << budget.delta << ' ' << ratio << ' ' << steps;
      }
  }
}

TEST(SamplingRates, AreThoseOfAllRowsWhereThereAreFewSteps) {
  const ApproxDp budget{30, 1e-3};
  const SamplingRates rates(budget, *to_gdp(budget));
  EXPECT_DOUBLE_EQ(rates(0.8, 1), 1);
  EXPECT_LT(rates(0.8, 1e4), 1);
}

}  // namespace
}  // namespace tailcoat
