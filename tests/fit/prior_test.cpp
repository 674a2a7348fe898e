#include "tailcoat/fit/prior.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace tailcoat {
namespace {

constexpr double kFree = std::numeric_limits<double>::quiet_NaN();

// y_j = theta_j + noise of variance `noise`, as normal equations.
NormalEquations seen_directly(const Eigen::VectorXd& y, double noise) {
  return {Eigen::MatrixXd::Identity(y.size(), y.size()) / noise, y / noise};
}

TEST(Prior, ThePosteriorIsThatOfNormalLaws) {
  const Eigen::VectorXd y = Eigen::Vector3d(1, -2, 0.5), variances = Eigen::Vector3d(4, 1, 0.25);
  const Belief belief = posterior_of(seen_directly(y, 1), variances);
  for (Eigen::Index j = 0; j < 3; ++j) {
    EXPECT_NEAR(belief.mean[j], variances[j] / (variances[j] + 1) * y[j], 1e-12);
    EXPECT_NEAR(belief.covariance(j, j), variances[j] / (variances[j] + 1), 1e-12);
  }
}

TEST(Prior, CorrelatedEvidenceIsTheSameAsItsSolution) {
  Eigen::MatrixXd information(2, 2);
  information << 2, 1.5, 1.5, 2;
  const Eigen::Vector2d response(1, -1), variances(0.5, 2);
  const Belief belief = posterior_of({information, response}, variances);
  const Eigen::MatrixXd precision = information + Eigen::MatrixXd(variances.cwiseInverse().asDiagonal());
  EXPECT_LT((belief.mean - precision.inverse() * response).norm(), 1e-12);
  EXPECT_LT((belief.covariance - precision.inverse()).norm(), 1e-12);
}

TEST(Prior, EffectsThatAreNoneAreShrunkToNothing) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Eigen::VectorXd y(40);
  for (double& each : y) each = 0.1 * normal(random);
  const Eigen::VectorXd fixed = Eigen::VectorXd::Constant(40, kFree);
  const NormalEquations equations = seen_directly(y, 0.01);
  const Belief belief =
      posterior_of(equations, effect_variances(equations, std::vector<std::size_t>(40, 0), fixed, 1e-3));
  EXPECT_LT(belief.mean.squaredNorm(), 0.3 * y.squaredNorm());
}

TEST(Prior, AFewLargeEffectsAmongManyThatAreNoneAreKept) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  Eigen::VectorXd y(40);
  for (double& each : y) each = 0.1 * normal(random);
  y[3] += 1;
  y[17] -= 1;
  const NormalEquations equations = seen_directly(y, 0.01);
  const Eigen::VectorXd fixed = Eigen::VectorXd::Constant(40, kFree);
  const Belief belief =
      posterior_of(equations, effect_variances(equations, std::vector<std::size_t>(40, 0), fixed, 1e-3));
  EXPECT_NEAR(belief.mean[3], y[3], 0.05);
  EXPECT_NEAR(belief.mean[17], y[17], 0.05);
  Eigen::VectorXd rest = belief.mean, of_rest = y;
  for (const Eigen::Index j : {3, 17}) rest[j] = of_rest[j] = 0;
  EXPECT_LT(rest.squaredNorm(), 0.7 * of_rest.squaredNorm());
}

TEST(Prior, AGroupWithoutEffectsIsShrunkMoreThanOneThatHasThem) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Eigen::VectorXd y(40);
  std::vector<std::size_t> group(40);
  for (Eigen::Index j = 0; j < 40; ++j) {
    group[static_cast<std::size_t>(j)] = j < 20 ? 0 : 1;
    y[j] = 0.1 * normal(random) + (j < 20 ? 0.3 * normal(random) : 0);
  }
  const NormalEquations equations = seen_directly(y, 0.01);
  const Eigen::VectorXd variances = effect_variances(equations, group, Eigen::VectorXd::Constant(40, kFree), 1e-3);
  EXPECT_GT(variances.head(20).mean(), 5 * variances.tail(20).mean());
}

TEST(Prior, AFixedVarianceStays) {
  const Eigen::VectorXd y = Eigen::Vector3d(5, 0.1, -0.1), fixed = Eigen::Vector3d(9, kFree, kFree);
  EXPECT_EQ(effect_variances(seen_directly(y, 1), {0, 0, 0}, fixed, 0.1)[0], 9);
}

TEST(Prior, ShrinksCoordinatesByOneVariance) {
  const Eigen::VectorXd y = Eigen::Vector4d(1, 1, 1, 1), factor = Eigen::Vector4d(1, 1, 0.1, 1),
                        variance = Eigen::Vector4d(1e-6, 1, 1e-6, 1e6);
  const Eigen::VectorXd found = shrunk(y, factor, variance, 1);
  EXPECT_NEAR(found[0], 1, 1e-3) << "seen without noise";
  EXPECT_LT(found[1], 1);
  EXPECT_NEAR(found[2], 10, 0.1) << "a tenth of it was seen";
  EXPECT_NEAR(found[3], 0, 1e-2) << "hidden by noise";
}

}  // namespace
}  // namespace tailcoat
