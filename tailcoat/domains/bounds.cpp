#include "tailcoat/domains/bounds.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace tailcoat {

Result<void> check_coordinates(std::string_view domain, std::string_view name, std::span<const double> values) {
  if (values.empty()) {
    return usage_error(fmt::format("{}: {} has dimension 0; a domain needs at least one coordinate", domain, name));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::abs(values[i]) <= kLargestCoordinate) continue;  // false for NaN
    return usage_error(fmt::format("{}: {}[{}] is {}; coordinates must be finite and at most 1e150 in size", domain,
                                   name, i, values[i]));
  }
  return {};
}

Result<void> check_extent(std::string_view domain, std::string_view name, double value) {
  if (value >= 0 && value <= kLargestCoordinate) return {};
  return usage_error(fmt::format("{}: {} is {}; it must be a number from 0 to 1e150", domain, name, value));
}

}  // namespace tailcoat
