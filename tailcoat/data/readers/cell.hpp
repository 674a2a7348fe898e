// What a numeric cell may hold, in every text format: a number, or a marker for a missing value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tailcoat/base/result.hpp"

namespace tailcoat {

class CellParser {
 public:
  explicit CellParser(std::vector<std::string> missing);

  // Whether the text, blanks aside, stands for no value.
  [[nodiscard]] bool is_missing(std::string_view text) const;

  // Whether parse_plain_number may be asked first: not if a number, e.g. -999, is a marker.
  [[nodiscard]] bool numbers_are_values() const { return numbers_are_values_; }

  // Sets the value (NaN if missing) and returns nullptr, or returns what is wrong with the text.
  const char* parse(std::string_view text, double& value) const;

 private:
  std::vector<std::string> missing_;
  bool numbers_are_values_ = true;
};

// `where` is like "line 7, column 'amount' of 'claims.csv'".
Error cell_error(std::string_view text, std::string_view where, std::string_view problem);

}  // namespace tailcoat
