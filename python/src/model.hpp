// FittedModel: a model as Python holds it: a whole fit, or what a model file has of one.
#pragma once

#include "tailcoat/estimators/fit.hpp"

namespace tailcoat::python {

struct FittedModel {
  Fit fit;
  bool from_fit = true;  // false: read from a model file, which says nothing of the fit's limits
};

}  // namespace tailcoat::python
