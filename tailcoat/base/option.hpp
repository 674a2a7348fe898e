// Options as data: one record per numeric option holds its name, meaning, range and default, and feeds the library's
// check, the command line's help and the documentation.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "tailcoat/base/result.hpp"

namespace tailcoat {

struct NumberOption {
  std::string_view name;     // as on the command line, without dashes
  std::string_view meaning;  // one line for --help
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool open_below = false;  // lowest itself is not allowed
  bool open_above = false;
  std::optional<double> default_value = std::nullopt;
};

// "(0, 1)", "[2, 1000]", "[0, inf)".
std::string range_text(const NumberOption&);

// The value, or a usage error that names option, value and range. NaN and infinities are in no range.
Result<double> check(const NumberOption&, double value);

}  // namespace tailcoat
