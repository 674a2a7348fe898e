#include "tailcoat/fit/shape.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "fitting.hpp"

namespace tailcoat {
namespace {

// Rows (a, b, 1) with correlated a and b of mean (1, 0).
Shape shape_of(std::size_t rows, Gdp cost, double correlation) {
  Random random(1);
  std::vector<double> cells;
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = normal(random), b = correlation * a + std::sqrt(1 - correlation * correlation) * normal(random);
    cells.insert(cells.end(), {1 + a, b, 1});
  }
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(7);
  auto meter = *PrivacyMeter::open(ApproxDp{100, 1e-6}, {});
  const auto data = *engine.load(RowsOf<double>{cells.data(), rows, 3, 3});
  auto shape = release_shape(engine, data, 6, true, cost, {meter, noise}, "moments");
  EXPECT_TRUE(shape.ok()) << shape.error().message;
  return *shape;
}

TEST(Shape, MakesSecondMomentsTheIdentityWhereNoiseIsLittle) {
  const Shape shape = shape_of(20000, Gdp{3}, 0.8);
  EXPECT_LT((shape.map.transpose() * shape.moment * shape.map - Eigen::Matrix3d::Identity()).norm(), 1e-9);
  EXPECT_LT((shape.map * shape.inverse - Eigen::Matrix3d::Identity()).norm(), 1e-9);
  EXPECT_EQ(shape.curvature, Eigen::VectorXd::Ones(3));
  EXPECT_NEAR(shape.mean_row[0], 1, 0.05);
  EXPECT_NEAR(shape.mean_row[1], 0, 0.05);
  EXPECT_NEAR(shape.mean_row[2], 1, 1e-9);
  EXPECT_NEAR(shape.margin_variance(Eigen::Vector3d(2, 0, 5)), 4, 0.2) << "a constant adds none";
  EXPECT_NEAR(shape.margin_variance(Eigen::Vector3d(1, 1, 0)), 2 + 2 * 0.8, 0.2);
}

TEST(Shape, WhatNoiseHidesHasLessCurvature) {
  const Shape shape = shape_of(300, Gdp{0.1}, 0.8);
  EXPECT_LT(shape.curvature.minCoeff(), 1);
  EXPECT_GT(shape.curvature.minCoeff(), 0.3);
  EXPECT_GT(shape.curvature_noise.maxCoeff(), 0.1);
}

}  // namespace
}  // namespace tailcoat
