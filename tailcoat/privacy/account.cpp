#include "tailcoat/privacy/account.hpp"

#include <cmath>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/privacy/accountant.hpp"
#include "tailcoat/privacy/compose_spec.hpp"
#include "tailcoat/privacy/conversions.hpp"

namespace tailcoat {
namespace {

using Figures = std::vector<Figure>;

Figure epsilon_figure(double value) { return {"epsilon", value, "privacy loss bound"}; }
Figure delta_figure(double value) { return {"delta", value, "probability with which the bound may fail"}; }

Result<Figures> gaussian_figures(Gdp gaussian) {
  TAILCOAT_TRY(zcdp, to_zcdp(gaussian));
  return Figures{{"mu", gaussian.mu, "all Gaussian releases together are mu-GDP"},
                 {"noise_multiplier", div_up(1, gaussian.mu), "standard deviation / sensitivity, of a single release"},
                 {"rho", zcdp.rho, "mu^2 / 2: the same releases as zCDP"}};
}

Result<Figures> from_target(ApproxDp target) {
  TAILCOAT_TRY(gaussian, to_gdp(target));
  TAILCOAT_TRY(zcdp, to_zcdp(target));
  TAILCOAT_TRY(figures, gaussian_figures(gaussian));
  Figures all{epsilon_figure(target.epsilon), delta_figure(target.delta)};
  all.insert(all.end(), figures.begin(), figures.end());
  all.push_back({"zcdp_rho", zcdp.rho, "what a mechanism may use of which only zCDP is known"});
  all.push_back({"zcdp_noise_multiplier", div_up(1, sqrt_down(2 * zcdp.rho)), "the noise if one went through zCDP"});
  return all;
}

// `zcdp` is the same guarantee for a mechanism of which nothing better is known.
Result<Figures> from_gaussian(Gdp gaussian, Zcdp zcdp, const AccountQuery& query) {
  TAILCOAT_TRY(figures, gaussian_figures(gaussian));
  Figures all = figures;
  if (query.delta) {
    TAILCOAT_TRY(exact, to_epsilon(gaussian, *query.delta));
    TAILCOAT_TRY(classical, to_epsilon(zcdp, *query.delta));
    all.insert(all.begin(), {epsilon_figure(exact), delta_figure(*query.delta)});
    all.push_back({"zcdp_epsilon", classical, "epsilon if only zCDP were known"});
  }
  if (query.epsilon) {
    TAILCOAT_TRY(exact, to_delta(gaussian, *query.epsilon));
    TAILCOAT_TRY(classical, to_delta(zcdp, *query.epsilon));
    all.insert(all.begin(), {epsilon_figure(*query.epsilon), delta_figure(exact)});
    all.push_back({"zcdp_delta", classical, "delta if only zCDP were known"});
  }
  return all;
}

Result<Figures> from_rho(const AccountQuery& query) {
  TAILCOAT_TRY(zcdp, check(Zcdp{*query.rho}));
  return from_gaussian({sqrt_up(mul_up(2, zcdp.rho))}, zcdp, query);
}

Result<Figures> from_mu(const AccountQuery& query) {
  TAILCOAT_TRY(zcdp, to_zcdp(Gdp{*query.mu}));
  return from_gaussian({*query.mu}, zcdp, query);
}

Result<Figures> from_events(const AccountQuery& query) {
  TAILCOAT_TRY(events, parse_events(query.compose));
  Accountant accountant;
  for (const Event& event : events) TAILCOAT_CHECK(accountant.add(event));
  Figures figures{{"compose", query.compose, ""}};
  if (query.delta) {
    TAILCOAT_TRY(epsilon, accountant.epsilon(*query.delta));
    figures.insert(figures.end(), {epsilon_figure(epsilon), delta_figure(*query.delta)});
  } else {
    TAILCOAT_TRY(delta, accountant.delta(*query.epsilon));
    figures.insert(figures.end(), {epsilon_figure(*query.epsilon), delta_figure(delta)});
  }
  return figures;
}

}  // namespace

Result<std::vector<Figure>> account(const AccountQuery& query) {
  const int sources = int{query.mu.has_value()} + int{query.rho.has_value()} + int{!query.compose.empty()};
  const bool both = query.epsilon && query.delta;
  if (sources > 1) return usage_error("--mu, --rho and --compose exclude each other; give one of them");
  if (sources == 1 && both) return usage_error("give --epsilon or --delta, not both; the other one is the answer");
  if (query.mu) return from_mu(query);
  if (query.rho) return from_rho(query);
  if (!query.compose.empty()) {
    if (query.epsilon || query.delta) return from_events(query);
    return usage_error("--compose needs --delta, to say the epsilon of the events, or --epsilon, to say their delta");
  }
  if (both) return from_target({*query.epsilon, *query.delta});
  return usage_error("give --epsilon and --delta, or --mu, or --rho, or --compose; see tailcoat account --help");
}

}  // namespace tailcoat
