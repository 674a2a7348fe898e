// What commands print: named figures, as an aligned table of at most 100 columns or as one JSON object.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tailcoat/base/result.hpp"

namespace tailcoat::cli {

struct Figure {
  std::string name;  // as in JSON: "noise_multiplier"
  std::variant<double, std::string> value;
  std::string meaning;  // for the table
};

// A system error if a number is not finite: JSON cannot say it, and no user should have to read it.
Result<std::string> json_text(const std::string& schema, const std::vector<Figure>&);
Result<std::string> table_text(const std::vector<Figure>&);

}  // namespace tailcoat::cli
