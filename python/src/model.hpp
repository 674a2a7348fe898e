// FittedModel: a model as Python holds it: a whole fit, or what a model file has of one.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tailcoat/estimators/fit.hpp"

namespace tailcoat::python {

struct FittedModel {
  Fit fit;
  bool from_fit = true;  // false: read from a model file, which says nothing of the fit's limits
};

// What pickle keeps of it: the model's JSON and records of numbers.
using Numbers1 = std::vector<double>;
using Numbers2 = std::vector<Numbers1>;
using State =
    std::tuple<std::string, Numbers1, Numbers1, std::vector<std::pair<double, double>>, bool, bool,
               std::optional<std::tuple<double, double, bool>>, std::optional<std::tuple<Numbers2, Numbers2, double>>>;
State state_of(const FittedModel&);
// Throws a data error if that is no state of this version.
FittedModel model_of_state(const State&);

}  // namespace tailcoat::python
