// BinGrid: a public division of the numbers into bins, for histograms. Every double, NaN and infinities included, is in
// exactly one bin of a grid: privacy rests on that alone. Bin 0 is for missing values (NaN).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tailcoat/base/result.hpp"

namespace tailcoat {

struct BinGrid {
  enum class Kind {
    // Missing, negative numbers from the largest magnitude to the smallest, zero, positive numbers from the smallest to
    // the largest. Bins are geometric between octaves and linear within one, for magnitudes from 2^-64 to 2^64; what is
    // smaller or larger counts with the outermost bins.
    magnitudes,
    // Missing, below low, `count` bins of the same width from low to high (both included), above high.
    linear,
    // No bins: the column is not counted and costs nothing.
    none,
  };

  Kind kind = Kind::magnitudes;
  int per_octave = 4;  // magnitudes: 1, 2, 4 or 8 bins for each factor 2
  double low = 0, high = 1;
  std::size_t count = 1;

  bool operator==(const BinGrid&) const = default;
};

inline BinGrid magnitude_bins(int per_octave) { return {.per_octave = per_octave}; }
inline BinGrid linear_bins(double low, double high, std::size_t count) {
  return {.kind = BinGrid::Kind::linear, .low = low, .high = high, .count = count};
}
inline BinGrid no_bins() { return {.kind = BinGrid::Kind::none}; }
// For a column of level numbers 0, 1, ..., levels - 1: level k is bin 2 + k, exactly. Any other value that is no level
// counts with a neighbour, below or above.
inline BinGrid level_bins(std::size_t levels) { return linear_bins(-0.5, static_cast<double>(levels) - 0.5, levels); }

inline constexpr std::size_t kMostLinearBins = std::size_t{1} << 24;

// Refuses other numbers of bins per octave, 0 or too many linear bins, and ends that are not finite, not in order, or
// so close or so far apart that the width of a bin is not a normal number.
Result<void> check(const BinGrid&);

// These take grids that check() accepts; edges and places only of grids with bins.
std::size_t bin_count(const BinGrid&);
std::size_t bin_of(const BinGrid&, double value);
// The numbers of bin b are from lower_edge to upper_edge, up to the rounding of one operation at an inner edge;
// infinite at the ends, NaN for the bin of missing values. Zero is a bin of its own, with edges 0 and 0, among
// magnitudes.
double lower_edge(const BinGrid&, std::size_t bin);
double upper_edge(const BinGrid&, std::size_t bin);

// Value to bin, one per kind that has bins, for inner loops; without branches that depend on the value.
class MagnitudeIndex {
 public:
  explicit MagnitudeIndex(const BinGrid& grid)
      : fraction_bits_(std::countr_zero(static_cast<unsigned>(grid.per_octave))),
        per_sign_(std::int64_t{kOctaves} << fraction_bits_) {}

  // Exponent and leading fraction bits, read as one number, grow by 1 from bin to bin.
  std::size_t operator()(double value) const {
    const auto bits = std::bit_cast<std::uint64_t>(value), magnitude = bits & ~kSign;
    const auto place = static_cast<std::int64_t>(magnitude >> (52 - fraction_bits_));
    const std::int64_t bin = std::clamp(place - (kLeastExponent << fraction_bits_), std::int64_t{0}, per_sign_ - 1) + 1;
    const std::int64_t from_zero = magnitude == 0 ? 0 : bin;
    const std::int64_t index = zero() + (bits == magnitude ? from_zero : -from_zero);
    return magnitude > kInfinity ? 0 : static_cast<std::size_t>(index);
  }

  [[nodiscard]] std::int64_t per_sign() const { return per_sign_; }
  [[nodiscard]] std::int64_t zero() const { return per_sign_ + 1; }
  [[nodiscard]] std::size_t bins() const { return static_cast<std::size_t>(2 * per_sign_ + 2); }
  // Where the magnitudes of bin `place` = 0, 1, ... of a sign start.
  [[nodiscard]] double start(std::int64_t place) const {
    const auto bits = static_cast<std::uint64_t>(place + (kLeastExponent << fraction_bits_)) << (52 - fraction_bits_);
    return std::bit_cast<double>(bits);
  }

 private:
  static constexpr int kOctaves = 128;
  static constexpr std::int64_t kLeastExponent = 1023 - 64;  // of 2^-64, biased
  static constexpr std::uint64_t kSign = std::uint64_t{1} << 63, kInfinity = std::uint64_t{0x7ff} << 52;

  int fraction_bits_;
  std::int64_t per_sign_;
};

class LinearIndex {
 public:
  explicit LinearIndex(const BinGrid& grid)
      : low_(grid.low),
        high_(grid.high),
        scale_(static_cast<double>(grid.count) / (grid.high - grid.low)),
        last_(static_cast<double>(grid.count) - 1) {}

  // A rounding error near an edge moves a value to the neighbour; the clamp keeps it within the grid.
  std::size_t operator()(double value) const {
    double place = (value - low_) * scale_;
    place = place > 0 ? place : 0;  // NaN becomes 0
    place = place < last_ ? place : last_;
    const auto inside = static_cast<std::int64_t>(place);
    const std::int64_t below = value < low_ ? -1 : inside;
    const std::int64_t index = value > high_ ? static_cast<std::int64_t>(last_) + 1 : below;
    return value == value ? static_cast<std::size_t>(index + 2) : 0;
  }

 private:
  double low_, high_, scale_, last_;
};

// body(MagnitudeIndex) or body(LinearIndex).
template <class Body>
decltype(auto) with_index(const BinGrid& grid, Body&& body) {
  return grid.kind == BinGrid::Kind::linear ? body(LinearIndex(grid)) : body(MagnitudeIndex(grid));
}

}  // namespace tailcoat
