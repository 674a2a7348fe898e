#include "tailcoat/noise/sort_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tailcoat {
namespace {

using Rows = std::vector<std::uint32_t>;

void expect_sorted(Rows rows, std::uint32_t bound) {
  Rows expected = rows;
  std::sort(expected.begin(), expected.end());
  sort_rows(rows, bound);
  ASSERT_EQ(rows, expected) << "bound " << bound;
}

TEST(SortRows, SortsEvenlySpreadRowsWithRepetitionsForEverySizeAndBound) {
  std::mt19937 engine(2026);
  for (const std::uint32_t bound : {1u, 2u, 63u, 64u, 65u, 1000u, 1u << 20, 0x80000001u, 0xffffffffu})
    for (std::size_t size = 0; size < 300; ++size) {
      Rows rows(size);
      for (std::uint32_t& row : rows) row = std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(engine);
      expect_sorted(rows, bound);
    }
}

TEST(SortRows, SortsWhatIsNotSpreadToo) {
  constexpr std::uint32_t kBound = 0xffffffff;
  for (const std::size_t size : {5u, 64u, 65u, 500u, 5000u}) {
    expect_sorted(Rows(size, 0), kBound);
    expect_sorted(Rows(size, kBound - 1), kBound);
    Rows falling(size);
    for (std::size_t i = 0; i < size; ++i) falling[i] = static_cast<std::uint32_t>(size - i);
    expect_sorted(falling, kBound);
    falling[size / 2] = kBound - 1;
    expect_sorted(falling, kBound);
  }
}

}  // namespace
}  // namespace tailcoat
