// The sums do not depend on the floating-point environment of the caller, which a library built with -ffast-math or a
// change of the rounding mode may have left behind, and they leave it as it was.
#include <gtest/gtest.h>

#include <cfenv>

#include "helpers.hpp"
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tailcoat {
namespace {

std::vector<std::vector<std::int64_t>> sums(Engine& engine, const SampleGradient& gradient) {
  const std::size_t d = 5, n = 50000;
  const std::vector<double> values(n * d, 1e100), labels(n, 0x1p-1060), x(d, 0);
  const auto lattice = *clip_lattice(0x1p-900, d, Gdp{1});
  return {opened(*engine.clipped_gradient_sum({*engine.load(rows_of(values, d), labels), SquaredLoss{}}, x, lattice)),
          opened(*engine.clipped_gradient_sum({2000, d, {gradient}}, x, lattice)),
          opened(*engine.clipped_row_sum(*engine.load(rows_of(std::vector<double>(d, 0.3), d)), lattice))};
}

void subnormal_gradient(std::size_t, std::span<const double>, std::span<double> gradient) {
  for (double& g : gradient) g = 0x1p-1060 / 0x1p-950;
  gradient[0] = 0x1p-1060;
}

// Subnormal labels, which count for nothing where subnormal numbers are taken for zero.
TEST(Environment, SumsSeeSubnormalNumbers) {
  Engine engine(2);
  for (const auto& sum : sums(engine, subnormal_gradient)) EXPECT_NE(sum, std::vector<std::int64_t>(5));
}

#if defined(__x86_64__)
constexpr unsigned kFlushToZero = 0x8000, kSubnormalsAreZero = 0x0040;

TEST(Environment, FlushToZeroIsOffDuringASumAndBackOnAfterIt) {
  const auto expected = [] {
    Engine engine(2);
    return sums(engine, subnormal_gradient);
  }();
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | kFlushToZero | kSubnormalsAreZero);
  Engine engine(3);  // its threads inherit the flags
  const auto found = sums(engine, subnormal_gradient);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(after & (kFlushToZero | kSubnormalsAreZero), kFlushToZero | kSubnormalsAreZero);
}

TEST(Environment, ACallbackThatFlushesToZeroChangesNothing) {
  Engine engine(2);
  const auto expected = sums(engine, subnormal_gradient);
  const SampleGradient flushing = [](std::size_t row, std::span<const double> x, std::span<double> gradient) {
    subnormal_gradient(row, x, gradient);
    _mm_setcsr(_mm_getcsr() | kFlushToZero | kSubnormalsAreZero);
  };
  const unsigned before = _mm_getcsr();
  EXPECT_EQ(sums(engine, flushing), expected);
  EXPECT_EQ(_mm_getcsr() & kFlushToZero, before & kFlushToZero);
}
#endif

TEST(Environment, RoundingModeOfTheCallerDoesNotMatter) {
  Engine engine(2);
  const auto expected = sums(engine, subnormal_gradient);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    const auto found = sums(engine, subnormal_gradient);
    EXPECT_EQ(std::fegetround(), mode);
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace tailcoat
