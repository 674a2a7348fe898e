// Which of some names a user may have meant by one that is not among them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tailcoat {

// The first name that begins with this one, else the one with the fewest letters to change, else one that contains it;
// null if none is near.
const std::string* nearest(std::span<const std::string> names, std::string_view name);

}  // namespace tailcoat
