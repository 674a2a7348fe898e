// account: conversions between (epsilon, delta), rho and mu, and the composition of events, as named figures. What the
// command line and Python answer questions about guarantees with; every figure is rounded towards privacy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tailcoat/base/figure.hpp"
#include "tailcoat/base/result.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

// One of: epsilon and delta; mu or rho, with delta or epsilon if wanted; events (compose_spec.hpp) with one of the two.
struct AccountQuery {
  std::optional<double> epsilon{}, delta{}, rho{}, mu{};
  std::string compose{};
};

// A usage error says which combination is missing, in the words of the command line.
Result<std::vector<Figure>> account(const AccountQuery&);

}  // namespace tailcoat
