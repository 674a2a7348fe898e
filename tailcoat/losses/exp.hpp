// saturating_exp: a double exponential that inlines and vectorises, for derivatives inside the engine's kernels. Only
// additions, multiplications and integer shifts: the bits are the same on every target (given -ffp-contract=off).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "tailcoat/losses/scalar.hpp"

namespace tailcoat {

// Beyond +-kExpLimit the result stays at its value there, 1.0e304 and 9.9e-305: finite, normal, and so is its inverse.
inline constexpr double kExpLimit = 700;
inline constexpr double kExpLargest = 0x1.d945df4f8ec8ep+1009;  // saturating_exp(kExpLimit)

// Less than 1.1 units in the last place from e^x for |x| <= kExpLimit (largest error seen: 0.98). NaN gives NaN.
inline double saturating_exp(double x) {
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  constexpr double kLn2High = 0x1.62e42fefa2000p-1;  // 40 bits: its product with any exponent is exact
  constexpr double kLn2Low = 0x1.9ef35793c7673p-41;
  constexpr double kRounder = 0x1.8p52;  // adding it rounds to an integer, which then stands in the lowest bits

  const double size = std::abs(x);
  const double bounded = std::copysign(size > kExpLimit ? kExpLimit : size, x);
  const double shifted = bounded * kLog2E + kRounder;
  const double exponent = shifted - kRounder;
  const double r = (bounded - exponent * kLn2High) - exponent * kLn2Low;  // |r| <= ln(2)/2

  // e^r = 1 + r + r^2 q(r); q interpolates at Chebyshev nodes, truncation error 3.4e-19 of e^r.
  const double r2 = r * r;
  const double even =
      0.5 + r2 * (0x1.5555555555556p-5 +
                  r2 * (0x1.6c16c16c162d4p-10 +
                        r2 * (0x1.a01a01a6d889cp-16 + r2 * (0x1.27e4db646b17ep-22 + r2 * 0x1.1f730349868cep-29))));
  const double odd = 0x1.5555555555557p-3 +
                     r2 * (0x1.11111111100dcp-7 +
                           r2 * (0x1.a01a01abe7fe1p-13 + r2 * (0x1.71de0231960ebp-19 + r2 * 0x1.af4de97ca4194p-26)));
  const double power = 1 + (r + r2 * (even + r * odd));

  const std::uint64_t scale = (std::bit_cast<std::uint64_t>(shifted) << 52) + (std::uint64_t{1023} << 52);
  return power * std::bit_cast<double>(scale);
}

}  // namespace tailcoat
