// Where the gradients of a descent point to together, which is nearer than its last iterate, and how far that may be
// off. In standardised coefficients, the intercept last. Derivation: adaptive.md, "Settling" and "Standard errors".
#pragma once

#include "tailcoat/algorithms/problem.hpp"
#include "tailcoat/estimators/descent.hpp"
#include "tailcoat/estimators/uncertainty.hpp"

namespace tailcoat {

struct Settled {
  Eigen::VectorXd values;
  Errors errors;
};

// The noise of the gradients is known. The sampling error follows from the second moment of the gradients, which is
// released at `cost` where it can be told from its own noise, and from their mean square otherwise.
Result<Settled> settle(const Descent&, const Whitening&, const LabelledData&, Gdp cost, RunContext, Outlet);

}  // namespace tailcoat
