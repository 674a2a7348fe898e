// Text for HTML. Names, levels and classes come from files: here they become inert (escaped), valid UTF-8 of bounded
// length that cannot change the direction of the text around it. Numbers are written for readers, not for programs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tailcoat::report {

// For element contents and quoted attributes. What is no UTF-8, control characters and marks that switch the direction
// of text become U+FFFD; a line feed stays.
std::string escaped(std::string_view);
// Names: at most so many characters, their beginning and their end around an ellipsis. Escaped.
std::string shortened(std::string_view, std::size_t characters);
// An element that holds the shortened name, with the long one as its title where something was left out.
std::string name_html(std::string_view name, std::size_t characters = 60);

// 12,300; 0.0412; 1.3 × 10⁻⁹; ∞; – for what is not a number.
std::string number(double value, int digits = 4);
// The same with + or − in front, unless it is 0.
std::string signed_number(double value, int digits = 3);
// 10³ for 3.
std::string power_of_ten_text(int exponent);
std::string count(std::size_t);
// "1 row", "20,640 rows".
std::string counted(std::size_t, const std::string& noun);
// 4.2 %, of a share of 1.
std::string percent(double share, int digits = 2);

// To so many significant digits.
double rounded(double value, int digits);
// What is claimed to be an upper bound must still be one after rounding to so many significant digits.
double rounded_up(double value, int digits);

}  // namespace tailcoat::report
