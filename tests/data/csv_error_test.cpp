#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "files.hpp"
#include "tailcoat/data/text.hpp"

namespace tailcoat {
namespace {

class CsvError : public testing::Test {
 protected:
  // The message without the file's path and the note on privacy, which every message about rows must carry.
  std::string message(std::string_view text, const ReadOptions& options = {}) {
    const std::string path = files_.write("a.csv", text);
    const auto table = load_file(path, options);
    if (table) {
      ADD_FAILURE() << "was read: " << text;
      return "";
    }
    EXPECT_EQ(table.error().kind, ErrorKind::data);
    std::string message = table.error().message;
    const std::string note = " (not private: this message depends on the rows)";
    about_rows_ = message.ends_with(note);
    if (about_rows_) message.resize(message.size() - note.size());
    if (const std::size_t at = message.find("'" + path + "'"); at != std::string::npos) {
      message.replace(at, path.size() + 2, "FILE");
    }
    return message;
  }

  bool about_rows_ = false;
  TemporaryFiles files_;
};

TEST_F(CsvError, CellThatIsNoNumberIsNamedWithLineAndColumn) {
  EXPECT_EQ(message("age,amount\n1,2\n3,abc\n"),
            "'abc' in line 3, column 'amount' of FILE is not a number; leave it empty if the value is missing, declare "
            "the column as text, or leave the column out");
  EXPECT_TRUE(about_rows_);
}

TEST_F(CsvError, LinesAreThoseOfTheFileAlsoAfterQuotedBreaks) {
  const std::string text = "\"a\nb\",t\r\n1,\"x\ny\r\nz\"\n2,\"\n\n\"\n3,q\nbad,\"\n\"\n";
  EXPECT_TRUE(message(text, {.text_columns = {"t"}}).starts_with("'bad' in line 10, column 'a\\x0ab' of FILE"));
  EXPECT_TRUE(message("a,b\n1,\"\n\nx\"\n").starts_with("'\\x0a\\x0ax' in line 2, column 'b'"));
}

TEST_F(CsvError, OffendingTextIsCutAndEscaped) {
  const std::string shown = message("a\n\x1b[31m" + std::string(1000, 'x') + "\n");
  EXPECT_TRUE(shown.starts_with("'\\x1b[31m" + std::string(35, 'x') + "...' in line 2")) << shown;
}

TEST_F(CsvError, NumbersBeyondADoubleAreRefused) {
  for (const std::string number : {"1e999", "-1e309", "inf", "-Infinity", "-nan", "NAN"}) {
    EXPECT_EQ(message("amount\n1\n" + number + "\n"),
              "'" + number +
                  "' in line 3, column 'amount' of FILE does not fit a double; leave it empty if the value "
                  "is missing");
  }
}

TEST_F(CsvError, EmptyCellIsRefusedWhereItIsNoMarker) {
  EXPECT_TRUE(
      message("a,b\n1,\n", {.missing = {"NA"}}).starts_with("'' in line 2, column 'b' of FILE is not a number"));
}

TEST_F(CsvError, RaggedRowsAreRefused) {
  EXPECT_EQ(message("a,b,c\n1,2,3\n4,5\n"), "line 3 of FILE has only 2 of the 3 fields that the header names");
  EXPECT_TRUE(about_rows_);
  EXPECT_EQ(message("a,b\n1,2\n3,4,5\n"), "line 3 of FILE has more than the 2 fields that the header names");
  EXPECT_EQ(message("a,b\n1,2,\n"), "line 2 of FILE has more than the 2 fields that the header names");
  EXPECT_EQ(message("a,b\n1,2\n3"), "line 3 of FILE has only 1 of the 2 fields that the header names");
  EXPECT_EQ(message("a,b\n1,2\n3", {.columns = {"a"}, .chunk_bytes = 1}),
            "line 3 of FILE has only 1 of the 2 fields that the header names");
}

TEST_F(CsvError, EmptyLinesAreRefusedUnlessTheyEndTheFile) {
  EXPECT_EQ(message("a,b\n1,2\n\n\n2,3\n"),
            "line 3 of FILE is empty but rows follow; write a row of one missing cell as NA");
  EXPECT_EQ(message("a,b\r\n\r\n1,2\r\n"),
            "line 2 of FILE is empty but rows follow; write a row of one missing cell as NA");
}

// Otherwise a missing last cell would change the number of rows, which is public.
TEST_F(CsvError, WithASingleColumnEveryEmptyLineIsRefused) {
  for (const char* text : {"a\n1\n\n2\n", "a\n1\n\n", "a\n\n"})
    EXPECT_TRUE(message(text).ends_with("is empty; write a missing cell as NA, and no empty lines")) << text;
}

TEST_F(CsvError, BrokenQuotesAreRefused) {
  EXPECT_EQ(message("a,b\n1,2\n\"3,4\n5,6\n"),
            "the record that begins in line 3 of FILE does not end: the quote opened in line 3 is not closed");
  EXPECT_EQ(message("a,b\n\"x\n\n\",\"y", {.text_columns = {"a", "b"}}),
            "the record that begins in line 2 of FILE does not end: the quote opened in line 4 is not closed");
  EXPECT_EQ(message("a,b\n1,2\"\n"),
            "a quote inside a field without quotes in line 2 of FILE; put the field in quotes and double those in it");
  EXPECT_TRUE(message("a,b\n1, \"2\"\n").starts_with("a quote inside a field without quotes in line 2"));
  EXPECT_EQ(
      message("a,b\n\"1\n\"x,2\n"),
      "a field in quotes begins in line 2 of FILE and goes on after its closing quote in line 3; double the quotes "
      "inside it");
  EXPECT_TRUE(message("\"a").starts_with("the record that begins in line 1"));
}

TEST_F(CsvError, CarriageReturnAloneIsRefused) {
  EXPECT_EQ(message("a,b\n1,2\r3,4\n"),
            "a carriage return without line feed in line 2 of FILE; lines end with LF or CRLF");
  EXPECT_TRUE(message("a,b\r1,2\r").starts_with("a carriage return without line feed in line 1"));
  EXPECT_TRUE(message("a\n1\n\r2\n").starts_with("a carriage return without line feed in line 3"));
}

TEST_F(CsvError, EmptyFileIsRefused) {
  EXPECT_EQ(message(""), "FILE is empty; a header line with names is needed");
  EXPECT_EQ(message("\xef\xbb\xbf", {.chunk_bytes = 3}), "FILE is empty; a header line with names is needed");
}

TEST_F(CsvError, HeaderNeedsDifferentNames) {
  EXPECT_EQ(message("a,b,a\n1,2,3\n"), "two columns are called 'a'; names must differ");
  EXPECT_TRUE(message(",a\n0,1\n").starts_with("column 1 has no name"));
  EXPECT_TRUE(message("a,b,\n0,1,2\n").starts_with("column 3 has no name"));
  EXPECT_TRUE(message("\n1\n").starts_with("column 1 has no name"));
  EXPECT_TRUE(message("caf\xe9\n1\n").find("not UTF-8") != std::string::npos);
}

// The names are published; a file without header must not publish its first row.
TEST_F(CsvError, FirstLineOfDataIsNotTakenForAHeader) {
  EXPECT_EQ(message("39,State-gov,77516\n50,Private,1\n"),
            "'39' in the first line of FILE is no column name; the file needs a header, since names are published and "
            "rows are not");
  EXPECT_TRUE(about_rows_);
  EXPECT_TRUE(message("Private,?,x\n").starts_with("'?' in the first line"));
  EXPECT_TRUE(message("a,1e999\n").starts_with("'1e999' in the first line"));
}

TEST_F(CsvError, BytesThatAreNoTextAreRefused) {
  using namespace std::string_literals;
  EXPECT_TRUE(message("a\n1\0\n"s).starts_with("'1\\x00' in line 2, column 'a' of FILE is not a number"));
  EXPECT_TRUE(message("a\nx\0y\n"s, {.text_columns = {"a"}}).find("is not UTF-8 text") != std::string::npos);
  EXPECT_TRUE(message("a\ncaf\xe9\n", {.text_columns = {"a"}})
                  .starts_with("'caf\\xe9' in line 2, column 'a' of FILE is not UTF-8"));
  EXPECT_TRUE(message("\xff\xfe"
                      "a\0,\0b\0\n\0"s)
                  .find("is not UTF-8 text") != std::string::npos);
}

TEST_F(CsvError, LongLinesAreRefusedWithoutReadingThemWhole) {
  EXPECT_EQ(message("a,b\n1,2\n" + std::string(2 * kMaxRecordBytes, '7') + ",1\n"),
            "the record that begins in line 3 of FILE is longer than 16777216 bytes");
  EXPECT_EQ(message("a,b\n1,\"" + std::string(2 * kMaxRecordBytes, '\n') + "\"\n"),
            "the record that begins in line 2 of FILE is longer than 16777216 bytes: the quote opened in line 2 is not "
            "closed");
  EXPECT_TRUE(message(std::string(2 * kMaxRecordBytes, 'h')).starts_with("the record that begins in line 1"));
}

TEST_F(CsvError, LimitOnLinesDoesNotDependOnTheChunks) {
  for (const std::size_t chunk : {std::size_t{1000}, std::size_t{1} << 18, kMaxRecordBytes}) {
    const ReadOptions options{.text_columns = {"a"}, .chunk_bytes = chunk};
    EXPECT_TRUE(load_file(files_.write("a.csv", "a\n" + std::string(kMaxRecordBytes - 1, 'x') + "\n"), options).ok());
    EXPECT_FALSE(load_file(files_.write("a.csv", "a\n" + std::string(kMaxRecordBytes, 'x') + "\n"), options).ok());
  }
}

TEST_F(CsvError, LineOfTenGigabytesIsRefusedAtOnce) {
  const std::string path = files_.write("long.csv", "a\n");
  ASSERT_EQ(truncate(path.c_str(), 10'000'000'000), 0);  // sparse: zero bytes without a line feed
  const auto table = load_file(path);
  ASSERT_FALSE(table.ok());
  EXPECT_NE(table.error().message.find("line 2"), std::string::npos);
  EXPECT_NE(table.error().message.find("longer than 16777216 bytes"), std::string::npos);
}

TEST_F(CsvError, FilesThatCannotBeReadAreNamed) {
  const std::string none = files_.path("none.csv"), folder = files_.path("folder.csv");
  EXPECT_EQ(load_file(none).error().message, in_quotes(none, 200) + " cannot be opened: No such file or directory");
  std::filesystem::create_directory(folder);
  EXPECT_EQ(load_file(folder).error().message, in_quotes(folder, 200) + " is a directory; name a file in it");
  ASSERT_EQ(mkfifo(files_.path("pipe.csv").c_str(), 0600), 0);
  EXPECT_NE(load_file(files_.path("pipe.csv")).error().message.find("is not a regular file"), std::string::npos);
  const std::string secret = files_.write("secret.csv", "a\n1\n");
  ASSERT_EQ(chmod(secret.c_str(), 0), 0);
  if (geteuid() != 0) {  // root reads everything
    EXPECT_NE(load_file(secret).error().message.find("Permission denied"), std::string::npos);
  }
}

TEST_F(CsvError, UnknownExtensionsAreRefusedWithThoseThatAreKnown) {
  for (const char* name : {"a.xlsx", "a", "a.gz", ".csv/a", "a.npz"}) {
    const auto table = load_file(files_.path(name));
    ASSERT_FALSE(table.ok());
    EXPECT_EQ(table.error().kind, ErrorKind::usage);
    EXPECT_NE(table.error().message.find(".csv"), std::string::npos);
  }
}

TEST_F(CsvError, OptionsThatDoNotFitTheFileAreUsageErrors) {
  const std::string path = files_.write("a.csv", "age,amount\n1,2\n");
  for (const ReadOptions& options :
       {ReadOptions{.columns = {"agee"}}, ReadOptions{.text_columns = {"agee"}}, ReadOptions{.columns = {"age", "age"}},
        ReadOptions{.delimiter = 'x'}, ReadOptions{.delimiter = '"'}, ReadOptions{.delimiter = '\n'},
        ReadOptions{.delimiter = '\0'}, ReadOptions{.delimiter = '.'}}) {
    const auto table = load_file(path, options);
    ASSERT_FALSE(table.ok());
    EXPECT_EQ(table.error().kind, ErrorKind::usage) << table.error().message;
  }
  EXPECT_NE(load_file(path, {.columns = {"agee"}}).error().message.find("Did you mean 'age'?"), std::string::npos);
}

TEST_F(CsvError, FileThatChangesWhileItIsReadIsRefused) {
  std::string text = "a\n";
  for (int i = 0; i < 1000; ++i) text += std::to_string(i) + "\n";
  const auto read_and = [&](const std::function<void(const std::string&)>& change) {
    const std::string path = files_.write("a.csv", text);
    auto source = open_rows(path, {.chunk_bytes = 64});
    std::vector<double> block(10);
    EXPECT_TRUE((*source)->read(block).ok());
    change(path);
    for (;;) {
      const auto rows = (*source)->read(block);
      if (!rows) return rows.error().message;
      if (*rows == 0) return std::string("end");
    }
  };
  EXPECT_EQ(read_and([](const std::string&) {}), "end");
  const std::string changed = "changed while it was read";
  EXPECT_NE(read_and([](const std::string& path) { std::ofstream(path, std::ios::app) << "7\n"; }).find(changed),
            std::string::npos);
  EXPECT_NE(read_and([](const std::string& path) { std::filesystem::resize_file(path, 200); }).find(changed),
            std::string::npos);
  EXPECT_NE(read_and([](const std::string& path) {
              std::filesystem::last_write_time(path,
                                               std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
            }).find(changed),
            std::string::npos);
}

TEST_F(CsvError, FileThatChangesBetweenTwoPassesIsRefused) {
  const std::string path = files_.write("a.csv", "a\n1\n2\n");
  auto source = open_rows(path);
  std::ofstream(path, std::ios::app) << "3\n";
  EXPECT_FALSE((*source)->rewind().ok());
  std::vector<double> block(10);
  EXPECT_FALSE((*source)->read(block).ok());
}

}  // namespace
}  // namespace tailcoat
