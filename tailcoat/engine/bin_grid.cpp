#include "tailcoat/engine/bin_grid.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace tailcoat {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Where bin `edge` of the linear ones starts, or the last one ends.
double linear_edge(const BinGrid& grid, std::size_t edge) {
  if (edge == grid.count) return grid.high;
  const double share = static_cast<double>(edge) / static_cast<double>(grid.count);
  return grid.low + share * (grid.high - grid.low);
}

// Of the magnitudes `from_zero` = 1, 2, ... bins away from zero: outer ones have no end, and the first starts at 0.
double magnitude_start(const MagnitudeIndex& grid, std::int64_t from_zero) {
  return from_zero == 1 ? 0 : grid.start(from_zero - 1);
}
double magnitude_end(const MagnitudeIndex& grid, std::int64_t from_zero) {
  return from_zero == grid.per_sign() ? kInfinity : grid.start(from_zero);
}

Result<void> check_linear(const BinGrid& grid) {
  if (grid.count == 0 || grid.count > kMostLinearBins)
    return usage_error(fmt::format("{} linear bins; give between 1 and {}", grid.count, kMostLinearBins));
  const double width = (grid.high - grid.low) / static_cast<double>(grid.count);
  if (std::isnormal(width) && width > 0) return {};  // so its inverse is finite too
  return usage_error(fmt::format("{} bins from low = {} to high = {} have width {}; give finite ends, low < high",
                                 grid.count, grid.low, grid.high, width));
}

}  // namespace

Result<void> check(const BinGrid& grid) {
  if (grid.kind == BinGrid::Kind::none) return {};
  if (grid.kind == BinGrid::Kind::linear) return check_linear(grid);
  const int p = grid.per_octave;
  if (p == 1 || p == 2 || p == 4 || p == 8) return {};
  return usage_error(fmt::format("per_octave = {}; give 1, 2, 4 or 8 bins for each factor 2", p));
}

std::size_t bin_count(const BinGrid& grid) {
  if (grid.kind == BinGrid::Kind::none) return 0;
  return grid.kind == BinGrid::Kind::linear ? grid.count + 3 : MagnitudeIndex(grid).bins();
}

std::size_t bin_of(const BinGrid& grid, double value) {
  return with_index(grid, [&](const auto& index) { return index(value); });
}

double lower_edge(const BinGrid& grid, std::size_t bin) {
  if (bin == 0) return kNaN;
  if (grid.kind == BinGrid::Kind::linear) return bin == 1 ? -kInfinity : linear_edge(grid, bin - 2);
  const MagnitudeIndex index(grid);
  const std::int64_t from_zero = static_cast<std::int64_t>(bin) - index.zero();
  if (from_zero == 0) return 0;
  return from_zero > 0 ? magnitude_start(index, from_zero) : -magnitude_end(index, -from_zero);
}

double upper_edge(const BinGrid& grid, std::size_t bin) {
  if (bin == 0) return kNaN;
  if (grid.kind == BinGrid::Kind::linear) return bin == grid.count + 2 ? kInfinity : linear_edge(grid, bin - 1);
  const MagnitudeIndex index(grid);
  const std::int64_t from_zero = static_cast<std::int64_t>(bin) - index.zero();
  if (from_zero == 0) return 0;
  return from_zero > 0 ? magnitude_end(index, from_zero) : -magnitude_start(index, -from_zero);
}

}  // namespace tailcoat
