#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <clocale>

#include "files.hpp"

namespace tailcoat {
namespace {

using Names = std::vector<std::string>;

class Csv : public testing::Test {
 protected:
  Table read(std::string_view text, const ReadOptions& options = {}, Storage storage = Storage::f64) {
    auto table = load_file(files_.write("a.csv", text), options, storage);
    if (!table) ADD_FAILURE() << table.error().message;
    return table ? std::move(*table) : *Table::create({{.name = "failed"}}, storage);
  }

  TemporaryFiles files_;
};

TEST_F(Csv, IsAHeaderAndRowsOfNumbers) {
  const Table table = read("age,amount\n31,1.5\n-4,2e3\n");
  EXPECT_EQ(names_of(table), (Names{"age", "amount"}));
  EXPECT_TRUE(same_cells(cells_of(table), {31, 1.5, -4, 2000}));
}

TEST_F(Csv, LinesEndInLfOrCrLfAndTheLastMayEndWithTheFile) {
  const std::vector<double> cells = {1, 2, 3, 4};
  EXPECT_TRUE(same_cells(cells_of(read("a,b\n1,2\n3,4\n")), cells));
  EXPECT_TRUE(same_cells(cells_of(read("a,b\r\n1,2\r\n3,4\r\n")), cells));
  EXPECT_TRUE(same_cells(cells_of(read("a,b\r\n1,2\n3,4")), cells));
  EXPECT_TRUE(same_cells(cells_of(read("a,b\n1,2\r\n3,4\r")), cells));
  EXPECT_TRUE(same_cells(cells_of(read("a,b\n1,2\n3,4\n\n\r\n\n")), cells));
  EXPECT_TRUE(same_cells(cells_of(read("a,b\n1,2\n3,\"4\"")), cells));
}

TEST_F(Csv, ByteOrderMarkIsNoPartOfTheFirstName) {
  EXPECT_EQ(names_of(read("\xef\xbb\xbf"
                          "a,b\n1,2\n")),
            (Names{"a", "b"}));
  EXPECT_EQ(names_of(read("\xef\xbb\xbf\"a\",b\n1,2\n", {.chunk_bytes = 3})), (Names{"a", "b"}));
}

TEST_F(Csv, QuotesProtectDelimitersLineBreaksAndQuotes) {
  const Table table = read("\"a,\"\"x\"\"\n!\",city\n\"1\",\"New, \"\"York\"\"\r\ncity\"\n2,\"\"\"\"\n\" 3 \",plain\n",
                           {.text_columns = {"city"}});
  EXPECT_EQ(names_of(table), (Names{"a,\"x\"\n!", "city"}));
  EXPECT_EQ(table.columns()[1].levels, (Names{"New, \"York\"\r\ncity", "\"", "plain"}));
  EXPECT_TRUE(same_cells(cells_of(table), {1, 0, 2, 1, 3, 2}));
}

TEST_F(Csv, MissingMarkersAreNaNQuotedOrNot) {
  const Table table = read("a,b\n,NA\nN/A,NaN\nnan,null\nNULL,?\n\"\",\"NA\"\n  , NA \n0,-0\n");
  const auto cells = cells_of(table);
  ASSERT_EQ(cells.size(), 14u);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_TRUE(std::isnan(cells[i])) << i;
  EXPECT_EQ(cells[12], 0);
}

TEST_F(Csv, MissingMarkersCanBeChosenAndMayBeNumbers) {
  const Table table = read("a,b\n-999,1\n-999.0,none\n", {.missing = {"-999", "none"}});
  EXPECT_TRUE(same_cells(cells_of(table), {kMissing, 1, -999, kMissing}));
}

TEST_F(Csv, TextColumnsAreDeclaredAndHoldIndicesOfLevels) {
  const Table table = read("city,n,tag\nOslo,1,7\nBern,2,\nOslo,3,07\n?,4,7\n", {.text_columns = {"tag", "city"}});
  EXPECT_EQ(table.columns()[0].kind, ColumnKind::text);
  EXPECT_EQ(table.columns()[1].kind, ColumnKind::number);
  EXPECT_EQ(table.columns()[0].levels, (Names{"Oslo", "Bern"}));
  EXPECT_EQ(table.columns()[2].levels, (Names{"7", "07"}));
  EXPECT_TRUE(same_cells(cells_of(table), {0, 1, 0, 1, 2, kMissing, 0, 3, 1, kMissing, 4, 0}));
}

TEST_F(Csv, TextKeepsItsBlanks) {
  EXPECT_EQ(read("t\n a \na\n\"a \"\n", {.text_columns = {"t"}}).columns()[0].levels, (Names{" a ", "a", "a "}));
}

TEST_F(Csv, ColumnsAreChosenByNameInAnyOrderAndTheRestIsNotLookedAt) {
  const Table table =
      read("id,date,price,\"no\nte\"\n1,2014T,10.5,\"x\n,\"\n2,?!,20,y\n", {.columns = {"price", "id"}});
  EXPECT_EQ(names_of(table), (Names{"price", "id"}));
  EXPECT_TRUE(same_cells(cells_of(table), {10.5, 1, 20, 2}));
}

TEST_F(Csv, DelimiterCanBeChosenAndTsvHasTabs) {
  for (const char delimiter : std::string_view(",;|:\t ")) {
    const std::string d(1, delimiter);
    EXPECT_TRUE(same_cells(cells_of(read("a" + d + "b\n1.5" + d + "2\n", {.delimiter = delimiter})), {1.5, 2}));
  }
  EXPECT_TRUE(same_cells(cells_of(*load_file(files_.write("a.TSV", "a\tb\n1\t\n"))), {1, kMissing}));
}

TEST_F(Csv, NumbersDoNotDependOnTheLocale) {
  // Only the C locale may be installed; where another is, a point must still be a point.
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
  EXPECT_TRUE(same_cells(cells_of(read("a,b\n1.5,0.12345678901234567890\n")), {1.5, 0.12345678901234567890}));
  std::setlocale(LC_ALL, before.c_str());
}

TEST_F(Csv, NumbersOfEveryFormAreRead) {
  EXPECT_TRUE(same_cells(cells_of(read("a,b,c,d\n+1, 2\t,\"3\",.5\n1E2,-0,5e-324,1.7976931348623157e308\n")),
                         {1, 2, 3, 0.5, 100, -0.0, 5e-324, 1.7976931348623157e308}));
}

TEST_F(Csv, HeaderAloneIsATableWithoutRows) {
  for (const char* text : {"a,b", "a,b\n", "a,b\r\n\r\n"}) {
    const Table table = read(text);
    EXPECT_EQ(table.rows(), 0u);
    EXPECT_EQ(names_of(table), (Names{"a", "b"}));
  }
}

TEST_F(Csv, FloatStorageRoundsTheDouble) {
  const Table table = read("a,b\n0.1,16777217\nNA,3\n", {}, Storage::f32);
  EXPECT_EQ(table.view().index(), 1u);
  EXPECT_TRUE(same_cells(cells_of(table), {static_cast<double>(0.1f), 16777216, kMissing, 3}));
}

TEST_F(Csv, ManyColumnsAndLongRowsAreServed) {
  std::string text;
  for (int i = 0; i < 50000; ++i) text.append(i == 0 ? "x" : ",x").append(std::to_string(i));
  text += '\n';
  for (int i = 0; i < 50000; ++i) text.append(i == 0 ? "" : ",").append(std::to_string(i));
  const Table table = read(text, {.chunk_bytes = 64});
  ASSERT_EQ(table.columns().size(), 50000u);
  EXPECT_EQ(cells_of(table)[49999], 49999);
}

std::string csv_field(const std::string& text, bool force_quotes) {
  if (!force_quotes && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// Texts that try to be mistaken for structure.
rc::Gen<std::string> text_cell() {
  const auto piece = rc::gen::element<std::string>("a", ",", "\"", "\n", "\r", " ", "\t", "1", "?", "NA", "\xc3\xa9");
  return rc::gen::map(rc::gen::container<Names>(piece), [](const Names& pieces) {
    std::string text;
    for (const std::string& each : pieces) text += each;
    return text;
  });
}

rc::Gen<double> number_cell() {
  return rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t bits) {
    const double value = std::bit_cast<double>(bits);
    return std::isfinite(value) ? value : kMissing;
  });
}

TEST(CsvProperty, WhatIsWrittenIsReadForAnyTextAndAnyDouble) {
  const TemporaryFiles files;
  EXPECT_TRUE(rc::check([&files] {
    const auto rows = *rc::gen::inRange<std::size_t>(0, 20);
    const bool crlf = *rc::gen::arbitrary<bool>();
    std::string file = "number,text,other\n";
    std::vector<double> cells;
    Names levels;
    for (std::size_t i = 0; i < rows; ++i) {
      const double number = *number_cell();
      const std::string text = *text_cell();
      const double other = *number_cell();
      char digits[2][40];
      std::snprintf(digits[0], 40, "%.17g", number);
      std::snprintf(digits[1], 40, "%.17e", other);
      file += std::string(std::isnan(number) ? "" : digits[0]) + "," + csv_field(text, *rc::gen::arbitrary<bool>()) +
              "," + (std::isnan(other) ? "NA" : digits[1]) + (crlf ? "\r\n" : "\n");
      const std::size_t begin = text.find_first_not_of(" \t");
      const std::string core =
          begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
      const Names markers = ReadOptions().missing;
      double code = kMissing;
      if (std::find(markers.begin(), markers.end(), core) == markers.end()) {
        if (!std::count(levels.begin(), levels.end(), text)) levels.push_back(text);
        code = static_cast<double>(std::find(levels.begin(), levels.end(), text) - levels.begin());
      }
      cells.insert(cells.end(), {number, code, other});
    }
    const auto chunk = *rc::gen::inRange<std::size_t>(1, 40);
    const auto table = load_file(files.write("a.csv", file), {.text_columns = {"text"}, .chunk_bytes = chunk});
    RC_ASSERT(table.ok());
    RC_ASSERT(table->columns()[1].levels == levels);
    RC_ASSERT(same_cells(cells_of(*table), cells));
  }));
}

}  // namespace
}  // namespace tailcoat
