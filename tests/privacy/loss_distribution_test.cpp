#include "tailcoat/privacy/loss_distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tailcoat {
namespace {

double total_probability(const std::vector<LossAtom>& atoms) {
  double sum = 0;
  for (const LossAtom& atom : atoms) sum += atom.probability;
  return sum;
}

// E[e^-loss] is the other distribution's total probability: 1, and less the further losses were rounded up.
double other_probability(const std::vector<LossAtom>& atoms) {
  double sum = 0;
  for (const LossAtom& atom : atoms) sum += atom.probability * std::exp(-atom.loss);
  return sum;
}

TEST(LossDistribution, OfOneEventIsRandomisedResponse) {
  const auto atoms = *loss_distribution({{0.5, 1}});
  ASSERT_EQ(atoms.size(), 2u);
  EXPECT_EQ(atoms[0].loss, -0.5);
  EXPECT_EQ(atoms[1].loss, 0.5);
  EXPECT_NEAR(atoms[1].probability, std::exp(0.5) / (1 + std::exp(0.5)), 1e-15);
  EXPECT_NEAR(atoms[0].probability, 1 / (1 + std::exp(0.5)), 1e-15);
}

TEST(LossDistribution, OfNoEventsIsNoLoss) {
  const auto atoms = *loss_distribution({});
  ASSERT_EQ(atoms.size(), 1u);
  EXPECT_EQ(atoms[0].loss, 0);
  EXPECT_EQ(atoms[0].probability, 1);
}

TEST(LossDistribution, EqualEventsMergeIntoABinomial) {
  const auto atoms = *loss_distribution({{0.25, 4}});
  ASSERT_EQ(atoms.size(), 5u);
  const double p = 1 / (1 + std::exp(-0.25));
  EXPECT_EQ(atoms[3].loss, 0.5);
  EXPECT_NEAR(atoms[3].probability, 4 * p * p * p * (1 - p), 1e-15);
}

TEST(LossDistribution, DescribesAPairOfProbabilityDistributions) {
  for (const EpsilonCounts& counts : {EpsilonCounts{{0.1, 1000}}, EpsilonCounts{{0.1, 3}, {0.2, 5}, {1.5, 2}},
                                      EpsilonCounts{{1e-8, 4000}}, EpsilonCounts{{30, 2}}}) {
    const auto atoms = *loss_distribution(counts);
    EXPECT_NEAR(total_probability(atoms), 1, kLossDistributionMargin);
    EXPECT_NEAR(other_probability(atoms), 1, kLossDistributionMargin);
  }
}

TEST(LossDistribution, MergesIntoTheGreaterLossWhenThereAreTooMany) {
  const auto atoms = *loss_distribution({{0.01, 1000}, {0.011, 1000}, {0.012, 300}});
  EXPECT_LE(atoms.size(), 4096u);
  EXPECT_DOUBLE_EQ(atoms.back().loss, 1000 * 0.01 + 1000 * 0.011 + 300 * 0.012);  // the greatest loss is kept as it is
  EXPECT_NEAR(total_probability(atoms), 1, kLossDistributionMargin);
  EXPECT_LT(other_probability(atoms), 1);     // pessimistic,
  EXPECT_GT(other_probability(atoms), 0.98);  // by a bin or so: 49.2 / 4096 twice
}

TEST(LossDistribution, LeavesMultitudesToTheRenyiCurve) {
  EXPECT_FALSE(loss_distribution({{0.1, 1'000'000}}));
  EXPECT_FALSE(loss_distribution({{1e308, 4000}}));
  EpsilonCounts many;
  for (int i = 1; i <= 100; ++i) many[0.01 * i] = 1;
  EXPECT_FALSE(loss_distribution(many));
}

TEST(LossDistribution, SurvivesEpsilonsWhoseOddsOverflow) {
  const auto atoms = *loss_distribution({{2000, 3}});
  EXPECT_EQ(atoms.back().loss, 6000);
  EXPECT_NEAR(atoms.back().probability, 1, 1e-12);
  for (const LossAtom& atom : atoms) EXPECT_GT(atom.probability, 0);
}

}  // namespace
}  // namespace tailcoat
