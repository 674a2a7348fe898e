// The private second-moment matrix (1/n) sum_i a_i a_i^T of rows clipped to a ball, with independent Gaussian noise on
// the upper triangle: standard deviation sigma on the diagonal and sigma / sqrt(2) off it. Symmetric, but not
// necessarily positive semidefinite.
#pragma once

#include <span>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/mechanisms/outlet.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

struct SecondMoment {
  std::vector<double> matrix;  // d x d, both triangles
  double noise_scale;          // sigma, of a diagonal entry
};

Result<SecondMoment> second_moment(Engine&, const RowData&, double radius, Gdp cost, Outlet,
                                   const char* what = "second-moment matrix");

// The same of the gradients of the samples at x, clipped to norm `clip`; weights are taken into account.
Result<SecondMoment> gradient_second_moment(Engine&, const Samples&, std::span<const double> x, double clip, Gdp cost,
                                            Outlet);

}  // namespace tailcoat
