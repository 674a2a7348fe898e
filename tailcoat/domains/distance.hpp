// Euclidean distances that neither overflow nor underflow on the way.
#pragma once

#include <span>

namespace tailcoat {

// A distance as size * unit; unit is a power of two, and size is far from the ends of the range of doubles unless it is
// 0.
struct Distance {
  double size;
  double unit;

  // Infinite only where the distance is beyond every double.
  [[nodiscard]] double value() const { return size * unit; }
};

// Of two finite points of the same dimension.
Distance distance(std::span<const double> x, std::span<const double> y);

}  // namespace tailcoat
