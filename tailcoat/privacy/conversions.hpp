// From one guarantee to another. Every answer errs on the side of privacy, by no more than a change of 3e-13 of delta
// makes: an epsilon or a delta that is claimed is rounded up, a mu or a rho that sets noise is rounded down. Errors are
// usage errors that name the parameter out of range, or a refusal where the answer is not a finite number.
#pragma once

#include "tailcoat/base/result.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

// Gaussian releases: exact, both ways.
Result<double> to_delta(Gdp, double epsilon);  // for epsilon >= 0
Result<double> to_epsilon(Gdp, double delta);  // 0 where delta alone suffices
Result<Gdp> to_gdp(ApproxDp);                  // what Gaussian releases may use of it

// Gaussian releases are exactly (mu^2 / 2)-zCDP.
Result<Zcdp> to_zcdp(Gdp);

// Any mechanism that is known by its zCDP parameter or its Renyi curve only.
Result<double> to_delta(Zcdp, double epsilon);
Result<double> to_epsilon(Zcdp, double delta);
Result<Zcdp> to_zcdp(ApproxDp);
Result<double> to_delta(const Rdp&, double epsilon);
Result<double> to_epsilon(const Rdp&, double delta);

}  // namespace tailcoat
