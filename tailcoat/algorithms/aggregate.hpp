// Geometric aggregation: of points of which most are near an unknown z, one that is near z for certain. Time O(k^2 d).
// Proofs: aggregate.md.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tailcoat {

// The index of a point within 3 r of z, for every z and r such that more than half of the points are within r of z.
// There is at least one point.
std::size_t aggregate(std::span<const std::vector<double>> points);

// The paper's, which has to know the radius: if at least 0.51 k of the k points are within radius / 3 of z, the index
// of a point within `radius` of z. None if no point has 0.51 k points within 2 radius / 3, which then cannot be.
std::optional<std::size_t> aggregate_within(std::span<const std::vector<double>> points, double radius);

// How far the aggregate may be, in units of the distance that more than half of `copies` points keep.
inline double aggregation_factor(std::size_t copies) { return copies == 1 ? 1 : 3; }

// The largest probability q such that of `copies` points that are each far with probability at most q, independently,
// more than half are near except with probability `failure`. Rounded down.
double far_probability(std::size_t copies, double failure);

}  // namespace tailcoat
