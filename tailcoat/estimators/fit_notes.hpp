// What a reader of a fit's coefficients has to know about which of them there are.
#pragma once

#include <string>
#include <vector>

#include "tailcoat/estimators/model.hpp"

namespace tailcoat {

// On tails that no part of the model has, and on numbers that bend. From the model alone, which is released.
std::vector<std::string> notes_on_features(const Model&);

}  // namespace tailcoat
