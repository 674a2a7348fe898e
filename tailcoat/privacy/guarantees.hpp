// The five ways to state a guarantee. Neighbouring data sets differ by the replacement of one record; n is public.
#pragma once

#include <functional>

#include "tailcoat/base/option.hpp"
#include "tailcoat/base/result.hpp"

namespace tailcoat {

struct ApproxDp {
  double epsilon;
  double delta;
};

// delta = 0: what Laplace noise has, and Gaussian noise never.
struct PureDp {
  double epsilon;
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
// The same for a budget that somebody wants to spend: refuses a delta above 0.1, which is no privacy, and a delta of 0,
// which most of the library cannot honour.
Result<ApproxDp> check_budget(ApproxDp);
// The same for runs of an algorithm with a theorem, where delta = 0 stands for pure epsilon-DP.
Result<ApproxDp> check_theorem_budget(ApproxDp);
Result<PureDp> check(PureDp);
Result<Zcdp> check(Zcdp);
Result<Gdp> check(Gdp);

}  // namespace tailcoat
