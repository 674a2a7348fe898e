#include <gtest/gtest.h>

#include "files.hpp"

namespace tailcoat {
namespace {

using Names = std::vector<std::string>;

class Libsvm : public testing::Test {
 protected:
  Result<Table> read(std::string_view text, ReadOptions options = {}) {
    if (options.features == 0) options.features = 3;
    return load_file(files_.write("a.libsvm", text), options);
  }
  std::string message(std::string_view text) {
    const auto table = read(text);
    return table ? "was read" : table.error().message;
  }

  TemporaryFiles files_;
};

TEST_F(Libsvm, RowsComeOutDense) {
  const auto table = read("+1 1:0.5 3:-2\n-1\n1 2:1e3 # comment\n\n  # nothing\r\n0\t1:1\t \r\n2 3:nan");
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(names_of(*table), (Names{"label", "x1", "x2", "x3"}));
  EXPECT_TRUE(same_cells(cells_of(*table), {1, 0.5, 0, -2, -1, 0, 0, 0, 1, 0, 1000, 0, 0, 1, 0, 0, 2, 0, 0, kMissing}));
}

TEST_F(Libsvm, ColumnsCanBeChosen) {
  const auto table = read("1 1:5 2:6\n2 3:7\n", {.columns = {"x3", "label"}});
  EXPECT_TRUE(same_cells(cells_of(*table), {0, 1, 7, 2}));
}

TEST_F(Libsvm, NumberOfFeaturesMustBeSaidBecauseTheLargestIndexIsData) {
  for (const std::size_t features : {std::size_t{0}, kMaxColumns, SIZE_MAX}) {
    const auto table = load_file(files_.write("a.svm", "1 1:1\n"), {.features = features});
    ASSERT_FALSE(table.ok());
    EXPECT_EQ(table.error().kind, ErrorKind::usage);
    EXPECT_NE(table.error().message.find("must be said"), std::string::npos);
  }
}

TEST_F(Libsvm, PackedFilesAndSmallChunksReadTheSame) {
  const std::string text = "1 1:1.25 3:3\n2 2:4\n";
  for (const std::size_t chunk : {1u, 7u, 1000u}) {
    const auto table = load_file(files_.write("a.svm.gz", gzip(text)), {.features = 3, .chunk_bytes = chunk});
    EXPECT_TRUE(same_cells(cells_of(*table), {1, 1.25, 0, 3, 2, 0, 4, 0}));
  }
}

TEST_F(Libsvm, EmptyFileHasNoRows) {
  EXPECT_EQ(read("")->rows(), 0u);
  EXPECT_EQ(read("# nothing\n")->rows(), 0u);
}

TEST_F(Libsvm, BadLinesAreNamed) {
  EXPECT_NE(message("1 1:1\n1 4:1\n").find("'4:1' in line 2 of"), std::string::npos);
  EXPECT_NE(message("1 4:1\n").find("has an index outside 1 .. features = 3"), std::string::npos);
  EXPECT_NE(message("1 0:1\n").find("has an index outside"), std::string::npos);
  EXPECT_NE(message("1 99999999999999999999:1\n").find("is not of the form index:value"), std::string::npos);
  EXPECT_NE(message("1 2:1 1:1\n").find("does not have a larger index"), std::string::npos);
  EXPECT_NE(message("1 2:1 2:1\n").find("does not have a larger index"), std::string::npos);
  EXPECT_NE(message("1 qid:3 1:1\n").find("has a qid"), std::string::npos);
  EXPECT_NE(message("1 1\n").find("is not of the form index:value"), std::string::npos);
  EXPECT_NE(message("1 -1:1\n").find("is not of the form index:value"), std::string::npos);
  EXPECT_NE(message("1 :1\n").find("is not of the form index:value"), std::string::npos);
  EXPECT_NE(message("1 1:\n").find("'' in line 1 of"), std::string::npos);
  EXPECT_NE(message("1 1:abc\n").find("feature 1 is not a number"), std::string::npos);
  EXPECT_NE(message("1,2 1:1\n").find("'1,2' in line 1"), std::string::npos);
  EXPECT_NE(message("1:1\n").find("the label is not a number"), std::string::npos);
  EXPECT_NE(message("1 1:1e999\n").find("does not fit a double"), std::string::npos);
  EXPECT_NE(message("1 1:inf\n").find("does not fit a double"), std::string::npos);
  EXPECT_NE(message("1 1:1\n" + std::string(2 * kMaxRecordBytes, '1')).find("line 2 of"), std::string::npos);
  EXPECT_TRUE(message("1 1:abc\n").ends_with("(not private: this message depends on the rows)"));
}

TEST_F(Libsvm, HasNoTextColumns) { EXPECT_FALSE(read("1\n", {.text_columns = {"label"}}).ok()); }

}  // namespace
}  // namespace tailcoat
