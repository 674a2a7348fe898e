#include "tailcoat/algorithms/catalogue.hpp"

#include <fmt/format.h>

#include <string>

#include "tailcoat/algorithms/implicit.hpp"
#include "tailcoat/algorithms/implicit_glm.hpp"
#include "tailcoat/algorithms/implicit_glm_adaptive.hpp"
#include "tailcoat/algorithms/known_lipschitz.hpp"
#include "tailcoat/algorithms/known_lipschitz_gd.hpp"
#include "tailcoat/algorithms/known_lipschitz_sgd.hpp"
#include "tailcoat/algorithms/objective_perturbation.hpp"
#include "tailcoat/algorithms/one_pass_glm.hpp"

namespace tailcoat {
namespace {

// The part of a plan that all plans share.
template <auto plan>
Result<Forecast> forecast(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_TRY(planned, plan(setting, budget, options));
  return Forecast(planned);
}

constexpr Algorithm kAlgorithms[] = {
    {"known-lipschitz", "Algorithm 4, Theorem 2", forecast<plan_known_lipschitz>, known_lipschitz},
    {"known-lipschitz-gd", "Algorithm 4, Theorem 2", forecast<plan_known_lipschitz_gd>, known_lipschitz_gd},
    {"known-lipschitz-sgd", "Algorithm 4", forecast<plan_known_lipschitz_sgd>, known_lipschitz_sgd},
    {"one-pass-glm", "Algorithm 8, Theorem 4", forecast<plan_one_pass_glm>, one_pass_glm},
    {"implicit-glm", "ours", forecast<plan_implicit_glm>, implicit_glm},
    {"implicit-glm-adaptive", "ours", forecast<plan_implicit_glm_adaptive>, implicit_glm_adaptive},
    {"implicit", "ours", forecast<plan_implicit>, implicit},
    {"objective-perturbation", "ours", forecast<plan_objective_perturbation>, objective_perturbation},
};

}  // namespace

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
