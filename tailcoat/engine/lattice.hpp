// The exact lattice: contributions are rounded to integers, summed as integers, and released with integer noise of
// standard deviation 2^26 units. Proofs: lattice.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tailcoat/base/option.hpp"
#include "tailcoat/base/result.hpp"
#include "tailcoat/privacy/guarantees.hpp"
#include "tailcoat/privacy/sensitive.hpp"

namespace tailcoat {

// A sum over the rows, on its way to a release. Only the sum itself is secret.
struct SensitiveSum {
  Sensitive<std::vector<std::int64_t>> units;
  std::size_t size;    // how many numbers
  double unit;         // value of one lattice unit
  double sensitivity;  // L2, in lattice units: an upper bound over all neighbouring data sets
};

// How to clip and round vectors of dimension d so that releasing their sum costs `cost`: contributions have norm at
// most clip_units lattice units before rounding to nearest, hence the sum moves by at most 2 clip_units + sqrt(d).
struct ClipLattice {
  double clip_threshold;  // in the unit of the vectors
  double clip_units;      // the same in lattice units, rounded down
  double sensitivity;     // 2 clip_units + sqrt(d), rounded up; at most 2^26 mu
  std::size_t dimension;

  [[nodiscard]] double unit() const { return clip_threshold / clip_units; }
};

inline constexpr NumberOption kClipThresholdOption{
    .name = "clip-threshold", .meaning = "largest norm of a contribution", .lowest = 0x1p-900, .highest = 0x1p900};

// Refused where mu is so small or d so large that rounding would take more than half of the budget (mu below
// 2^-25 sqrt(d)), and where mu is above 2^25.
Result<ClipLattice> clip_lattice(double clip_threshold, std::size_t dimension, Gdp cost);

// Refuses a ClipLattice that was put together by hand and cannot be, or is for another dimension. Nothing in it is
// trusted but the threshold and the units.
Result<void> check(const ClipLattice&, std::size_t dimension);

// The parts of it, for contributions of `size` numbers of which any two are at most factor * units apart before
// rounding: the units that make the sum cost `cost`, rounded down, and the sensitivity that comes with them, rounded
// up.
inline constexpr double kClipFactor = 2;  // two vectors of norm C are at most 2 C apart
inline constexpr double kMostUnits = 0x1p50;
Result<double> contribution_units(double factor, std::size_t size, Gdp cost);
double rounded_sensitivity(double factor, double units, std::size_t size);

// Counts, of which replacing a row moves the vector by at most sqrt(squared_change): each is taken `weight` times, the
// largest whole number with weight sqrt(squared_change) <= 2^26 mu. No rounding. Refused where that is below 1, or
// where a count of all rows would not fit in 62 bits.
struct CountLattice {
  std::int64_t weight;
  double sensitivity;  // weight sqrt(squared_change), rounded up
};
Result<CountLattice> count_lattice(std::size_t rows, double squared_change, Gdp cost);
SensitiveSum on_lattice(const CountLattice& lattice, std::vector<std::int64_t> counts);

// A point less a public origin no further from it than `largest`, on a lattice where a change of the point by
// `sensitivity` costs `cost`. Refused where its units would be too fine for 64 bits.
Result<SensitiveSum> point_on_lattice(std::span<const double> point, std::span<const double> origin, double sensitivity,
                                      double largest, Gdp cost);

// units (1 - (d + extra) 2^-52), rounded down: what to clip to, so that with all float errors of the clip a
// contribution of dimension d is within `units`. `extra` is kClipSlack for a vector, kOuterSlack for the outer product
// of one.
inline constexpr double kClipSlack = 8;
inline constexpr double kOuterSlack = 16;
double shrunk_units(double units, std::size_t dimension, double extra);

}  // namespace tailcoat
