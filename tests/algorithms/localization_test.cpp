#include "tailcoat/algorithms/localization.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tailcoat/algorithms/tuning.hpp"

namespace tailcoat {
namespace {

TEST(Localization, LambdasAreTheBest) {
  const std::vector<double> spreads = {0.02, 0.05, 0.07, 0.3};
  const std::vector<double> lambdas = best_lambdas(spreads, 0.7, 2.5);
  std::vector<double> logs(4, 0.0);
  const double found = minimise_posynomial(
      [&](std::span<const double> at) {
        std::vector<double> tried;
        for (const double log : at) tried.push_back(std::exp(log));
        return localization_bound(tried, spreads, 0.7, 2.5);
      },
      logs);
  const double best = localization_bound(lambdas, spreads, 0.7, 2.5);
  EXPECT_LE(best, found * (1 + 1e-9));
  EXPECT_NEAR(best, lambdas[0] * 0.7 * 0.7, 1e-9 * best);  // twice its first term
  EXPECT_GT(best, 0.9 * found);
}

TEST(Localization, E7SumsAreThoseOfTheProof) {
  const double d = 2, delta = 0.01, lambda = delta / d;
  for (const double growth : {8.0, 32.0}) {
    std::vector<double> lambdas, spreads;
    for (double i = 1; i <= 30; ++i) {
      lambdas.push_back(lambda * std::pow(growth, i));
      spreads.push_back(delta * std::pow(growth == 8 ? 2 : 4, i));
    }
    // The text says D Delta for 32; it is 32 D Delta, and 8 D Delta for errors that only double.
    EXPECT_NEAR(localization_bound(lambdas, spreads, d, 1), growth * d * delta, 1e-6 * growth * d * delta);
  }
}

}  // namespace
}  // namespace tailcoat
