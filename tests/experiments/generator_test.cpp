#include "experiments/generator.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace tailcoat::experiments {
namespace {

TEST(Generator, LogarithmAndExponentialAreThoseOfTheLibraryToFifteenDigits) {
  Generator random(1);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::ldexp(random.uniform(), static_cast<int>(random.word() % 2000) - 1000);
    EXPECT_NEAR(portable_log(x), std::log(x), 2e-15 * std::max(1.0, std::abs(std::log(x)))) << x;
    const double t = 1400 * random.uniform() - 700;
    EXPECT_NEAR(portable_exp(t) / std::exp(t), 1, 3e-13) << t;
  }
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_EQ(portable_exp(0), 1);
}

// Bits written down once; another machine, compiler or library must give the same.
TEST(Generator, BitsAreFixed) {
  Generator random(2026);
  EXPECT_EQ(random.word(), 0xdb9c559891948d23u);
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  EXPECT_EQ(bits(random.uniform()), 0x3fde2f249f7b4d51u);
  EXPECT_EQ(bits(random.normal()), 0x3ff902dcd8750c29u);
  EXPECT_EQ(bits(random.gamma(1.3)), 0x3fcfb1c9be5ecb1cu);
  EXPECT_EQ(bits(random.gamma(0.4)), 0x3fc589b940234ef4u);
  EXPECT_EQ(bits(random.laplace()), 0xbfba710109ad6ff4u);
  EXPECT_EQ(seed_of("rates", {1, 2}), 0x158adf87d664f126u);
}

// False alarm of each line below 1e-6.
TEST(Generator, DrawsHaveTheirMoments) {
  Generator random(7);
  const int n = 1000000;
  double uniform = 0, normal = 0, square = 0, gamma = 0, small = 0, laplace = 0, above = 0;
  for (int i = 0; i < n; ++i) {
    uniform += random.uniform() / n;
    const double z = random.normal();
    normal += z / n;
    square += z * z / n;
    gamma += random.gamma(1.25) / n;
    small += random.gamma(0.5) / n;
    const double x = random.laplace();
    laplace += x / n;
    above += (x > 1 ? 1.0 : 0.0) / n;
  }
  EXPECT_NEAR(uniform, 0.5, 5 * 0.289e-3);
  EXPECT_NEAR(normal, 0, 5e-3);
  EXPECT_NEAR(square, 1, 5 * 1.42e-3);
  EXPECT_NEAR(gamma, 1.25, 5 * 1.12e-3);
  EXPECT_NEAR(small, 0.5, 5 * 0.71e-3);
  EXPECT_NEAR(laplace, 0, 5 * 1.42e-3);
  EXPECT_NEAR(above, 0.5 * std::exp(-1), 5 * 0.39e-3);
}

TEST(Generator, SeedsOfCellsDiffer) {
  EXPECT_NE(seed_of("a", {1, 2}), seed_of("a", {2, 1}));
  EXPECT_NE(seed_of("a", {1}), seed_of("b", {1}));
  EXPECT_NE(seed_of("ab", {}), seed_of("a", {'b'}));
}

}  // namespace
}  // namespace tailcoat::experiments
