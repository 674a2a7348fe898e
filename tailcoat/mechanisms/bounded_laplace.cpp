#include "tailcoat/mechanisms/bounded_laplace.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/noise/laplace.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {

Result<BoundedRelease> bounded_laplace_release(std::string what, SensitiveSum sum, ApproxDp cost, Outlet outlet) {
  TAILCOAT_CHECK(check(cost));
  if (sum.size != 1) return usage_error(fmt::format("bounded Laplace releases one number, not {}", sum.size));
  const double shift = std::ceil(sum.sensitivity);
  if (!(shift >= 1 && shift <= 0x1p40))
    return usage_error(fmt::format("sensitivity = {} lattice units is not in (0, 2^40]", sum.sensitivity));
  const auto shift_units = static_cast<std::int64_t>(shift);
  TAILCOAT_TRY(law, DiscreteLaplace::create(div_up(shift, cost.epsilon)));
  TAILCOAT_TRY(bound, smallest_laplace_bound(law.scale(), shift_units, cost.delta));

  TAILCOAT_CHECK(outlet.meter.charge({.what = std::move(what),
                                      .mechanism = "bounded-laplace",
                                      .values = 1,
                                      .sensitivity = shift * sum.unit,
                                      .noise_scale = law.scale() * sum.unit,
                                      .secure_noise = outlet.noise.secure()},
                                     ApproximateEvent{cost.epsilon, cost.delta}));
  BitStream bits = outlet.noise.stream(outlet.noise.next_release(), 0);
  const std::int64_t released = SensitiveKey::open(sum.units).at(0) + law.bounded(bound, bits);
  return BoundedRelease{static_cast<double>(released) * sum.unit, static_cast<double>(bound) * sum.unit};
}

}  // namespace tailcoat
