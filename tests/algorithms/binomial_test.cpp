#include "tailcoat/algorithms/binomial.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tailcoat {
namespace {

TEST(Binomial, TailsAreThoseOfTheDefinition) {
  EXPECT_NEAR(binomial_tail(10, 10, 0.3), std::pow(0.3, 10), 1e-18);
  EXPECT_NEAR(binomial_tail(4, 3, 0.5), 5.0 / 16, 1e-14);
  EXPECT_NEAR(binomial_tail(5, 2, 0.25), 1 - std::pow(0.75, 5) - 5 * 0.25 * std::pow(0.75, 4), 1e-14);
}

// The sum of the upper tail and of the lower one, as an upper tail of the failures, is 1.
TEST(Binomial, BothTailsMakeOne) {
  EXPECT_NEAR(binomial_tail(1001, 501, 0.5) + binomial_tail(1001, 501, 0.5), 1, 1e-11);
}

}  // namespace
}  // namespace tailcoat
