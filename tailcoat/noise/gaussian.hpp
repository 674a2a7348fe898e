// The rounded Gaussian: round(2^26 Z), Z standard normal, sampled exactly. Added to an integer vector it is
// post-processing of the continuous Gaussian mechanism, hence exactly mu-GDP with mu = (L2 sensitivity) / 2^26
// (noise.md; the discrete Gaussian is not).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tailcoat/noise/bit_source.hpp"

namespace tailcoat {

inline constexpr double kGaussianScale = 0x1p26;     // standard deviation of a draw, in lattice units
inline constexpr std::size_t kGaussianBlock = 4096;  // coordinates that share a stream

// No draw exceeds 2^30 in magnitude.
std::int64_t rounded_gaussian(BitStream&);

// Adds an independent draw to each value. Coordinate j takes its bits from stream(release, j / kGaussianBlock),
// whatever the values: they must not exceed 2^62 in magnitude. A part of a longer vector that starts at coordinate
// first_block * kGaussianBlock gets what it would have got in the whole.
void add_rounded_gaussian(std::span<std::int64_t> values, const BitSource&, std::uint64_t release,
                          std::uint64_t first_block = 0);

}  // namespace tailcoat
