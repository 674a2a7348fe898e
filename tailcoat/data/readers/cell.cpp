#include "tailcoat/data/readers/cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tailcoat/data/readers/number.hpp"
#include "tailcoat/data/text.hpp"

namespace tailcoat {

CellParser::CellParser(std::vector<std::string> missing) : missing_(std::move(missing)) {
  double value = 0;
  for (const std::string& marker : missing_) {
    if (parse_number(marker, value) == NumberStatus::ok) numbers_are_values_ = false;
  }
}

bool CellParser::is_missing(std::string_view text) const {
  return std::find(missing_.begin(), missing_.end(), trimmed(text)) != missing_.end();
}

const char* CellParser::parse(std::string_view text, double& value) const {
  if (is_missing(text)) {
    value = std::numeric_limits<double>::quiet_NaN();
    return nullptr;
  }
  switch (parse_number(text, value)) {
    case NumberStatus::ok:
      return nullptr;
    case NumberStatus::not_finite:
      return "does not fit a double; leave it empty if the value is missing";
    case NumberStatus::no_number:
      break;
  }
  return "is not a number; leave it empty if the value is missing, declare the column as text, or leave the column out";
}

Error cell_error(std::string_view text, std::string_view where, std::string_view problem) {
  return data_error(not_private(fmt::format("{} in {} {}", in_quotes(text), where, problem)));
}

}  // namespace tailcoat
