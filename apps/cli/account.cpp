// `tailcoat account`: converts between (epsilon, delta), rho and mu, and composes events.
#include "tailcoat/privacy/account.hpp"

#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "options.hpp"
#include "output.hpp"

namespace tailcoat::cli {
namespace {

constexpr const char* kSchema = "tailcoat-account/1";

constexpr const char* kHelp = R"(Give one of
  --epsilon E --delta D             how much noise that takes
  --mu M | --rho R                  Gaussian releases; with --delta their epsilon and vice versa
  --compose LIST --delta D          the epsilon of events together; with --epsilon, their delta
LIST is comma-separated, xN repeats:
  gaussian:MU  pure:EPSILON  bounded-range:EPSILON  approx:EPSILON:DELTA  zcdp:RHO
  sampled:RATE:RATIO:STEPS          Gaussian noise on sums over Poisson samples of rows; RATIO is
                                    a row's norm bound / standard deviation of the noise
  'parallel(LIST|LIST|...)'         disjoint blocks of rows, assigned by public index
Examples:
  tailcoat account --epsilon 1 --delta 1e-6
  tailcoat account --compose gaussian:0.1x25,pure:0.5,approx:0.1:1e-7 --delta 1e-6
  tailcoat account --compose sampled:0.001:0.8:20000 --delta 1e-6
Neighbouring data sets differ in one record; every figure is rounded towards privacy.)";

struct AccountOptions {
  AccountQuery query;
  std::vector<std::string> compose;
  bool json = false;
};

}  // namespace

Command account_command(CLI::App& tailcoat) {
  CLI::App* parser = tailcoat.add_subcommand("account", "Convert between privacy guarantees, and compose them");
  const auto options = std::make_shared<AccountOptions>();
  add_number(*parser, kEpsilonOption, options->query.epsilon);
  add_number(*parser, kDeltaOption, options->query.delta);
  add_number(*parser, kRhoOption, options->query.rho);
  add_number(*parser, kMuOption, options->query.mu);
  parser->add_option("--compose", options->compose, "events to compose; the list is described below")
      ->type_name("LIST");
  parser->add_flag("--json", options->json, "print one JSON object");
  parser->footer(kHelp);
  return {parser, [options]() -> Result<std::string> {
            options->query.compose = CLI::detail::join(options->compose, ",");
            TAILCOAT_TRY(figures, account(options->query));
            return options->json ? json_text(kSchema, figures) : table_text(figures);
          }};
}

}  // namespace tailcoat::cli
