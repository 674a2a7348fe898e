#include "tailcoat/data/readers/number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace tailcoat {
namespace {

// Both ways through the parser must agree with the C library, which rounds correctly, to the last bit.
void expect_nearest(const std::string& text) {
  const double expected = std::strtod(text.c_str(), nullptr);
  double value = 0;
  ASSERT_EQ(parse_number(text, value), NumberStatus::ok) << text;
  ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << text;
  const std::string padded = text + std::string(",99999999", 9);
  if (const char* end = parse_plain_number(padded.data(), value)) {
    ASSERT_EQ(end, padded.data() + text.size()) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << text;
  }
}

bool is_plain(const std::string& text) {
  double value = 0;
  return parse_plain_number((text + ",        ").data(), value) != nullptr;
}

std::string formatted(const char* format, int precision, double value) {
  char text[400];
  std::snprintf(text, sizeof text, format, precision, value);
  return text;
}

TEST(Number, IsTheNearestDoubleForRandomDigits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300000; ++i) {
    std::string text = random() % 2 == 0 ? "-" : "";
    const std::size_t digits = 1 + random() % 21;
    const std::size_t point = random() % (digits + 1);
    for (std::size_t j = 0; j < digits; ++j) {
      if (j == point) text += '.';
      text += static_cast<char>('0' + random() % 10);
    }
    if (random() % 3 == 0) text.append("e").append(std::to_string(static_cast<int>(random() % 60) - 30));
    expect_nearest(text);
  }
}

TEST(Number, IsTheNearestDoubleForPrintedDoubles) {
  std::mt19937_64 random(2);
  std::lognormal_distribution<double> heavy(0, 10);
  for (int i = 0; i < 100000; ++i) {
    const double anywhere = std::bit_cast<double>(random());
    if (std::isfinite(anywhere)) expect_nearest(formatted("%.*e", static_cast<int>(random() % 20), anywhere));
    const double amount = heavy(random);
    expect_nearest(formatted("%.*g", 17, amount));
    expect_nearest(formatted("%.*f", static_cast<int>(random() % 12), amount));
  }
}

// Halfway between two doubles the even one must win, and a digit more or less must decide: where a parser that rounds
// twice goes wrong.
TEST(Number, RoundsTiesToEven) {
  std::mt19937_64 random(3);
  const std::string fractions[] = {"5", "25", "75", "125", "375", "625", "875"};
  for (int i = 0; i < 100000; ++i) {
    for (const int bits : {49, 50, 51, 52}) {
      const std::uint64_t whole = (std::uint64_t{1} << bits) + random() % (std::uint64_t{1} << bits);
      const std::string& fraction = fractions[random() % 7];
      expect_nearest(std::to_string(whole) + "." + fraction);
      expect_nearest(std::to_string(whole) + "." + fraction.substr(0, fraction.size() - 1) + "4");
    }
    const std::uint64_t integer = (random() >> 11 << 11) + (std::uint64_t{1} << 10);  // ties above 2^63
    if (integer > 0) expect_nearest(std::to_string(integer));
    expect_nearest(std::to_string((std::uint64_t{1} << 53) + random() % 1000));
  }
}

TEST(Number, KnowsTheExtremes) {
  for (const char* text : {"0",
                           "-0",
                           "0.0",
                           "-0.000",
                           "1e308",
                           "1.7976931348623157e308",
                           "1.7976931348623158e308",
                           "5e-324",
                           "-5e-324",
                           "4.9e-324",
                           "2.2250738585072014e-308",
                           "2.2250738585072011e-308",
                           "1e-400",
                           "-1e-400",
                           "1e-99999999999999999999",
                           "0e999",
                           "0e99999999999999999999",
                           "9999999999999999999",
                           "18446744073709551615",
                           "18446744073709551616",
                           "0.000000000000000000000000000000000000000000000000000000001",
                           "1.",
                           ".5",
                           "-.5",
                           "5.e3",
                           "1E5",
                           "1e+5",
                           "1e-05",
                           "9007199254740993",
                           "9007199254740992",
                           "123456789012345678901234567890",
                           "8.5e15",
                           "1e22",
                           "1e23",
                           "1e-22",
                           "1e-23",
                           "1e-27",
                           "1e-28",
                           "9999999999999999999e-27",
                           "1e0000000000000000000000005"}) {
    expect_nearest(text);
  }
  expect_nearest(std::string(5000, '9') + "e-5000");
  expect_nearest("0." + std::string(400, '0') + "1");
  expect_nearest("0." + std::string(400, '0') + "1e390");
  expect_nearest("1" + std::string(400, '0') + "e-400");
}

TEST(Number, BeyondTheLargestDoubleIsNotFinite) {
  double value = 0;
  for (const char* text : {"1e309", "-1e999", "1.7976931348623159e308", "1e99999999999999999999", "inf", "-inf",
                           "infinity", "INF", "nan", "-nan", "NaN", "nan(0)"}) {
    EXPECT_EQ(parse_number(text, value), NumberStatus::not_finite) << text;
    EXPECT_FALSE(is_plain(text)) << text;
  }
  EXPECT_EQ(parse_number(std::string(400, '9'), value), NumberStatus::not_finite);
  EXPECT_EQ(parse_number("0." + std::string(400, '0') + "1e900", value), NumberStatus::not_finite);
}

TEST(Number, AllowsBlanksAroundAndOnePlus) {
  double value = 0;
  EXPECT_EQ(parse_number(" \t+1.5 \t", value), NumberStatus::ok);
  EXPECT_EQ(value, 1.5);
  EXPECT_EQ(parse_number("+.5e+1", value), NumberStatus::ok);
  EXPECT_EQ(value, 5);
}

TEST(Number, IsNothingElse) {
  double value = 0;
  for (const char* text : {"",      " ",   "+",     "-",     ".",    "-.",  "e5",       "1e",        "1e+", "1e5.5",
                           "1.2.3", "1,5", "1 000", "1_000", "0x10", "1f",  "5%",       "$5",        "--5", "++5",
                           "+-5",   "-+5", "+ 5",   "- 5",   "true", "1d5", "\xd9\xa1", "1\xc2\xa0", "'5'"}) {
    EXPECT_EQ(parse_number(text, value), NumberStatus::no_number) << text;
  }
  EXPECT_EQ(parse_number(std::string_view("1\0", 2), value), NumberStatus::no_number);
  EXPECT_EQ(parse_number(std::string_view("\0001", 2), value), NumberStatus::no_number);
}

TEST(Number, CommonFormsTakeTheFastPath) {
  for (const char* text : {"0", "-1", "123456", "0.1", "-12.50", "3.141592653589793", "0.12345678901234567", "1e5",
                           "6.02e-3", "1234567890123456789", "1234567890.123456789"}) {
    EXPECT_TRUE(is_plain(text)) << text;
  }
  for (const char* text : {"", "-", ".", "+1", " 1", "12345678901234567890", "1e", "1e99999", "abc", "\"1\""}) {
    EXPECT_FALSE(is_plain(text)) << text;
  }
}

}  // namespace
}  // namespace tailcoat
