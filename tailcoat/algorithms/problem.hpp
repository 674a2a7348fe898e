// What every algorithm takes and gives. An algorithm first plans: from public numbers alone (Setting, Budget, Options)
// it computes its parameters, its work and a certified bound on the excess risk, or refuses because a precondition of
// its theorem fails. Only a plan that stands touches data.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "tailcoat/base/option.hpp"
#include "tailcoat/base/result.hpp"
#include "tailcoat/domains/domain.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/mechanisms/outlet.hpp"
#include "tailcoat/privacy/guarantees.hpp"
#include "tailcoat/privacy/receipt.hpp"

namespace tailcoat {

// Minimise F(x) = E f(x; s) over the domain, given samples of s.
struct Problem {
  Samples samples;
  Domain domain;
  // Promises about every possible sample function on the domain. Where privacy rests on them they are enforced record
  // by record for GLMs; for a loss of the user's own they are taken on trust, as its convexity is.
  double smoothness = std::numeric_limits<double>::infinity();  // beta
  double strong_convexity = 0;                                  // mu
};

// E L_s^j <= G_j^j for j = 2 and j = k, L_s = the Lipschitz constant of f(.; s) on the domain. Public: assumed, not
// looked up in the data.
struct Moments {
  double k;   // >= 2, need not be an integer
  double g2;  // G_2
  double gk;  // G_k >= G_2
};

// Public facts, enough to plan.
struct Setting {
  std::size_t rows;
  std::size_t dimension;
  double diameter;        // D
  double start_distance;  // no point of the domain is further from the start
  Moments moments;
  double smoothness = std::numeric_limits<double>::infinity();
  double strong_convexity = 0;
  bool generalised_linear = true;  // clipping the gradients of a GLM is optimising another convex loss
};

Setting setting_of(const Problem&, const Moments&);
// Refuses what no theorem covers: rows or dimension 0, k < 2, moments that are not positive or not ordered.
Result<void> check(const Setting&);

// (epsilon, delta), or mu-GDP, which is rho-zCDP with mu^2 = 2 rho for everything Gaussian.
using Budget = std::variant<ApproxDp, Gdp>;

// Sampled steps can only be reserved under (epsilon, delta).
Result<PrivacyMeter> open_meter(const Budget&, const std::vector<Event>& reserved = {});
// What Gaussian releases may spend of it.
Result<Gdp> gaussian_budget(const Budget&);
// rho of a mu-GDP budget.
inline double rho_of(Gdp budget) { return budget.mu * budget.mu / 2; }

enum class Constants {
  tight,  // the theorem with its slack removed
  paper,  // the text's parameters
};

struct Options {
  Constants constants = Constants::tight;
  double failure_probability = 0.05;  // of bounds that hold with high probability
  double max_passes = 1000;           // over the data; fewer than the theorem's weaken the certified bound
};

inline constexpr NumberOption kFailureProbabilityOption{.name = "failure-probability",
                                                        .meaning = "chance that the certified bound fails",
                                                        .lowest = 0,
                                                        .highest = 0.5,
                                                        .open_below = true,
                                                        .default_value = 0.05};
inline constexpr NumberOption kMaxPassesOption{.name = "max-passes",
                                               .meaning = "most passes over the data; a theorem may ask for more",
                                               .lowest = 1,
                                               .default_value = 1000};

struct Work {
  double sample_gradients = 0;
  double passes = 0;         // over all the data
  double wanted_passes = 0;  // by the theorem; more than `passes` where max_passes cut it
  // Rows are visited as often whatever is in them; otherwise the numbers are what is usual, and the true ones secret.
  bool fixed = true;
};

// F(x) - F(x*) is at most this: in expectation over data and noise, or with probability 1 - failure_probability.
struct Bound {
  double excess_risk = std::numeric_limits<double>::infinity();
  double failure_probability = 0;  // 0: the bound is on the expectation
};

struct Forecast {
  Bound bound;
  Work work;
};

struct Solution {
  std::vector<double> x;
  Receipt receipt;
  Work work;
  Bound certified;
};

// The noise of a run: from the kernel, or from a seed, for tests and experiments, which the receipt then says.
struct RunContext {
  Engine& engine;
  BitSource& noise;
};

// x, released as a point of the domain: post-processing of start + shift.
Result<std::vector<double>> moved_within(const Domain&, std::span<const double> start, std::span<const double> shift);

}  // namespace tailcoat
