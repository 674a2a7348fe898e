#include "tailcoat/report/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tailcoat::report {
namespace {

TEST(ReportText, WhatMeansSomethingToHtmlIsEscaped) {
  EXPECT_EQ(escaped("<a href=\"x\" title='y'>&</a>"), "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;&lt;/a&gt;");
}

TEST(ReportText, ValidUtf8Stays) {
  EXPECT_EQ(escaped("é 東京 مساحة 👩‍👧\n"), "é 東京 مساحة 👩‍👧\n");
  EXPECT_EQ(escaped("\uFFFD"), "\uFFFD");
}

TEST(ReportText, WhatIsNoUtf8IsReplacedByteByByte) {
  EXPECT_EQ(escaped("a\xff"), "a\uFFFD");
  EXPECT_EQ(escaped("\xc0\x80"), "\uFFFD\uFFFD") << "an overlong form of NUL";
  EXPECT_EQ(escaped("\xe0\x80\xbc"), "\uFFFD\uFFFD\uFFFD") << "an overlong form of <";
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD") << "half of a surrogate pair";
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "beyond Unicode";
  EXPECT_EQ(escaped("\xe2\x82"), "\uFFFD\uFFFD") << "cut short";
  EXPECT_EQ(escaped("\xe2<"), "\uFFFD&lt;") << "no byte that means something is swallowed";
}

TEST(ReportText, ControlsAndDirectionMarksAreReplaced) {
  EXPECT_EQ(escaped(std::string_view("a\0b\x1b\x7f\xc2\x85", 7)), "a\uFFFDb\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(escaped("\u202Ex\u2069"), "\uFFFDx\uFFFD");
}

TEST(ReportText, LongNamesKeepBothEndsAndNeverCutACharacter) {
  EXPECT_EQ(shortened("abcdefghijkl", 6), "abc…kl");
  EXPECT_EQ(shortened("<<<<<<<<<<", 4), "&lt;&lt;…&lt;");
  EXPECT_EQ(shortened("東東東東東東", 4), "東東…東");
  EXPECT_EQ(shortened("abc", 3), "abc");
}

TEST(ReportText, ANameThatWasCutHasItsLongFormAsTitle) {
  EXPECT_EQ(name_html("short"), "<bdi>short</bdi>");
  EXPECT_EQ(name_html("\"abcdefgh", 4), "<bdi title=\"&quot;abcdefgh\">&quot;a…h</bdi>");
  EXPECT_LT(name_html(std::string(100000, 'x')).size(), 1200u);
  EXPECT_EQ(name_html(""), "<bdi>(no name)</bdi>");
}

TEST(ReportText, NumbersAreWrittenForReaders) {
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(-0.0), "0");
  EXPECT_EQ(number(1234567), "1,234,567");
  EXPECT_EQ(number(-12345.6), "−12,346");
  EXPECT_EQ(number(999.96), "1,000");
  EXPECT_EQ(number(0.04123456), "0.04123");
  EXPECT_EQ(number(0.5, 3), "0.5");
  EXPECT_EQ(number(1e-6), "10⁻⁶");
  EXPECT_EQ(number(1.3e-9, 2), "1.3 × 10⁻⁹");
  EXPECT_EQ(number(-2e12), "−2 × 10¹²");
  EXPECT_EQ(number(std::numeric_limits<double>::infinity()), "∞");
  EXPECT_EQ(number(std::nan("")), "–");
  EXPECT_EQ(signed_number(5), "+5");
  EXPECT_EQ(signed_number(0), "0");
  EXPECT_EQ(count(20640), "20,640");
  EXPECT_EQ(count(999), "999");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(percent(0.0794), "7.9\u202F%");
}

TEST(ReportText, UpperBoundsRoundUp) {
  EXPECT_DOUBLE_EQ(rounded_up(2.71828, 3), 2.72);
  EXPECT_DOUBLE_EQ(rounded_up(2.7101, 3), 2.72);
  EXPECT_DOUBLE_EQ(rounded_up(0.05, 3), 0.05);
  EXPECT_DOUBLE_EQ(rounded_up(99.91, 2), 100);
  EXPECT_EQ(rounded_up(0, 3), 0);
}

}  // namespace
}  // namespace tailcoat::report
