#include "tailcoat/fit/evidence.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "fitting.hpp"
#include "tailcoat/fit/prior.hpp"

namespace tailcoat {
namespace {

Shape plain_shape(Eigen::Index d) {
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(d, d);
  return {one, one, one, Eigen::VectorXd::Ones(d), Eigen::VectorXd::Zero(d), Eigen::VectorXd::Unit(d, d - 1)};
}

Evidence evidence_of(std::vector<ReleasedGradient> gradients) {
  Evidence evidence;
  evidence.rows = 1e6;
  evidence.start = Eigen::VectorXd::Zero(gradients[0].at.size());
  evidence.gradients = std::move(gradients);
  evidence.loss = SquaredLoss{};
  evidence.mean_square = 1;
  return evidence;
}

TEST(Evidence, AGradientSaysWhereTheLossIsLeast) {
  const Eigen::Vector2d at(1, 2), optimum(3, -1);
  const Optimum found = optimum_of(evidence_of({{at, at - optimum, 1e-3, 1}}), plain_shape(2));
  EXPECT_LT((found.value - optimum).norm(), 1e-9);
}

TEST(Evidence, AllGradientsTogetherHaveTheNoiseOfOneForAllTheBudget) {
  const Eigen::Vector2d at(1, 2), gradient(0.01, 0);
  const Optimum one = optimum_of(evidence_of({{at, gradient, 0.1, 1}}), plain_shape(2));
  const Optimum four = optimum_of(evidence_of({4, {at, gradient, 0.2, 1}}), plain_shape(2));
  EXPECT_NEAR(four.variance[0], one.variance[0], 0.1 * one.variance[0]);
}

TEST(Evidence, FarGradientsCountLessWhereTheCurvatureIsUncertain) {
  Shape shape = plain_shape(2);
  shape.curvature_noise = Eigen::Vector2d(0.5, 0.5);
  const Eigen::Vector2d near(0.1, 0), far(10, 0);
  // The far one is wrong about the curvature; both have the same noise.
  const Optimum found = optimum_of(evidence_of({{far, 0.5 * far, 0.01, 1}, {near, near, 0.01, 1}}), shape);
  EXPECT_LT(std::abs(found.value[0]), 0.3);
}

TEST(Evidence, GathersUntilTheOptimumIsKnown) {
  Random random(3);
  constexpr std::size_t kRows = 40000;
  std::vector<double> cells, labels;
  for (std::size_t i = 0; i < kRows; ++i) {
    const double a = normal(random), b = 0.9 * a + 0.4 * normal(random);
    cells.insert(cells.end(), {a, b, 1});
    labels.push_back(1 + a - 2 * b + normal(random));
  }
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(7);
  auto meter = *PrivacyMeter::open(ApproxDp{10, 1e-6}, {});
  const Outlet outlet{meter, noise};
  const auto rows = *engine.load(RowsOf<double>{cells.data(), kRows, 3, 3});
  const Shape shape = *release_shape(engine, rows, 6, false, meter.share(0.2), outlet, "moments");
  std::vector<double> whitened(3 * kRows);
  for (std::size_t i = 0; i < kRows; ++i)
    Eigen::Vector3d::Map(&whitened[3 * i]) = shape.map.transpose() * Eigen::Vector3d::Map(&cells[3 * i]);
  const auto data = *engine.load(RowsOf<double>{whitened.data(), kRows, 3, 3}, labels);
  std::size_t steps = 0;
  const auto evidence = gather({engine, noise}, outlet, data, SquaredLoss{}, shape,
                               {.start = Eigen::Vector3d::Zero(),
                                .labelled = kRows,
                                .steps = 8,
                                .looks = 3,
                                .gradients = meter.share(0.5),
                                .norms = meter.share(0.05)},
                               [&] { return ++steps < 100; });
  ASSERT_TRUE(evidence.ok()) << evidence.error().message;
  EXPECT_EQ(steps, 8u);
  EXPECT_EQ(evidence->gradients.size(), 8u);
  const Eigen::VectorXd found = shape.map * best_point(*evidence, shape);
  EXPECT_NEAR(found[0], 1, 0.1);
  EXPECT_NEAR(found[1], -2, 0.1);
  EXPECT_NEAR(found[2], 1, 0.05);
}

}  // namespace
}  // namespace tailcoat
