#include "tailcoat/data/text.hpp"

#include <fmt/format.h>

namespace tailcoat {
namespace {

struct Utf8Class {
  unsigned char first_low, first_high;    // range of the lead byte
  unsigned char length;                   // of the whole sequence
  unsigned char second_low, second_high;  // range of the next byte; the others are in 80..BF
};

// The well-formed sequences of the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF.
constexpr Utf8Class kUtf8Classes[] = {
    {0x00, 0x7f, 1, 0, 0},       {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
    {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
    {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

bool within(char c, unsigned char low, unsigned char high) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= low && byte <= high;
}

// Length of the character that the non-empty text begins with, 0 if it is not UTF-8.
std::size_t character_length(std::string_view text) {
  for (const Utf8Class& c : kUtf8Classes) {
    if (!within(text[0], c.first_low, c.first_high)) continue;
    if (text.size() < c.length) return 0;
    if (c.length > 1 && !within(text[1], c.second_low, c.second_high)) return 0;
    for (std::size_t i = 2; i < c.length; ++i) {
      if (!within(text[i], 0x80, 0xbf)) return 0;
    }
    return c.length;
  }
  return 0;
}

// C0 and C1 controls and DEL.
bool is_control(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return lead < 0x20 || lead == 0x7f;
  return lead == 0xc2 && within(character[1], 0x80, 0x9f);
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string in_quotes(std::string_view text, std::size_t limit) {
  std::string shown = "'";
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == limit) {
      shown += "...";
      break;
    }
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length == 0 || is_control(character)) {
      for (const char c : character) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      shown += character;
    }
    text.remove_prefix(character.size());
  }
  return shown + "'";
}

std::string not_private(std::string message) {
  return std::move(message) + " (not private: this message depends on the rows)";
}

}  // namespace tailcoat
