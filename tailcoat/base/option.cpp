#include "tailcoat/base/option.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tailcoat {

std::string range_text(const NumberOption& option) {
  const bool open_below = option.open_below || std::isinf(option.lowest);
  const bool open_above = option.open_above || std::isinf(option.highest);
  return fmt::format("{}{}, {}{}", open_below ? '(' : '[', option.lowest, option.highest, open_above ? ')' : ']');
}

Result<double> check(const NumberOption& option, double value) {
  const bool above = option.open_below ? value > option.lowest : value >= option.lowest;
  const bool below = option.open_above ? value < option.highest : value <= option.highest;
  if (above && below && std::isfinite(value)) return value;
  return usage_error(fmt::format("{} = {} is not in {}: {}", option.name, value, range_text(option), option.meaning));
}

}  // namespace tailcoat
