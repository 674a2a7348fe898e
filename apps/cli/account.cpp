// `tailcoat account`: converts between (epsilon, delta), rho and mu, and composes events.
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "compose_spec.hpp"
#include "options.hpp"
#include "output.hpp"
#include "tailcoat/base/rounding.hpp"
#include "tailcoat/privacy/accountant.hpp"
#include "tailcoat/privacy/conversions.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat::cli {
namespace {

constexpr const char* kSchema = "tailcoat-account/1";

constexpr const char* kHelp = R"(Give one of
  --epsilon E --delta D             how much noise that takes
  --mu M | --rho R                  Gaussian releases; with --delta their epsilon and vice versa
  --compose LIST --delta D          the epsilon of events together; with --epsilon, their delta
LIST is comma-separated, xN repeats:
  gaussian:MU  pure:EPSILON  bounded-range:EPSILON  approx:EPSILON:DELTA  zcdp:RHO
  'parallel(LIST|LIST|...)'         disjoint blocks of rows, assigned by public index
Examples:
  tailcoat account --epsilon 1 --delta 1e-6
  tailcoat account --compose gaussian:0.1x25,pure:0.5,approx:0.1:1e-7 --delta 1e-6
Neighbouring data sets differ in one record; every figure is rounded towards privacy.)";

struct AccountOptions {
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::optional<double> rho;
  std::optional<double> mu;
  std::vector<std::string> compose;
  bool json = false;
};

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
Result<Figures> from_gaussian(Gdp gaussian, Zcdp zcdp, const AccountOptions& options) {
  TAILCOAT_TRY(figures, gaussian_figures(gaussian));
  Figures all = figures;
  if (options.delta) {
    TAILCOAT_TRY(exact, to_epsilon(gaussian, *options.delta));
    TAILCOAT_TRY(classical, to_epsilon(zcdp, *options.delta));
    all.insert(all.begin(), {epsilon_figure(exact), delta_figure(*options.delta)});
    all.push_back({"zcdp_epsilon", classical, "epsilon if only zCDP were known"});
  }
  if (options.epsilon) {
    TAILCOAT_TRY(exact, to_delta(gaussian, *options.epsilon));
    TAILCOAT_TRY(classical, to_delta(zcdp, *options.epsilon));
    all.insert(all.begin(), {epsilon_figure(*options.epsilon), delta_figure(exact)});
    all.push_back({"zcdp_delta", classical, "delta if only zCDP were known"});
  }
  return all;
}

Result<Figures> from_rho(const AccountOptions& options) {
  TAILCOAT_TRY(zcdp, check(Zcdp{*options.rho}));
  return from_gaussian({sqrt_up(mul_up(2, zcdp.rho))}, zcdp, options);
}

Result<Figures> from_mu(const AccountOptions& options) {
  TAILCOAT_TRY(zcdp, to_zcdp(Gdp{*options.mu}));
  return from_gaussian({*options.mu}, zcdp, options);
}

Result<Figures> from_events(const AccountOptions& options) {
  const std::string list = CLI::detail::join(options.compose, ",");
  TAILCOAT_TRY(events, parse_events(list));
  Accountant accountant;
  for (const Event& event : events) TAILCOAT_CHECK(accountant.add(event));
  Figures figures{{"compose", list, ""}};
  if (options.delta) {
    TAILCOAT_TRY(epsilon, accountant.epsilon(*options.delta));
    figures.insert(figures.end(), {epsilon_figure(epsilon), delta_figure(*options.delta)});
  } else {
    TAILCOAT_TRY(delta, accountant.delta(*options.epsilon));
    figures.insert(figures.end(), {epsilon_figure(*options.epsilon), delta_figure(delta)});
  }
  return figures;
}

Result<Figures> figures_of(const AccountOptions& options) {
  const int sources = int{options.mu.has_value()} + int{options.rho.has_value()} + int{!options.compose.empty()};
  const bool both = options.epsilon && options.delta;
  if (sources > 1) return usage_error("--mu, --rho and --compose exclude each other; give one of them");
  if (sources == 1 && both) return usage_error("give --epsilon or --delta, not both; the other one is the answer");
  if (options.mu) return from_mu(options);
  if (options.rho) return from_rho(options);
  if (!options.compose.empty()) {
    if (options.epsilon || options.delta) return from_events(options);
    return usage_error("--compose needs --delta, to say the epsilon of the events, or --epsilon, to say their delta");
  }
  if (both) return from_target({*options.epsilon, *options.delta});
  return usage_error("give --epsilon and --delta, or --mu, or --rho, or --compose; see tailcoat account --help");
}

}  // namespace

Command account_command(CLI::App& tailcoat) {
  CLI::App* parser = tailcoat.add_subcommand("account", "Convert between privacy guarantees, and compose them");
  const auto options = std::make_shared<AccountOptions>();
  add_number(*parser, kEpsilonOption, options->epsilon);
  add_number(*parser, kDeltaOption, options->delta);
  add_number(*parser, kRhoOption, options->rho);
  add_number(*parser, kMuOption, options->mu);
  parser->add_option("--compose", options->compose, "events to compose; the list is described below")
      ->type_name("LIST");
  parser->add_flag("--json", options->json, "print one JSON object");
  parser->footer(kHelp);
  return {parser, [options]() -> Result<std::string> {
            TAILCOAT_TRY(figures, figures_of(*options));
            return options->json ? json_text(kSchema, figures) : table_text(figures);
          }};
}

}  // namespace tailcoat::cli
