#include "tailcoat/estimators/curvature.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tailcoat {
namespace {

constexpr std::size_t kColumns = 25;
constexpr double kRadius = 1.5 * 5;  // 1.5 sqrt(columns)

TEST(MomentCut, LeavesRowsAloneWhereNoiseHidesLittle) {
  const MomentCut cut = moment_cut(kColumns, kRadius, 1e6, {0.1});
  EXPECT_EQ(cut.radius, kRadius);
  EXPECT_EQ(cut.factor, 1);
}

TEST(MomentCut, CutsMoreTheMoreNoiseHides) {
  double before = kRadius;
  for (const double rows : {30'000, 20'000, 15'000, 10'000, 1000, 1}) {
    const MomentCut cut = moment_cut(kColumns, kRadius, rows, {0.1});
    EXPECT_LE(cut.radius, before) << rows;
    before = cut.radius;
    // Rows whose squared norm is the number of columns keep their moments.
    const double kept = std::min(1.0, cut.radius * cut.radius / kColumns);
    EXPECT_NEAR(cut.factor * kept, 1, 1e-12) << rows;
  }
  EXPECT_NEAR(before * before, 0.3 * kRadius * kRadius, 1e-9);
}

// The floor that is left is as promised, or the cut as deep as it gets.
TEST(MomentCut, LowersTheFloorToWhatIsToBeHidden) {
  const double rows = 20'000, mu = 0.1;
  const MomentCut cut = moment_cut(kColumns, kRadius, rows, {mu});
  ASSERT_LT(cut.radius, kRadius);
  EXPECT_NEAR(noise_floor(kColumns, std::sqrt(2.0) * cut.radius * cut.radius / (rows * mu)), 0.15, 1e-12);
}

TEST(Curvature, TheMomentsOfSomeColumnsAreThoseOfTheWhole) {
  const SecondMoment whole{{1, 2, 3, 2, 5, 6, 3, 6, 9}, 0.5};
  const SecondMoment part = moment_of(whole, 3, std::vector<std::size_t>{0, 2});
  EXPECT_EQ(part.matrix, (std::vector<double>{1, 3, 3, 9}));
  EXPECT_EQ(part.noise_scale, 0.5);
  EXPECT_FALSE(is_seen(whole, 3, 0));
  EXPECT_TRUE(is_seen(whole, 3, 1));
}

}  // namespace
}  // namespace tailcoat
