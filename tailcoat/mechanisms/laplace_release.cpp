#include "tailcoat/mechanisms/laplace_release.hpp"

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/noise/laplace.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {

namespace {

// Of an integer vector, in lattice units.
double l1_sensitivity(const SensitiveSum& sum) {
  return mul_up(sqrt_up(static_cast<double>(sum.size)), sum.sensitivity);
}

}  // namespace

double laplace_scale(const SensitiveSum& sum, PureDp cost) { return div_up(l1_sensitivity(sum), cost.epsilon); }

Result<std::vector<double>> laplace_release(std::string what, SensitiveSum sum, PureDp cost, Outlet outlet) {
  TAILCOAT_CHECK(check(cost));
  TAILCOAT_TRY(law, DiscreteLaplace::create(laplace_scale(sum, cost)));
  TAILCOAT_CHECK(outlet.meter.charge({.what = std::move(what),
                                      .mechanism = "laplace",
                                      .values = sum.size,
                                      .sensitivity = l1_sensitivity(sum) * sum.unit,
                                      .noise_scale = law.scale() * sum.unit,
                                      .secure_noise = outlet.noise.secure()},
                                     PureEvent{cost.epsilon}));
  const std::vector<std::int64_t> units = SensitiveKey::take(std::move(sum.units));
  BitStream bits = outlet.noise.stream(outlet.noise.next_release(), 0);
  std::vector<double> released(units.size());
  for (std::size_t i = 0; i < units.size(); ++i) released[i] = static_cast<double>(units[i] + law(bits)) * sum.unit;
  return released;
}

}  // namespace tailcoat
