// Bisection over the doubles themselves. Nonnegative doubles are ordered as their bit patterns are, so 63 steps find
// the point where a monotone condition changes, to the last bit, without a bracket or a tolerance; and the condition
// was evaluated, and held, at the answer.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace tailcoat {

// The boundary between `low`, where `condition` is `at_low`, and `high`, where it is not: the last double of either
// side.
template <class Condition>
double boundary(const Condition& condition, bool at_low, bool want_low) {
  auto low = std::bit_cast<std::uint64_t>(0.0);
  auto high = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::max());
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (condition(std::bit_cast<double>(middle)) == at_low ? low : high) = middle;
  }
  return std::bit_cast<double>(want_low ? low : high);
}

// The largest finite x >= 0 at which `holds`, a condition that stops holding as x grows; 0 if it holds for no x > 0.
template <class Condition>
double largest_where(const Condition& holds) {
  constexpr double largest = std::numeric_limits<double>::max();
  return holds(largest) ? largest : boundary(holds, true, true);
}

// The smallest x >= 0 at which `holds`, a condition that begins to hold as x grows; infinity if it never does.
template <class Condition>
double smallest_where(const Condition& holds) {
  if (holds(0.0)) return 0;
  if (!holds(std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
  return boundary(holds, false, false);
}

}  // namespace tailcoat
