// What commands print: named figures, as an aligned table of at most 100 columns or as one JSON object.
#pragma once

#include <string>
#include <vector>

#include "tailcoat/base/figure.hpp"
#include "tailcoat/base/result.hpp"

namespace tailcoat::cli {

// A system error if a number is not finite: JSON cannot say it, and no user should have to read it.
Result<std::string> json_text(const std::string& schema, const std::vector<Figure>&);
Result<std::string> table_text(const std::vector<Figure>&);

}  // namespace tailcoat::cli
