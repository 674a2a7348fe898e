#include "tailcoat/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace tailcoat::report {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr std::size_t kLongestTitle = 1000;  // a page of names of 10,000 characters must stay readable by a browser

struct Decoded {
  char32_t character;
  std::size_t bytes;
};

std::size_t length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

// The first character of what is not empty; a byte that begins none is replaced alone.
Decoded decode(std::string_view text) {
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = length_of(lead);
  if (length == 1) return {lead, 1};
  if (length == 0 || text.size() < length) return {kReplacement, 1};
  char32_t character = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {kReplacement, 1};
    character = character << 6 | (next & 0x3FU);
  }
  const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  if (character < kLeast[length] || character > 0x10FFFF || surrogate) return {kReplacement, 1};
  return {character, length};
}

bool switches_direction(char32_t c) { return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069); }
bool is_control(char32_t c) { return (c < 0x20 && c != '\n') || (c >= 0x7F && c <= 0x9F); }

// Code points of Unicode that a document may not hold.
bool is_noncharacter(char32_t c) { return (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF); }

// The escaped characters, one by one.
std::vector<std::string> characters_of(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    const auto [character, bytes] = decode(text);
    const std::string_view raw = text.substr(0, bytes);
    text.remove_prefix(bytes);
    if (character == kReplacement || switches_direction(character) || is_control(character) ||
        is_noncharacter(character))
      all.emplace_back("\uFFFD");
    else if (character == '&')
      all.emplace_back("&amp;");
    else if (character == '<')
      all.emplace_back("&lt;");
    else if (character == '>')
      all.emplace_back("&gt;");
    else if (character == '"')
      all.emplace_back("&quot;");
    else if (character == '\'')
      all.emplace_back("&#39;");
    else
      all.emplace_back(raw);
  }
  return all;
}

std::string joined(const std::vector<std::string>& parts, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t i = first; i < last; ++i) text += parts[i];
  return text;
}

std::string shortened(const std::vector<std::string>& characters, std::size_t most) {
  if (characters.size() <= most) return joined(characters, 0, characters.size());
  const std::size_t tail = most / 3, head = most - tail - 1;
  return joined(characters, 0, head) + "…" + joined(characters, characters.size() - tail, characters.size());
}

// Columns are often named like_this.one: there a line may break.
std::string breakable(std::string escaped) {
  for (std::size_t at = 0; (at = escaped.find_first_of("_./", at)) != std::string::npos;) {
    escaped.insert(at + 1, "<wbr>");
    at += 6;
  }
  return escaped;
}

void strip_zeros(std::string& digits) {
  if (digits.find('.') == std::string::npos) return;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
}

void group_thousands(std::string& digits) {
  std::size_t at = std::min(digits.find('.'), digits.size());
  for (; at > 3; at -= 3) digits.insert(at - 3, 1, ',');
}

std::string magnitude(double value, int digits) {
  if (std::isinf(value)) return "∞";
  if (value == 0) return "0";
  const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
  const std::size_t e = scientific.find('e');
  const int exponent = std::atoi(scientific.c_str() + e + 1);
  constexpr int kLeastFixed = -4, kMostFixed = 8;
  if (exponent < kLeastFixed || exponent > kMostFixed) {
    std::string mantissa = scientific.substr(0, e);
    strip_zeros(mantissa);
    return mantissa == "1" ? power_of_ten_text(exponent) : mantissa + " × " + power_of_ten_text(exponent);
  }
  std::string fixed = fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
  strip_zeros(fixed);
  group_thousands(fixed);
  return fixed;
}

}  // namespace

std::string escaped(std::string_view text) {
  const std::vector<std::string> characters = characters_of(text);
  return joined(characters, 0, characters.size());
}

std::string shortened(std::string_view text, std::size_t most) { return shortened(characters_of(text), most); }

std::string name_html(std::string_view name, std::size_t most) {
  const std::vector<std::string> characters = characters_of(name);
  if (characters.empty()) return "<bdi>(no name)</bdi>";
  if (characters.size() <= most)
    return fmt::format("<bdi>{}</bdi>", breakable(joined(characters, 0, characters.size())));
  return fmt::format("<bdi title=\"{}\">{}</bdi>", shortened(characters, kLongestTitle),
                     breakable(shortened(characters, most)));
}

std::string number(double value, int digits) {
  if (std::isnan(value)) return "–";
  return fmt::format("{}{}", value < 0 ? "−" : "", magnitude(std::abs(value), digits));
}

std::string signed_number(double value, int digits) {
  return fmt::format("{}{}", value > 0 ? "+" : "", number(value, digits));
}

std::string power_of_ten_text(int exponent) {
  constexpr std::array<std::string_view, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : fmt::format("{}", std::abs(exponent))) text += kDigits[static_cast<std::size_t>(digit - '0')];
  return text;
}

std::string count(std::size_t value) {
  std::string digits = fmt::format("{}", value);
  group_thousands(digits);
  return digits;
}

std::string counted(std::size_t value, const std::string& noun) {
  return count(value) + " " + noun + (value == 1 ? "" : "s");
}

std::string percent(double share, int digits) { return fmt::format("{}\u202F%", number(100 * share, digits)); }

double rounded(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - digits + 1);
  return std::round(value / unit) * unit;
}

double rounded_up(double value, int digits) {
  if (!(value > 0) || std::isinf(value)) return value;
  const double unit = std::pow(10, std::floor(std::log10(value)) - digits + 1);
  constexpr double kSlack = 1e-9;  // what is round already stays so
  return std::ceil(value / unit - kSlack) * unit;
}

}  // namespace tailcoat::report
