#include "tailcoat/algorithms/erm_phases.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tailcoat {
namespace {

// Erratum E6: the text has G_k^k / ((k - 1) C^(k - 1)). For L_s just above C, always, all is left out, and the slope
// lost is L_s.
TEST(ErmPhases, ErratumE6TheBiasOfLeavingOutHasConstantOne) {
  const double clip = 2, slope = 2.000001;
  for (const double k : {2.0, 3.0, 6.0}) {
    const Moments moments{k, slope, slope};
    EXPECT_GE(drop_bias(moments, clip), slope);
    if (k > 2) {
      EXPECT_LT(drop_bias(moments, clip) / (k - 1), slope);
    }
  }
}

// Two phases, summed by hand.
TEST(ErmPhases, BoundIsTheSumOfTheProof) {
  Setting setting{.rows = 30, .dimension = 4, .diameter = 2, .start_distance = 1.5, .moments = {3, 1, 2}};
  const std::vector<ErmPhase> phases = {{20, 0.5, {.noise = 0.3, .descent = 0.1}}, {10, 4, {.noise = 0.2}}};
  const double clip = 5, v1 = (0.3 * 25 + 0.1) / 0.25, v2 = 0.2 * 25 / 16;
  const double error = 0.5 * 2.25 / 2 + 2 / (0.5 * 20) + 4 * v1 / 2 + 2 / (4 * 10.0) + std::sqrt(v2);
  EXPECT_NEAR(erm_bound(setting, clip, phases), error + 8 / 25.0 * 2, 1e-12);

  setting.strong_convexity = 1;
  const double w1 = (0.3 * 25 + 0.1) / 2.25, w2 = 0.2 * 25 / 25;
  const double strong = 0.5 * 2.25 / 2 + 2 / (1.5 * 20) + 4 * w1 / 2 + 2 / (5 * 10.0) + std::sqrt(w2);
  const double b = 8 / 25.0 + 1.5 * 8 / 125;
  EXPECT_NEAR(erm_bound(setting, clip, phases), strong + b * std::min(2.0, b + std::sqrt(2 * strong)), 1e-12);
}

}  // namespace
}  // namespace tailcoat
