#include "tailcoat/privacy/conversions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/privacy/gaussian_profile.hpp"
#include "tailcoat/privacy/renyi.hpp"
#include "tailcoat/privacy/search.hpp"

namespace tailcoat {
namespace {

constexpr NumberOption kEpsilonOrZero{.name = "epsilon", .meaning = "privacy loss bound", .lowest = 0};

double log_down(double x) { return std::nextafter(std::log(x), -std::numeric_limits<double>::infinity()); }

Rdp curve_of(Zcdp guarantee) {
  return {[rho = guarantee.rho](double alpha) { return mul_up(alpha, rho); }};
}

Result<void> check_curve(const Rdp& curve) {
  if (curve.epsilon) return {};
  return usage_error("the Renyi curve has no function; set Rdp::epsilon");
}

Result<double> finite(double epsilon, double delta) {
  if (std::isfinite(epsilon)) return epsilon;
  return refusal(fmt::format("no finite epsilon holds at delta = {}; there is no privacy to speak of", delta));
}

// The smallest epsilon at which a bound of log delta has come down to delta.
template <class LogDelta>
Result<double> epsilon_at(double delta, const LogDelta& log_delta) {
  const double goal = log_down(delta);
  return finite(smallest_where([&](double epsilon) { return log_delta(epsilon) <= goal; }), delta);
}

}  // namespace

Result<double> to_delta(Gdp guarantee, double epsilon) {
  TAILCOAT_CHECK(check(guarantee));
  TAILCOAT_CHECK(check(kEpsilonOrZero, epsilon));
  return gaussian_delta(guarantee.mu, epsilon);
}

Result<double> to_epsilon(Gdp guarantee, double delta) {
  TAILCOAT_CHECK(check(guarantee));
  TAILCOAT_CHECK(check(kDeltaOption, delta));
  return epsilon_at(delta, [&](double epsilon) { return gaussian_log_delta(guarantee.mu, epsilon); });
}

Result<Gdp> to_gdp(ApproxDp goal) {
  TAILCOAT_CHECK(check(goal));
  const double log_delta = log_down(goal.delta);
  return Gdp{largest_where([&](double mu) { return gaussian_log_delta(mu, goal.epsilon) <= log_delta; })};
}

Result<Zcdp> to_zcdp(Gdp guarantee) {
  TAILCOAT_CHECK(check(guarantee));
  const double rho = mul_up(0.5, mul_up(guarantee.mu, guarantee.mu));
  if (std::isfinite(rho)) return Zcdp{rho};
  return refusal(fmt::format("mu = {} has no finite rho; there is no privacy to speak of", guarantee.mu));
}

Result<double> to_delta(Zcdp guarantee, double epsilon) {
  TAILCOAT_CHECK(check(guarantee));
  return to_delta(curve_of(guarantee), epsilon);
}

Result<double> to_epsilon(Zcdp guarantee, double delta) {
  TAILCOAT_CHECK(check(guarantee));
  return to_epsilon(curve_of(guarantee), delta);
}

Result<Zcdp> to_zcdp(ApproxDp goal) {
  TAILCOAT_CHECK(check(goal));
  const double log_delta = log_down(goal.delta);
  return Zcdp{largest_where([&](double rho) { return renyi_log_delta(curve_of({rho}), goal.epsilon) <= log_delta; })};
}

Result<double> to_delta(const Rdp& curve, double epsilon) {
  TAILCOAT_CHECK(check_curve(curve));
  TAILCOAT_CHECK(check(kEpsilonOrZero, epsilon));
  return std::max(std::exp(renyi_log_delta(curve, epsilon)), std::numeric_limits<double>::min());
}

Result<double> to_epsilon(const Rdp& curve, double delta) {
  TAILCOAT_CHECK(check_curve(curve));
  TAILCOAT_CHECK(check(kDeltaOption, delta));
  return epsilon_at(delta, [&](double epsilon) { return renyi_log_delta(curve, epsilon); });
}

}  // namespace tailcoat
