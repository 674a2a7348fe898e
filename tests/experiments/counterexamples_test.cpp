#include "experiments/counterexamples.hpp"

#include <gtest/gtest.h>

namespace tailcoat::experiments {
namespace {

TEST(AppendixB, ClippingMakesAContractionExpand) {
  for (const double distance : {0.01, 0.5, 1.0, 3.0, 50.0}) {
    const auto [before, after] = appendix_b_pair(distance);
    EXPECT_NEAR(before, 1, 1e-12);
    EXPECT_GT(after, 1) << distance;
  }
}

TEST(AppendixB, ExplicitClippedStepsExpandAndGlmAndImplicitOnesDoNot) {
  EXPECT_GT(largest_expansion(StepKind::clipped_quadratic, 50000, 1), 1.05);
  EXPECT_LT(largest_expansion(StepKind::clipped_glm, 50000, 1), 1 + 1e-9);
  EXPECT_LT(largest_expansion(StepKind::implicit_quadratic, 20000, 1), 1 + 1e-9);
}

TEST(AppendixC, SupremumOfTheSquaredMeanDoesNotDecay) {
  for (const std::uint64_t n : {10u, 100u, 1000u}) {
    const auto [supremum, single] = appendix_c_means(n, 300, 1);
    EXPECT_GT(supremum, 0.8) << n;
    EXPECT_LT(single, 2.0 / static_cast<double>(n)) << n;
  }
}

}  // namespace
}  // namespace tailcoat::experiments
