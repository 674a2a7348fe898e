// Predictor: margins that are linear in rows an engine makes, and what is asked about them beside gradients.
#pragma once

#include "tailcoat/estimators/uncertainty.hpp"
#include "tailcoat/fit/shape.hpp"

namespace tailcoat {

struct Predictor {
  const LabelledData* data;
  const Shape* shape;
  Loss loss;
  Eigen::VectorXd coefficients;  // the last is the intercept

  [[nodiscard]] Eigen::VectorXd point() const { return shape->inverse * coefficients; }
  [[nodiscard]] Eigen::VectorXd of_intercept(double value) const { return value * shape->inverse.rightCols(1); }
  [[nodiscard]] double of_mean_row() const { return shape->mean_row.dot(coefficients); }
};

}  // namespace tailcoat
