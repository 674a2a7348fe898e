// The four ways to state a guarantee. Neighbouring data sets differ by the replacement of one record; n is public.
#pragma once

#include <functional>

#include "tailcoat/base/option.hpp"
#include "tailcoat/base/result.hpp"

namespace tailcoat {

struct ApproxDp {
  double epsilon;
  double delta;
};

struct Zcdp {
  double rho;
};

struct Gdp {
  double mu;  // as hard to tell apart as N(0, 1) from N(mu, 1)
};

// A Renyi curve: divergence of order alpha > 1, for every alpha.
struct Rdp {
  std::function<double(double alpha)> epsilon;
};

inline constexpr NumberOption kEpsilonOption{.name = "epsilon",
                                             .meaning = "privacy loss bound; 1 is usual, less is more private",
                                             .lowest = 0,
                                             .open_below = true};
inline constexpr NumberOption kDeltaOption{.name = "delta",
                                           .meaning = "probability with which the bound may fail; well below 1/n",
                                           .lowest = 0,
                                           .highest = 1,
                                           .open_below = true,
                                           .open_above = true};
inline constexpr NumberOption kRhoOption{.name = "rho", .meaning = "zCDP parameter", .lowest = 0, .open_below = true};
inline constexpr NumberOption kMuOption{.name = "mu", .meaning = "GDP parameter", .lowest = 0, .open_below = true};

Result<ApproxDp> check(ApproxDp);
// The same for a budget that somebody wants to spend: refuses a delta above 0.1, which is no privacy.
Result<ApproxDp> check_budget(ApproxDp);
Result<Zcdp> check(Zcdp);
Result<Gdp> check(Gdp);

}  // namespace tailcoat
