#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tailcoat/noise/bit_source.hpp"

namespace tailcoat {
namespace {

// False alarm: 64 z-tests at 6 sigma, 1.3e-7.
TEST(BitSource, EveryBitOfAWordIsFair) {
  constexpr int kWords = 1 << 22;
  BitStream bits = BitSource::insecure_seeded(1).stream(0, 0);
  std::array<std::int64_t, 64> ones{};
  for (int i = 0; i < kWords; ++i) {
    const std::uint64_t word = bits.word();
    for (std::size_t j = 0; j < 64; ++j) ones[j] += word >> j & 1;
  }
  for (const std::int64_t count : ones) EXPECT_LT(std::abs(static_cast<double>(count) - kWords / 2.0), 6 * 0.5 * 2048);
}

TEST(BitSourceDeathTest, StopsWhenItsKeysAreUsedUp) {
  const BitSource source = BitSource::insecure_seeded(2);
  EXPECT_DEATH(
      {
        for (std::uint64_t block = 0; block <= kMostKeys; ++block) (void)source.stream(0, block);
      },
      "no keys left");
}

}  // namespace
}  // namespace tailcoat
