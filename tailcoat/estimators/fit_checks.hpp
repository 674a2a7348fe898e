// What can be told of a fit before any row is looked at: whether it can be served, and what must be reserved for it.
// And of its model afterwards: whether it can be passed on.
#pragma once

#include <vector>

#include "tailcoat/estimators/fit.hpp"
#include "tailcoat/privacy/event.hpp"

namespace tailcoat {

inline bool is_count(const Loss& loss) { return std::holds_alternative<PoissonLoss>(loss); }
// e^margin is what is predicted, so that an error of the margin is a factor.
inline bool is_exponential(const Loss& loss) { return is_count(loss) || std::holds_alternative<LogisticLoss>(loss); }

Result<void> check(const Frame&, const FitOptions&);
// Where e^margin is predicted, no single number moves the margin far: the limits of its feature are drawn in.
void limit_effects(Model&);
// The numbers of a model were paid for; one that cannot be used is not passed on.
Result<void> check_finite(const Model&);

// The levels of a text column are found, not given.
bool are_found(const FitOptions&, const Column&);
// The chance, for each column whose levels are found, that a text of a single row shows: all together at most a tenth
// of delta.
double delta_of_levels(const Frame&, const FitOptions&);
std::vector<Event> reserved_events(const Frame&, const FitOptions&);

}  // namespace tailcoat
