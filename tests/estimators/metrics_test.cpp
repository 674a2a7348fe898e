#include "tailcoat/estimators/metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tailcoat {
namespace {

TEST(Metrics, QuantilesAreThoseOfTheSortedValues) {
  EXPECT_EQ(quantile_of({3}, 0.5), 3);
  EXPECT_EQ(quantile_of({4, 1}, 0.5), 2.5);
  EXPECT_EQ(quantile_of({5, 1, 3}, 0.5), 3);
  EXPECT_EQ(quantile_of({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_EQ(quantile_of({4, 1, 3, 2}, 1e-9), 1);
  EXPECT_EQ(quantile_of({4, 1, 3, 2}, 1 - 1e-9), 4);
  EXPECT_EQ(quantile_of({10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 0.85), 9);
}

TEST(Metrics, PinballWeighsBothSides) {
  EXPECT_DOUBLE_EQ(pinball(3, 1, 0.9), 1.8);
  EXPECT_DOUBLE_EQ(pinball(1, 3, 0.9), 0.2);
  EXPECT_EQ(pinball(1, 1, 0.9), 0);
}

TEST(Metrics, DevianceIsZeroAtTheMeanAndPositiveElsewhere) {
  EXPECT_EQ(poisson_deviance(3, 3), 0);
  EXPECT_EQ(poisson_deviance(0, 2), 4);
  EXPECT_NEAR(poisson_deviance(2, 1), 2 * (2 * std::log(2) - 1), 1e-15);
}

TEST(Metrics, AreaUnderCurveCountsPairs) {
  EXPECT_EQ(area_under_curve(std::vector<double>{1, 2, 3, 4}, {false, false, true, true}), 1);
  EXPECT_EQ(area_under_curve(std::vector<double>{1, 2, 3, 4}, {true, true, false, false}), 0);
  EXPECT_EQ(area_under_curve(std::vector<double>{1, 1, 1}, {true, false, false}), 0.5);
  EXPECT_EQ(area_under_curve(std::vector<double>{1, 2}, {true, true}), 0.5);
  std::mt19937 random(1);
  std::vector<double> scores;
  std::vector<bool> in_class;
  for (int i = 0; i < 300; ++i) {
    scores.push_back(static_cast<double>(random() % 20));
    in_class.push_back(random() % 3 == 0);
  }
  double pairs = 0, won = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (!in_class[i] || in_class[j]) continue;
      ++pairs;
      won += scores[i] > scores[j] ? 1 : (scores[i] == scores[j] ? 0.5 : 0);
    }
  }
  EXPECT_NEAR(area_under_curve(scores, in_class), won / pairs, 1e-12);
}

}  // namespace
}  // namespace tailcoat
