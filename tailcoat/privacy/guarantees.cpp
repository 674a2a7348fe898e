#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

Result<ApproxDp> check(ApproxDp guarantee) {
  TAILCOAT_CHECK(check(kEpsilonOption, guarantee.epsilon));
  TAILCOAT_CHECK(check(kDeltaOption, guarantee.delta));
  return guarantee;
}

Result<Zcdp> check(Zcdp guarantee) {
  TAILCOAT_CHECK(check(kRhoOption, guarantee.rho));
  return guarantee;
}

Result<Gdp> check(Gdp guarantee) {
  TAILCOAT_CHECK(check(kMuOption, guarantee.mu));
  return guarantee;
}

}  // namespace tailcoat
