#include "tailcoat/noise/gaussian_strips.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "tailcoat/noise/fail_safe.hpp"

namespace tailcoat {
namespace {

using Real = boost::multiprecision::cpp_bin_float_50;  // 168 bits

// exp(-x^2 / 2) at x = position 2^-27.
Real bell(const Real& position) { return exp(-ldexp(position * position, -55)); }

// Every width is rounded down, so that width * bell(start) <= kStripArea; the proof needs no more than that.
std::array<GaussianStrip, kGaussianStrips> build_strips() {
  std::array<GaussianStrip, kGaussianStrips> strips{};
  std::uint32_t start = 0;
  Real at_start = 1;
  for (GaussianStrip& strip : strips) {
    const Real widest = floor(kStripArea / at_start);
    const std::uint32_t width = std::min(widest, Real(kGaussianEnd - start)).convert_to<std::uint32_t>();
    const Real at_end = bell(Real(start + width));
    const Real sure = floor(ldexp(width * at_end / kStripArea, kHeightBits));
    const auto excess = static_cast<std::uint32_t>((std::uint64_t{1} << 32) % width);
    strip = {start, width, sure.convert_to<std::uint32_t>(), excess};
    start += width;
    at_start = at_end;
  }
  abort_unless(start == kGaussianEnd, "the table of the Gaussian sampler does not reach its end");
  return strips;
}

}  // namespace

const std::array<GaussianStrip, kGaussianStrips>& gaussian_strips() {
  static const std::array<GaussianStrip, kGaussianStrips> strips = build_strips();
  return strips;
}

// Within the cell the limit falls by less than 2^-23 of itself (x 2^-27 < 2^-23 as x < 16); `limit` as computed is off
// by less than 2^-40 of itself, even with an exp that is wrong in its last 10 bits, and `exact` by less than 2^-50.
Verdict verdict_in_double(const GaussianStrip& strip, std::uint32_t cell, std::uint32_t height, std::uint64_t more) {
  const double x = cell * 0x1p-27;
  const double limit = strip.width * std::exp(-0.5 * x * x) / kStripArea;
  const double exact = (height + static_cast<double>(more) * 0x1p-64) * 0x1p-21;
  const double doubt = limit * 0x1p-22 + 0x1p-50;
  if (exact < limit - doubt) return Verdict::accept;
  if (exact > limit + doubt) return Verdict::reject;
  return Verdict::open;
}

bool accepted_exactly(const GaussianStrip& strip, std::uint32_t cell, std::uint32_t height,
                      const std::array<std::uint64_t, 3>& more, const std::array<std::uint64_t, 2>& position) {
  Real exact_height = 0, fraction = 0;
  for (std::size_t i = more.size(); i-- > 0;) exact_height = ldexp(exact_height + more[i], -64);
  for (std::size_t i = position.size(); i-- > 0;) fraction = ldexp(fraction + position[i], -64);
  exact_height = ldexp(exact_height + height, -kHeightBits);
  return exact_height * kStripArea < strip.width * bell(cell + fraction);
}

}  // namespace tailcoat
