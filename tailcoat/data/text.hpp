// Text that comes from files: whether it is UTF-8, and how it is shown in a message without harm to the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tailcoat {

bool is_utf8(std::string_view text);

// 'text' in quotes, at most `limit` characters of it ("..." marks the cut); control characters and bytes that are not
// UTF-8 appear as \xNN.
std::string in_quotes(std::string_view text, std::size_t limit = 40);

// Appends what every message must say that depends on the rows: it is for the operator alone.
std::string not_private(std::string message);

}  // namespace tailcoat
