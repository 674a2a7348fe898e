// Decimal numbers as the readers understand them, independent of locale: optional sign, digits, optional point and
// exponent. The result is always the double nearest to the decimal (ties to even).
#pragma once

#include <string_view>

namespace tailcoat {

// Reads the number at `text` and returns the first character after it, or nullptr if this fast path does not serve
// it: no digits, a plus sign, more than 19 digits, a large exponent. The text must go on with a character that cannot
// be part of a number, and 8 bytes from there must be readable.
const char* parse_plain_number(const char* text, double& value);

enum class NumberStatus {
  ok,
  no_number,   // something else, or nothing
  not_finite,  // inf, nan, or beyond the largest double
};

// The whole text, with blanks (space, tab) around it allowed.
NumberStatus parse_number(std::string_view text, double& value);

// Without blanks at either end.
std::string_view trimmed(std::string_view text);

}  // namespace tailcoat
