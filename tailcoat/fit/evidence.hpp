// Evidence: gradients of the mean loss, released one after the other, each at the point that those before it say is
// best. In a coordinate of curvature h a gradient g at x says that the loss is least at x - g / h; all of them together
// say it with the noise of one gradient for the whole budget (fit.md, "Evidence").
#pragma once

#include <Eigen/Dense>
#include <functional>
#include <string>
#include <vector>

#include "tailcoat/algorithms/problem.hpp"
#include "tailcoat/fit/shape.hpp"
#include "tailcoat/mechanisms/outlet.hpp"

namespace tailcoat {

struct ReleasedGradient {
  Eigen::VectorXd at, value;
  double noise;      // standard deviation of a coordinate
  double curvature;  // of the loss, where it was taken
};

struct Evidence {
  double rows;
  Eigen::VectorXd start;
  std::vector<ReleasedGradient> gradients;
  Loss loss;                 // with the parameters that were found on the way
  double clip = 0;           // the last
  double clipped_share = 0;  // of the rows, by that clip
  double mean_square = 0;    // of the clipped gradient norms
  double curvature = 1;      // of the mean loss, per unit of curvature of the rows
};

// curvature .* optimum = value + noise, in each coordinate.
struct Optimum {
  Eigen::VectorXd value, variance;  // of privacy noise and of what is not known of the curvature
};
Optimum optimum_of(const Evidence&, const Shape&);

// Where to take the next gradient: what is known of the optimum, as far as it stands out of its noise.
Eigen::VectorXd best_point(const Evidence&, const Shape&);

struct EvidenceSetting {
  Eigen::VectorXd start;     // in the coordinates of the shape
  double curvature = 1;      // of the loss there
  double labelled;           // rows with a label
  std::size_t steps, looks;  // at the norms of gradients
  Gdp gradients, norms;      // all together
  std::string of{};          // before the names of releases
};

// Calls `tick` before each step; false ends it with an error.
Result<Evidence> gather(RunContext, Outlet, const LabelledData&, const Loss&, const Shape&, const EvidenceSetting&,
                        const std::function<bool()>& tick);

}  // namespace tailcoat
