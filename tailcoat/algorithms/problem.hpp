// What every algorithm takes and gives. An algorithm first plans: from public numbers alone (Setting, Budget, Options)
// it computes its parameters, its work and a certified bound on the excess risk, or refuses because a precondition of
// its theorem fails. Only a plan that stands touches data.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
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

// F(x) - F(x*) >= modulus |x - x*|^exponent on the domain, for an exponent >= 2; with a modulus of 0 nothing.
struct Growth {
  double exponent = 2;  // theta
  double modulus = 0;   // alpha
};

// Minimise F(x) = E f(x; s) over the domain, given samples of s.
struct Problem {
  Samples samples;
  Domain domain;
  // Promises about every possible sample function on the domain. Where privacy rests on them they are enforced record
  // by record for GLMs; for a loss of the user's own they are taken on trust, as its convexity is.
  double smoothness = std::numeric_limits<double>::infinity();  // beta
  // mu: of a GLM that of F, on which bounds alone rest, as a function of one margin has none across it. Of another loss
  // that of every sample function; moments then are those of f and of f - (mu / 2) |x - x_0|^2.
  double strong_convexity = 0;
  Growth growth{};  // of F; only bounds rest on it
};

// E L_s^j <= G_j^j for j = 2 and j = k, L_s = the Lipschitz constant of f(.; s) on the domain. Public: assumed, not
// looked up in the data.
struct Moments {
  double k;   // > 1, need not be an integer
  double g2;  // G_2; infinite if k < 2, where only E L_s^k <= G_k^k is assumed
  double gk;  // G_k >= G_2
};

// What there is of a loss that is no GLM (SampleFunctions), as far as plans depend on it.
struct GivenFunctions {
  bool gradient = true;
  bool value = false;
  bool implicit_step = false;
  double step_error = 0;  // of implicit_step
  double gradient_error = 0;
};

inline constexpr NumberOption kStepErrorOption{
    .name = "step-error", .meaning = "how far an implicit step may be off", .lowest = 0, .highest = 1e100};
// What a user states for 1 < k < 2.
inline Moments moments_below_two(double k, double gk) {
  return {.k = k, .g2 = std::numeric_limits<double>::infinity(), .gk = gk};
}

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
  GivenFunctions given{};          // if it is none
  double centre_size = 0;          // the absolute coordinates of the start, added up: rounding grows with it
  Growth growth{};
};

Setting setting_of(const Problem&, const Moments&);
// How F grows: as stated, or by its strong convexity.
Growth growth_of(const Setting&);
// How far the minimiser may be from the start: the mean slope bounds F there, and F grows.
double start_distance_of(const Setting&);

enum class LeastOrder {
  two,        // the theorem needs a second moment
  above_one,  // of generalised linear models it does not
};
// Refuses what the theorem does not cover: rows or dimension 0, moments of too low an order, not positive or not
// ordered.
Result<void> check(const Setting&, LeastOrder = LeastOrder::two);

// (epsilon, delta), or mu-GDP, which is rho-zCDP with mu^2 = 2 rho for everything Gaussian, or pure epsilon-DP.
using Budget = std::variant<ApproxDp, Gdp, PureDp>;

// As users state it: delta = 0 is pure epsilon-DP.
Budget budget_of(ApproxDp stated);

// Sampled steps can only be reserved under (epsilon, delta).
Result<PrivacyMeter> open_meter(const Budget&, const std::vector<Event>& reserved = {});
// What Gaussian releases may spend of it. Refuses pure budgets, which allow none.
Result<Gdp> gaussian_budget(const Budget&);
// For algorithms that reserve other events than Gaussian ones: refuses all but epsilon and delta.
Result<ApproxDp> approximate_budget(const Budget&, std::string_view algorithm);
// rho of a mu-GDP budget.
inline double rho_of(Gdp budget) { return budget.mu * budget.mu / 2; }

enum class Constants {
  tight,  // the theorem with its slack removed
  paper,  // the text's parameters
};

struct Options {
  Constants constants = Constants::tight;
  double failure_probability = 0;  // of the certified bound; 0: in expectation, where an algorithm can
  double max_passes = 1000;        // over the data; fewer than the theorem's weaken the certified bound
};

// Of an algorithm that needs a chance to fail, if none is given.
inline constexpr double kUsualFailureProbability = 0.05;
inline double positive_failure_probability(const Options& options) {
  return options.failure_probability == 0 ? kUsualFailureProbability : options.failure_probability;
}

inline constexpr NumberOption kFailureProbabilityOption{.name = "failure-probability",
                                                        .meaning = "chance that the bound fails; 0: on average",
                                                        .lowest = 0,
                                                        .highest = 0.5,
                                                        .default_value = 0};
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
  bool trivial = false;            // it is that of the start, not of the theorem, which promises no less (shown_bound)
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
