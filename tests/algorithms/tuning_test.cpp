#include "tailcoat/algorithms/tuning.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tailcoat {
namespace {

// a x + b / x has its minimum 2 sqrt(a b) at sqrt(b / a); x y + 1/x + 1/y its minimum 3 at (1, 1).
TEST(Tuning, FindsTheMinimumOfAPosynomial) {
  for (const double scale : {1e-8, 1.0, 1e8}) {
    std::vector<double> logs = {0};
    const double least = minimise_posynomial(
        [&](std::span<const double> at) { return scale * std::exp(at[0]) + std::exp(-at[0]) / scale; }, logs);
    EXPECT_NEAR(least, 2, 1e-6);
    EXPECT_NEAR(logs[0], -std::log(scale), 1e-3);
  }
  std::vector<double> logs = {5, -3};
  const double least = minimise_posynomial(
      [](std::span<const double> at) { return std::exp(at[0] + at[1]) + std::exp(-at[0]) + std::exp(-at[1]); }, logs);
  EXPECT_NEAR(least, 3, 0.01);
}

TEST(Tuning, StaysWhereTheBoundIsFinite) {
  std::vector<double> logs = {-5};
  const double least = minimise_posynomial(
      [](std::span<const double> at) {
        return at[0] > -1 ? std::numeric_limits<double>::infinity() : std::exp(-at[0]);
      },
      logs);
  EXPECT_LE(logs[0], -1);
  EXPECT_NEAR(least, std::exp(1), 1e-3);
}

}  // namespace
}  // namespace tailcoat
