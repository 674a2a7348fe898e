#include "tailcoat/data/readers/number.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tailcoat {
namespace {

static_assert(std::endian::native == std::endian::little);

__extension__ using uint128 = unsigned __int128;

constexpr std::uint64_t kExactIntegers = std::uint64_t{1} << 53;
constexpr int kExactPowersOfTen = 22;  // 10^22 = 2^22 5^22 and 5^22 < 2^53
constexpr int kPowersOfFive = 27;      // 5^27 < 2^64
constexpr std::ptrdiff_t kMaxDigits = 19;

constexpr auto kTen = [] {
  std::array<double, kExactPowersOfTen + 1> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;  // exact
  return powers;
}();

constexpr std::uint64_t kTenInteger[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

constexpr auto kFive = [] {
  std::array<std::uint64_t, kPowersOfFive + 1> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 5;
  return powers;
}();

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The value of eight digits 0..9, the first in the lowest byte: neighbours are joined to pairs, pairs to fours, fours.
std::uint64_t eight_digits(std::uint64_t word) {
  word = word * 10 + (word >> 8);
  word = (word & 0x00ff00ff00ff00ff) * 100 + ((word >> 16) & 0x00ff00ff00ff00ff);
  word = (word & 0x0000ffff0000ffff) * 10000 + ((word >> 32) & 0x0000ffff0000ffff);
  return word & 0xffffffff;
}

// Appends the digits at `text` to `number`, modulo 2^64. Eight characters at a time and without a branch that depends
// on how many of them are digits, since that is what no processor can predict.
[[gnu::always_inline]] inline const char* read_digits(const char* text, std::uint64_t& number) {
  for (;; text += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text, sizeof word);
    word ^= 0x3030303030303030;  // a digit becomes its value, everything else at least 10
    const std::uint64_t others = (((word & 0x7f7f7f7f7f7f7f7f) + 0x7676767676767676) | word) & 0x8080808080808080;
    if (others == 0) {
      number = number * 100000000 + eight_digits(word);
      continue;
    }
    const int digits = std::countr_zero(others) / 8;
    number = number * kTenInteger[static_cast<std::size_t>(digits)] + eight_digits(word << 1 << (63 - 8 * digits));
    return text + digits;
  }
}

// number / 10^k, rounded once, for number > 0 and 0 < k <= 27. With both scaled to 64 bits the quotient has 63 or 64,
// so a set last bit stands for any remainder and the conversion to double rounds as the exact quotient would.
double divided(std::uint64_t number, int k) {
  const std::uint64_t five = kFive[static_cast<std::size_t>(k)];
  const int shift = std::countl_zero(number);
  const int five_shift = std::countl_zero(five);
  const uint128 numerator = static_cast<uint128>(number << shift) << 63;
  const std::uint64_t denominator = five << five_shift;
  auto quotient = static_cast<std::uint64_t>(numerator / denominator);
  if (static_cast<uint128>(quotient) * denominator != numerator) quotient |= 1;
  const auto exponent = static_cast<std::uint64_t>(1023 - 63 - shift + five_shift - k);
  return static_cast<double>(quotient) * std::bit_cast<double>(exponent << 52);
}

// number * 10^exponent where one correctly rounded operation gives it.
bool scaled(std::uint64_t number, std::ptrdiff_t exponent, double& value) {
  if (exponent == 0 || number == 0) {
    value = static_cast<double>(number);
  } else if (number <= kExactIntegers && exponent > 0 && exponent <= kExactPowersOfTen) {
    value = static_cast<double>(number) * kTen[static_cast<std::size_t>(exponent)];
  } else if (number <= kExactIntegers && exponent < 0 && exponent >= -kExactPowersOfTen) {
    value = static_cast<double>(number) / kTen[static_cast<std::size_t>(-exponent)];
  } else if (exponent < 0 && exponent >= -kPowersOfFive) {
    value = divided(number, static_cast<int>(-exponent));
  } else {
    return false;
  }
  return true;
}

// After the 'e': adds the exponent; nullptr without digits or with more than four.
const char* read_exponent(const char* text, std::ptrdiff_t& exponent) {
  const bool negative = *text == '-';
  if (*text == '-' || *text == '+') ++text;
  const char* begin = text;
  std::ptrdiff_t power = 0;
  for (; is_digit(*text) && text - begin < 5; ++text) power = power * 10 + (*text - '0');
  if (text == begin || text - begin > 4) return nullptr;
  exponent += negative ? -power : power;
  return text;
}

// Whether a number that std::from_chars found out of range is too small rather than too large: its first digit that is
// not 0 stands below the point, so far that no exponent it could have makes up for it.
bool is_tiny(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t lead = mantissa.find_first_of("123456789");
  const auto place = static_cast<double>(point) - static_cast<double>(lead);
  double exponent = 0;
  for (const char c : e == std::string_view::npos ? "" : text.substr(e + 1)) {
    if (is_digit(c)) exponent = exponent * 10 + (c - '0');
  }
  if (e != std::string_view::npos && text[e + 1] == '-') exponent = -exponent;
  return place + exponent < 0;
}

}  // namespace

const char* parse_plain_number(const char* text, double& value) {
  const bool negative = *text == '-';
  text += negative;
  std::uint64_t number = 0;
  const char* end = read_digits(text, number);
  std::ptrdiff_t digits = end - text;
  std::ptrdiff_t exponent = 0;
  if (*end == '.') {
    const char* fraction = end + 1;
    end = read_digits(fraction, number);
    exponent = fraction - end;
    digits -= exponent;
  }
  if (digits == 0 || digits > kMaxDigits) return nullptr;
  if (*end == 'e' || *end == 'E') {
    end = read_exponent(end + 1, exponent);
    if (end == nullptr) return nullptr;
  }
  if (!scaled(number, exponent, value)) return nullptr;
  if (negative) value = -value;
  return end;
}

NumberStatus parse_number(std::string_view text, double& value) {
  text = trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) return NumberStatus::no_number;
  if (error == std::errc::result_out_of_range) {
    if (!is_tiny(text)) return NumberStatus::not_finite;
    value = text.starts_with('-') ? -0.0 : 0.0;
  }
  return std::isfinite(value) ? NumberStatus::ok : NumberStatus::not_finite;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace tailcoat
