#include "tailcoat/mechanisms/gaussian_release.hpp"

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/noise/gaussian.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {

Result<std::vector<double>> gaussian_release(std::string what, SensitiveSum sum, Outlet outlet) {
  const Gdp cost{div_up(sum.sensitivity, kGaussianScale)};
  TAILCOAT_CHECK(outlet.meter.charge({.what = std::move(what),
                                      .mechanism = "gaussian",
                                      .values = sum.size,
                                      .sensitivity = sum.sensitivity * sum.unit,
                                      .noise_scale = kGaussianScale * sum.unit,
                                      .secure_noise = outlet.noise.secure()},
                                     cost));
  std::vector<std::int64_t> units = SensitiveKey::take(std::move(sum.units));
  add_rounded_gaussian(units, outlet.noise, outlet.noise.next_release());
  std::vector<double> released(units.size());
  for (std::size_t i = 0; i < units.size(); ++i) released[i] = static_cast<double>(units[i]) * sum.unit;
  return released;
}

}  // namespace tailcoat
