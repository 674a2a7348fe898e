#include "tailcoat/algorithms/catalogue.hpp"

#include <fmt/format.h>

#include <string>

#include "tailcoat/algorithms/clipped_dp_sgd.hpp"
#include "tailcoat/algorithms/dp_sgd.hpp"
#include "tailcoat/algorithms/implicit.hpp"
#include "tailcoat/algorithms/implicit_glm.hpp"
#include "tailcoat/algorithms/implicit_glm_adaptive.hpp"
#include "tailcoat/algorithms/kamath_liu_zhang.hpp"
#include "tailcoat/algorithms/known_lipschitz.hpp"
#include "tailcoat/algorithms/known_lipschitz_gd.hpp"
#include "tailcoat/algorithms/known_lipschitz_sgd.hpp"
#include "tailcoat/algorithms/localized.hpp"
#include "tailcoat/algorithms/lowy_razaviyayn.hpp"
#include "tailcoat/algorithms/objective_perturbation.hpp"
#include "tailcoat/algorithms/one_pass_glm.hpp"
#include "tailcoat/algorithms/smooth_svt.hpp"
#include "tailcoat/algorithms/spending.hpp"

namespace tailcoat {
namespace {

// The part of a plan that all plans share.
template <auto plan>
Result<Forecast> forecast(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_TRY(planned, plan(setting, budget, options));
  return Forecast(planned);
}

// An error says what the run has cost.
template <auto solve>
Result<Solution> charged(RunContext run, const Problem& problem, const Moments& moments, const Budget& budget,
                         const Options& options) {
  const SpendingWatch watch(run.noise, budget);
  return watch.told(solve(run, problem, moments, budget, options));
}

constexpr Needs kAnyLoss{.own_loss = OwnLoss::gradient};
constexpr Needs kSmoothLoss{.own_loss = OwnLoss::smooth_gradient};
constexpr Needs kGlmOnly{.own_loss = OwnLoss::none};
constexpr Needs kLipschitzReduction{.own_loss = OwnLoss::smooth_gradient, .strongly_convex_samples = true};

constexpr Algorithm kAlgorithms[] = {
    {"clipped-dp-sgd", "Algorithm 1", kAnyLoss, forecast<plan_clipped_dp_sgd>, charged<clipped_dp_sgd>},
    {"localized", "Theorem 1", kAnyLoss, forecast<plan_localized>, charged<localized>},
    {"known-lipschitz", "Algorithm 4, Theorem 2", kLipschitzReduction, forecast<plan_known_lipschitz>,
     charged<known_lipschitz>},
    {"known-lipschitz-gd", "Algorithm 4, Theorem 2", kLipschitzReduction, forecast<plan_known_lipschitz_gd>,
     charged<known_lipschitz_gd>},
    {"known-lipschitz-sgd", "Algorithm 4", kGlmOnly, forecast<plan_known_lipschitz_sgd>, charged<known_lipschitz_sgd>},
    {"smooth-svt", "Theorem 3, corrected", kSmoothLoss, forecast<plan_smooth_svt>, charged<smooth_svt>},
    {"one-pass-glm", "Algorithm 8, Theorem 4", kGlmOnly, forecast<plan_one_pass_glm>, charged<one_pass_glm>},
    {"implicit-glm", "ours", kGlmOnly, forecast<plan_implicit_glm>, charged<implicit_glm>},
    {"implicit-glm-adaptive", "ours", kGlmOnly, forecast<plan_implicit_glm_adaptive>, charged<implicit_glm_adaptive>},
    {"implicit", "ours", kImplicitNeeds, forecast<plan_implicit>, charged<implicit>},
    {"objective-perturbation", "ours", kGlmOnly, forecast<plan_objective_perturbation>,
     charged<objective_perturbation>},
    {"lowy-razaviyayn", "baseline, ALT 2023", kAnyLoss, forecast<plan_lowy_razaviyayn>, charged<lowy_razaviyayn>},
    {"kamath-liu-zhang", "baseline, ICML 2022", kAnyLoss, forecast<plan_kamath_liu_zhang>, charged<kamath_liu_zhang>},
    {"dp-sgd", "baseline, full batch", kAnyLoss, forecast<plan_dp_sgd>, charged<dp_sgd>},
};

}  // namespace

Result<Forecast> Algorithm::plan(const Setting& setting, const Budget& budget, const Options& options) const {
  TAILCOAT_CHECK(check(setting, LeastOrder::above_one));  // an algorithm that needs more says so
  TAILCOAT_CHECK(check(needs, name, setting));
  return planner(setting, budget, options);
}

Result<Solution> Algorithm::solve(RunContext run, const Problem& problem, const Moments& moments, const Budget& budget,
                                  const Options& options) const {
  const Setting setting = setting_of(problem, moments);
  TAILCOAT_CHECK(check(setting, LeastOrder::above_one));  // an algorithm that needs more says so
  TAILCOAT_CHECK(check(needs, name, setting));
  return solver(run, problem, moments, budget, options);
}

std::span<const Algorithm> algorithms() { return kAlgorithms; }

Result<Algorithm> find_algorithm(std::string_view name) {
  std::string names;
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.name == name) return algorithm;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", algorithm.name);
  }
  return usage_error(fmt::format("there is no algorithm '{}'; there are {}", name, names));
}

}  // namespace tailcoat
