// From standardised coefficients to a model in the units of the file.
#pragma once

#include "tailcoat/estimators/fit.hpp"
#include "tailcoat/fit/posterior.hpp"
#include "tailcoat/fit/terms.hpp"

namespace tailcoat {

// `unit` is how the fit has seen the target, `curve` in its units.
LinearPart assemble(const Posterior&, const Terms&, const Feature& unit, const Curve& curve, double confidence);

// Errors of the margin of a row, in the units of the file, and how they change with the budget.
void report_limits(Fit&, const Posterior&, const Shape&, double unit, double clipped_share, double share_of_parts);

}  // namespace tailcoat
