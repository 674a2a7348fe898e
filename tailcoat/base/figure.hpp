// Figure: a number, a count or a text with its name and meaning: what commands print and Python returns.
#pragma once

#include <cstddef>
#include <string>
#include <variant>

namespace tailcoat {

struct Figure {
  std::string name;  // as in JSON: "noise_multiplier"
  std::variant<double, std::string, std::size_t> value;
  std::string meaning;  // for the table
};

}  // namespace tailcoat
