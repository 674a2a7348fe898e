#include "tailcoat/algorithms/implicit_glm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat {
namespace {

TEST(ImplicitGlm, BoundIsBelowItsClosedForm) {
  for (const double k : {2.0, 3.0, 4.0}) {
    for (const std::size_t n : {1u << 12, 1u << 18}) {
      const Setting setting{.rows = n, .dimension = 20, .diameter = 2, .start_distance = 2, .moments = {k, 1.6, 2.5}};
      const Gdp budget{std::sqrt(2 * 0.1)};
      const auto plan = plan_implicit_glm(setting, budget, {});
      ASSERT_TRUE(plan.ok()) << plan.error().message;
      const double closed = 1.64 * 1.6 * 2 / std::sqrt(n) +
                            std::pow(8 * std::sqrt(2.0), 1 - 1 / k) * 2.5 * 2 *
                                std::pow(std::sqrt(20.0) / (static_cast<double>(n) * std::sqrt(0.1)), 1 - 1 / k);
      printf("k %g n %zu bound %g closed %g lower %g phases %zu C %g\n", k, n, plan->bound.excess_risk, closed,
             lower_bound(setting, budget), plan->phases.size(), plan->phases[0].pass.clip);
      EXPECT_LT(plan->bound.excess_risk, closed * 1.05);
    }
  }
}

}  // namespace
}  // namespace tailcoat
