#include "tailcoat/estimators/uncertainty.hpp"

#include <gtest/gtest.h>

namespace tailcoat {
namespace {

// A number, its tail in a unit twice as large, and the constant.
constexpr Turn kTail{.at = 1, .before = 0, .unit = 2};

Coefficients with_tail(double slope, double tail, double error_of_tail) {
  Coefficients found{Eigen::Vector3d(slope, tail, 1),
                     Eigen::Vector3d(0.01, error_of_tail * error_of_tail, 0.01).asDiagonal()};
  found.covariance(0, 1) = found.covariance(1, 0) = 0.01 * error_of_tail;
  return found;
}

TEST(DropFaint, ATailBecomesFlatOrStraightWhicheverIsNearer) {
  for (const bool straight : {false, true}) {
    SCOPED_TRACE(straight);
    Coefficients found = with_tail(1, straight ? 1.6 : 0.4, 1);
    const Coefficients before = found;
    const Eigen::MatrixXd moves = drop_faint(found, {kTail}).moves;
    EXPECT_NEAR(found.values[1], straight ? 2 * found.values[0] : 0, 1e-12);
    EXPECT_NEAR(found.covariance(1, 1), straight ? 4 * found.covariance(0, 0) : 0, 1e-12);
    EXPECT_GT(found.covariance(0, 0), 0);
    EXPECT_LT(found.covariance(0, 0), before.covariance(0, 0)) << "to know something of the tail tells of the number";
    EXPECT_LT((moves * before.values - found.values).norm(), 1e-12);
    EXPECT_LT((moves * before.covariance * moves.transpose() - found.covariance).norm(), 1e-12);
  }
}

TEST(DropFaint, ATailOfItsOwnStays) {
  for (const double tail : {-1.9, 6.0}) {
    Coefficients found = with_tail(1, tail, 0.5);
    const Coefficients before = found;
    EXPECT_EQ(drop_faint(found, {kTail}).moves, Eigen::MatrixXd::Identity(3, 3));
    EXPECT_EQ(found.values, before.values);
  }
}

// Few rows near the knot may say anything about rows far out.
TEST(DropFaint, ATailTurnsBackNoMoreSteeplyThanAClearSlopeHasCome) {
  Coefficients found = with_tail(5, -40, 0.5);
  const Coefficients before = found;
  const Eigen::MatrixXd moves = drop_faint(found, {kTail}).moves;
  EXPECT_NEAR(found.values[1], -2 * found.values[0], 1e-12);
  EXPECT_GT(found.values[0], 0);
  EXPECT_LT((moves * before.values - found.values).norm(), 1e-12);
  EXPECT_LT((moves * before.covariance * moves.transpose() - found.covariance).norm(), 1e-12);
  Coefficients unclear = with_tail(0.2, -40, 0.5);  // of which nothing is known, one way or the other
  drop_faint(unclear, {kTail});
  EXPECT_EQ(unclear.values[1], -40);
}

TEST(DropFaint, NothingGoesOnWhereTheNumberHasNoSlope) {
  Coefficients found = with_tail(0.2, 0.4, 0.5);
  drop_faint(found, {kTail});
  EXPECT_EQ(found.values[1], 0);  // exactly: the model calls it left out
  EXPECT_EQ(found.covariance(1, 1), 0);
}

}  // namespace
}  // namespace tailcoat
