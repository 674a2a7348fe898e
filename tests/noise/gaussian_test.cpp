#include "tailcoat/noise/gaussian.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace tailcoat {
namespace {

using Values = std::vector<std::int64_t>;

Values noise(std::size_t size, const BitSource& source, std::uint64_t release) {
  Values values(size, 0);
  add_rounded_gaussian(values, source, release);
  return values;
}

TEST(AddRoundedGaussian, AddsTheSameNoiseToAnyValues) {
  const BitSource source = BitSource::insecure_seeded(1);
  const std::int64_t largest = std::int64_t{1} << 62;
  Values values{0, 1, -1, largest, -largest, 123456789};
  const Values before = values, drawn = noise(values.size(), source, 7);
  add_rounded_gaussian(values, source, 7);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i] - before[i], drawn[i]);
}

TEST(AddRoundedGaussian, GivesACoordinateTheSameNoiseInAVectorOfAnySize) {
  const BitSource source = BitSource::insecure_seeded(2);
  const Values whole = noise(3 * kGaussianBlock + 5, source, 0);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kGaussianBlock - 1, kGaussianBlock, kGaussianBlock + 1,
                                 2 * kGaussianBlock + 17})
    EXPECT_TRUE(std::ranges::equal(noise(size, source, 0), std::span(whole).first(size))) << size;
}

TEST(AddRoundedGaussian, GivesTheSameNoiseBlockByBlockInAnyOrder) {
  const BitSource source = BitSource::insecure_seeded(3);
  const Values whole = noise(3 * kGaussianBlock + 5, source, 1);
  Values parts(whole.size(), 0);
  add_rounded_gaussian(std::span(parts).subspan(3 * kGaussianBlock), source, 1, 3);
  add_rounded_gaussian(std::span(parts).first(kGaussianBlock), source, 1, 0);
  add_rounded_gaussian(std::span(parts).subspan(kGaussianBlock, 2 * kGaussianBlock), source, 1, 1);
  EXPECT_EQ(parts, whole);
}

TEST(AddRoundedGaussian, DrawsAnewForEveryReleaseAndBlock) {
  const BitSource source = BitSource::insecure_seeded(4);
  const Values one = noise(2 * kGaussianBlock, source, 0), two = noise(2 * kGaussianBlock, source, 1);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < one.size(); ++i) equal += one[i] == two[i];
  for (std::size_t i = 0; i < kGaussianBlock; ++i) equal += one[i] == one[i + kGaussianBlock];
  EXPECT_LE(equal, 2u);  // 12,288 pairs, equal with probability 4e-9 each: more than 2 has probability 2e-14
}

TEST(AddRoundedGaussian, IsTheStreamOfItsBlockDrawnInOrder) {
  const BitSource source = BitSource::insecure_seeded(5);
  const Values values = noise(kGaussianBlock + 100, source, 9);
  BitStream first = source.stream(9, 0), second = source.stream(9, 1);
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(values[i], rounded_gaussian(i < kGaussianBlock ? first : second));
}

// Fixed for ever: a change here changes every seeded result.
TEST(RoundedGaussian, TheFirstDrawsOfSeedOneAreKnown) {
  EXPECT_EQ(noise(4, BitSource::insecure_seeded(1), 0), (Values{-3878642, -7206061, -17055657, 15817590}));
}

}  // namespace
}  // namespace tailcoat
