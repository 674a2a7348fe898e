#include "tailcoat/estimators/strength.hpp"

#include <gtest/gtest.h>

namespace tailcoat {
namespace {

// rows * mu = 150, which is 10 for each of ten columns and five more.
const Strength kWeak(SquaredLoss{}, 1500, Gdp{0.1});

TEST(Strength, SaysWhatSlopesLack) {
  EXPECT_EQ(kWeak.lacks_for_columns(13), "");  // 8 * 18 = 144
  EXPECT_EQ(
      kWeak.lacks_for_columns(14),
      "constant model: the data's strength, rows * mu, is 150 and too little for 14 columns; slopes take 152, that "
      "is more rows, a larger epsilon or fewer columns");
  EXPECT_EQ(kWeak.lacks_for_features(20), "");  // 6 * 25
  EXPECT_NE(kWeak.lacks_for_features(21), "");
  EXPECT_NE(Strength(LogisticLoss{}, 1500, Gdp{0.1}).lacks_for_features(14), "")
      << "an error of the margin is a factor";
}

TEST(Strength, OfAQuantileIsThatOfItsRows) {
  EXPECT_EQ(Strength(QuantileLoss{0.5}, 1500, Gdp{0.1}).lacks_for_columns(13), "");
  EXPECT_NE(Strength(QuantileLoss{0.9}, 1500, Gdp{0.1}).lacks_for_columns(1), "");
}

TEST(Strength, RareClassesTakeMore) {
  const Strength classes(LogisticLoss{}, 1500, Gdp{0.1});
  EXPECT_FALSE(classes.is_too_rare(0.25, 11));  // 9 * 16 = 144
  EXPECT_TRUE(classes.is_too_rare(0.25, 12));
  EXPECT_TRUE(classes.is_too_rare(0.1, 11));
  EXPECT_FALSE(kWeak.is_too_rare(0.1, 1000)) << "numbers have no rare class";
}

TEST(Strength, ASecondSlopeTakesMoreThanTheFirst) {
  const Strength enough(SquaredLoss{}, 2800, Gdp{0.1});  // 40 * (2 + 5)
  EXPECT_TRUE(enough.pays_bends(2));
  EXPECT_FALSE(enough.pays_bends(3));
  EXPECT_FALSE(kWeak.pays_bends(1));
}

TEST(Strength, TailsThatAreNotSeenAreTriedOnlyWithMuchOfIt) {
  EXPECT_TRUE(Strength(SquaredLoss{}, 13501, Gdp{0.1}).pays_suspicion(2));  // 150 * (2 * 2 + 5)
  EXPECT_FALSE(Strength(SquaredLoss{}, 13499, Gdp{0.1}).pays_suspicion(2));
  EXPECT_FALSE(Strength(PoissonLoss{}, 1e9, Gdp{0.1}).pays_suspicion(1)) << "a step too far is a factor";
}

TEST(Strength, FitsOfClassesAndCountsHaveTheirLevelReleased) {
  for (const double rows : {1500.0, 1e6}) {
    const Shares classes = Strength(LogisticLoss{}, rows, Gdp{0.1}).shares(12);
    const Shares counts = Strength(PoissonLoss{}, rows, Gdp{0.1}).shares(12);
    EXPECT_EQ(classes.level, 0.02);
    EXPECT_EQ(classes.level_of_constant, 0) << "their counts are known";
    EXPECT_EQ(counts.level, 0.02);
    EXPECT_EQ(counts.level_of_constant, 0.01);
  }
}

TEST(Strength, TheLevelOfNumbersIsCheapWhereThereIsStrength) {
  const auto level = [](double rows) { return Strength(SquaredLoss{}, rows, Gdp{0.1}).shares(2).level; };
  EXPECT_EQ(level(8000), 0.03);
  EXPECT_DOUBLE_EQ(level(30000), 0.01);
  EXPECT_EQ(level(1e7), 0.003);
  EXPECT_EQ(Strength(SquaredLoss{}, 1500, Gdp{0.1}).shares(12).level, 0.05) << "and dearer where there is little";
}

// Everything but the gradients, with the most that a target may take and clips and levels counted twice: they need some
// of the budget in any case.
TEST(Strength, SharesLeaveRoomForGradients) {
  for (const std::size_t columns : {2u, 12u}) {
    const Shares shares = kWeak.shares(columns);
    EXPECT_EQ(shares.level_of_constant > 0, columns == 12);
    const double others = shares.columns + 0.3 + shares.curvature + 2 * shares.clips + shares.errors + shares.choice +
                          2 * shares.level + shares.diagnosis;
    EXPECT_LT(others, 0.95) << columns;
  }
  EXPECT_LE(Strength(SquaredLoss{}, 1, Gdp{0.1}).target_share(false), 0.3);
  EXPECT_LE(Strength(SquaredLoss{}, 1, Gdp{0.1}).target_share(true), 0.7);
}

}  // namespace
}  // namespace tailcoat
