#include "tailcoat/data/text.hpp"

#include <gtest/gtest.h>

namespace tailcoat {
namespace {

TEST(Text, KnowsUtf8FromOtherBytes) {
  for (const char* good : {"", "plain", "prix \xe2\x82\xac", "\xf0\x9f\xa7\xa5", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  // Latin-1, a lone continuation, overlong forms, a surrogate, beyond U+10FFFF, a sequence cut short.
  for (const char* bad : {"caf\xe9", "\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82",
                          "\xf0\x9f\xa7", "\xff\xfe"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
  }
}

TEST(Text, ShowsNothingThatATerminalWouldObey) {
  EXPECT_EQ(in_quotes("amount"), "'amount'");
  EXPECT_EQ(in_quotes("prix \xe2\x82\xac"), "'prix \xe2\x82\xac'");
  EXPECT_EQ(in_quotes("\x1b[2J\n\x7f"), "'\\x1b[2J\\x0a\\x7f'");
  EXPECT_EQ(in_quotes("\xc2\x9b"), "'\\xc2\\x9b'");  // the one-character form of ESC [
  EXPECT_EQ(in_quotes("caf\xe9"), "'caf\\xe9'");
  EXPECT_EQ(in_quotes(std::string_view("a\0b", 3)), "'a\\x00b'");
}

TEST(Text, CutsLongTextBetweenCharacters) {
  EXPECT_EQ(in_quotes(std::string(41, 'a')), "'" + std::string(40, 'a') + "...'");
  EXPECT_EQ(in_quotes(std::string(40, 'a')), "'" + std::string(40, 'a') + "'");
  EXPECT_EQ(in_quotes("\xe2\x82\xac\xe2\x82\xac", 1), "'\xe2\x82\xac...'");
}

}  // namespace
}  // namespace tailcoat
