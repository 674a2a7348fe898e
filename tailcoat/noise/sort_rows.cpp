#include "tailcoat/noise/sort_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>

namespace tailcoat {
namespace {

constexpr std::size_t kMostRanked = 64;
constexpr std::size_t kMeanBucket = 16;
constexpr std::uint32_t kNoRow = 0xffffffff;

// The place of a row is the number of smaller ones: no branch depends on the rows, and comparisons are done side by
// side. Equal rows share a place; those after it stay empty and are filled with the row before.
void sort_by_ranks(std::span<std::uint32_t> rows) {
  constexpr std::uint32_t kSign = 0x80000000;  // keeps the order, as signed numbers
  std::array<std::int32_t, kMostRanked> keys;
  const std::size_t size = rows.size(), padded = (size + 7) / 8 * 8;
  for (std::size_t i = 0; i < size; ++i) keys[i] = static_cast<std::int32_t>(rows[i] ^ kSign);
  for (std::size_t i = size; i < padded; ++i) keys[i] = static_cast<std::int32_t>(kNoRow ^ kSign);
  std::fill(rows.begin(), rows.end(), kNoRow);
  for (std::size_t i = 0; i < size; ++i) {
    std::int32_t rank = 0;
    for (std::size_t j = 0; j < padded; ++j) rank += keys[j] < keys[i];
    rows[static_cast<std::size_t>(rank)] = static_cast<std::uint32_t>(keys[i]) ^ kSign;
  }
  for (std::size_t i = 1; i < size; ++i)
    if (rows[i] == kNoRow) rows[i] = rows[i - 1];
}

void sort_few(std::span<std::uint32_t> rows) {
  if (rows.size() <= kMostRanked)
    sort_by_ranks(rows);
  else
    std::sort(rows.begin(), rows.end());
}

}  // namespace

void sort_rows(std::vector<std::uint32_t>& rows, std::uint32_t bound) {
  if (rows.size() <= kMostRanked) return sort_by_ranks(rows);
  const auto bits = static_cast<int>(std::bit_width(rows.size() / kMeanBucket));
  const int shift = std::max(0, static_cast<int>(std::bit_width(bound)) - bits);
  std::vector<std::size_t> ends((bound >> shift) + 2);
  for (const std::uint32_t row : rows) ++ends[(row >> shift) + 1];
  for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
  std::vector<std::uint32_t> sorted(rows.size());
  for (const std::uint32_t row : rows) sorted[ends[row >> shift]++] = row;
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    sort_few(std::span(sorted).subspan(first, end - first));
    first = end;
  }
  rows.swap(sorted);
}

}  // namespace tailcoat
