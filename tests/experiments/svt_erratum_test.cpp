#include "experiments/svt_erratum.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "experiments/statistics.hpp"

namespace tailcoat::experiments {
namespace {

constexpr SvtForm kForms[] = {SvtForm::published, SvtForm::corrected};
constexpr SvtWorld kWorlds[] = {SvtWorld::with_record, SvtWorld::without_record};

// Two ways to the same probabilities: running the pseudocode, and integrating. 1e-6 of false alarm each.
TEST(SvtErratum, SimulationAgreesWithTheExactProbabilities) {
  for (const int headroom : {14, 40, 62}) {
    for (const SvtForm form : kForms) {
      for (const SvtWorld world : kWorlds) {
        SvtInstance instance;
        instance.headroom = headroom;
        const std::uint64_t runs = 60000;
        const std::uint64_t hits = simulate_no_halt(instance, form, world, runs, 11);
        const double exact = exact_no_halt(instance, form, world);
        EXPECT_LE(probability_above(hits, runs, 1 - 1e-6), exact) << headroom;
        EXPECT_GE(probability_below(hits, runs, 1 - 1e-6), exact) << headroom;
      }
    }
  }
}

TEST(ErratumE2, RefreshedThresholdBreaksTheGuarantee) {
  const SvtInstance instance;
  const double with = exact_no_halt(instance, SvtForm::published, SvtWorld::with_record);
  const double without = exact_no_halt(instance, SvtForm::published, SvtWorld::without_record);
  EXPECT_NEAR(with, 1.60e-3, 0.02e-3);
  EXPECT_NEAR(without, 1.03e-2, 0.02e-2);
  EXPECT_GT(least_delta(with, without, instance.epsilon), 5.5e-3);
  EXPECT_GT(least_delta(with, without, instance.epsilon), 1000 * instance.delta);
}

TEST(ErratumE2, KeptThresholdHoldsAtEveryHeadroom) {
  for (const int block : {20, 60}) {
    for (int headroom = 1; headroom <= 2 * block + 20; headroom += 7) {
      SvtInstance instance;
      instance.block = block;
      instance.headroom = headroom;
      const double with = exact_no_halt(instance, SvtForm::corrected, SvtWorld::with_record);
      const double without = exact_no_halt(instance, SvtForm::corrected, SvtWorld::without_record);
      EXPECT_LE(least_delta(with, without, instance.epsilon), 1e-14) << block << ' ' << headroom;
      EXPECT_LE(without / with, std::exp(instance.epsilon / 3) * (1 + 1e-9)) << "the count alone may cost";
    }
  }
}

TEST(SvtErratum, LeastDeltaLooksAtBothEventsAndBothDirections) {
  EXPECT_EQ(least_delta(0.5, 0.5, 0.1), 0);
  EXPECT_NEAR(least_delta(0.5, 0.1, 1), 0.5 - 0.1 * std::exp(1), 1e-15);
  EXPECT_NEAR(least_delta(0.1, 0.5, 1), 0.5 - 0.1 * std::exp(1), 1e-15);
  EXPECT_NEAR(least_delta(0.5, 0.9, 1), 0.5 - 0.1 * std::exp(1), 1e-15);
  EXPECT_NEAR(least_delta(0.9, 0.5, 1), 0.5 - 0.1 * std::exp(1), 1e-15);
}

TEST(SvtErratum, TruncationIsFarBelowTheClaimedDelta) {
  const SvtInstance instance;
  EXPECT_LT((1 + std::exp(instance.epsilon)) * svt_truncation(instance), instance.delta / 100);
}

}  // namespace
}  // namespace tailcoat::experiments
