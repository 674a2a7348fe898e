// What an algorithm needs of the loss besides convexity and moments, as data: the catalogue refuses what lacks it, with
// the same sentence when it plans and when it solves.
#pragma once

#include <string_view>

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

// Of a loss that is no GLM.
enum class OwnLoss {
  none,             // such losses are refused
  gradient,         // the gradient of a sample
  smooth_gradient,  // and a finite smoothness
  implicit_step,    // its implicit step, or a gradient and a finite smoothness, from which the step is computed
};

struct Needs {
  OwnLoss own_loss = OwnLoss::gradient;
  bool strongly_convex_samples = false;  // where strong convexity is promised, it must be that of every sample
};

Result<void> check(const Needs&, std::string_view algorithm, const Setting&);

}  // namespace tailcoat
