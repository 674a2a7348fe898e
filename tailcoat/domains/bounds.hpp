// What every domain asks of the numbers that define it.
#pragma once

#include <span>
#include <string_view>

#include "tailcoat/base/result.hpp"

namespace tailcoat {

// Coordinates of a domain are at most this: squares and diameters then stay finite.
inline constexpr double kLargestCoordinate = 1e150;

// `values` is not empty, and all are finite and within kLargestCoordinate.
Result<void> check_coordinates(std::string_view domain, std::string_view name, std::span<const double> values);
// A radius or scale: from 0 to kLargestCoordinate.
Result<void> check_extent(std::string_view domain, std::string_view name, double value);

}  // namespace tailcoat
