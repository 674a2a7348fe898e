#include "tailcoat/data/row_source.hpp"

#include <gtest/gtest.h>

#include "files.hpp"

namespace tailcoat {
namespace {

// Everything that a source gives, read in blocks of a given number of cells.
std::vector<double> streamed(RowSource& source, std::size_t block_cells) {
  std::vector<double> cells, block(block_cells);
  for (;;) {
    const auto rows = source.read(block);
    if (!rows) {
      ADD_FAILURE() << rows.error().message;
      return cells;
    }
    if (*rows == 0) return cells;
    cells.insert(cells.end(), block.begin(),
                 block.begin() + static_cast<std::ptrdiff_t>(*rows * source.columns().size()));
  }
}

const std::string kText =
    "a,\"t\n1\",b\n1,x,\"2\"\n-3.25,\"y\n\"\"\",NA\r\n1e-3,x,123456789012345678901234567890\n,?,+7\n5,\"z,\",0.1";

TEST(RowSource, StreamsTheSameForEveryBlockAndChunkSize) {
  const TemporaryFiles files;
  const std::string path = files.write("a.csv", kText);
  const auto table = load_file(path, {.text_columns = {"t\n1"}});
  ASSERT_TRUE(table.ok()) << table.error().message;
  ASSERT_EQ(table->rows(), 5u);
  for (const std::size_t chunk : {1u, 2u, 3u, 5u, 7u, 11u, 64u, 1u << 20}) {
    for (const std::size_t block : {3u, 4u, 6u, 100u}) {
      auto source = open_rows(path, {.text_columns = {"t\n1"}, .chunk_bytes = chunk});
      EXPECT_TRUE(same_cells(streamed(**source, block), cells_of(*table))) << chunk << " " << block;
      EXPECT_EQ((*source)->columns()[1].levels, table->columns()[1].levels);
    }
  }
}

TEST(RowSource, RewindStartsAgainAndKeepsTheLevels) {
  const TemporaryFiles files;
  auto source = open_rows(files.write("a.csv", kText), {.text_columns = {"t\n1"}, .chunk_bytes = 7});
  const auto first = streamed(**source, 3);
  for (int pass = 0; pass < 3; ++pass) {
    ASSERT_TRUE((*source)->rewind().ok());
    EXPECT_TRUE(same_cells(streamed(**source, 6), first));
    EXPECT_EQ((*source)->columns()[1].levels.size(), 3u);
  }
}

TEST(RowSource, EndStaysTheEnd) {
  const TemporaryFiles files;
  auto source = open_rows(files.write("a.csv", "a\n1\n"));
  std::vector<double> block(4);
  EXPECT_EQ(*(*source)->read(block), 1u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(*(*source)->read(block), 0u);
}

TEST(RowSource, ErrorStaysUntilRewind) {
  const TemporaryFiles files;
  for (const std::string& path : {files.write("a.csv", "label\n1\nbad\n3\n"), files.write("a.svm", "1\nbad\n3\n")}) {
    auto source = open_rows(path, {.columns = {"label"}, .features = 1});
    std::vector<double> block(1);
    EXPECT_EQ(*(*source)->read(block), 1u);
    for (int i = 0; i < 3; ++i) EXPECT_FALSE((*source)->read(block).ok());
    ASSERT_TRUE((*source)->rewind().ok());
    EXPECT_EQ(*(*source)->read(block), 1u);
    EXPECT_FALSE((*source)->read(block).ok());
  }
}

TEST(RowSource, LoadTakesTheWholeSourceWhateverWasReadBefore) {
  const TemporaryFiles files;
  auto source = open_rows(files.write("a.csv", "a\n1\n2\n3\n"));
  std::vector<double> block(2);
  ASSERT_EQ(*(*source)->read(block), 2u);
  EXPECT_TRUE(same_cells(cells_of(*load(**source, Storage::f64)), {1, 2, 3}));
}

TEST(RowSource, BlockMustHoldARow) {
  const TemporaryFiles files;
  auto source = open_rows(files.write("a.csv", "a,b\n1,2\n"));
  std::vector<double> block(1);
  EXPECT_FALSE((*source)->read(block).ok());
  EXPECT_FALSE((*source)->read({}).ok());
  block.resize(2);
  EXPECT_EQ(*(*source)->read(block), 1u);
}

TEST(RowSource, TableIsASourceToo) {
  const TemporaryFiles files;
  for (const Storage storage : {Storage::f64, Storage::f32}) {
    const auto table = load_file(files.write("a.csv", "a,t\n1,x\n2.5,\n3,y\n"), {.text_columns = {"t"}}, storage);
    const auto source = source_of(*table);
    for (const std::size_t block : {2u, 3u, 4u, 50u}) {
      EXPECT_TRUE(same_cells(streamed(*source, block), {1, 0, 2.5, kMissing, 3, 1}));
      ASSERT_TRUE(source->rewind().ok());
    }
    const auto copy = load(*source, Storage::f64);
    EXPECT_TRUE(same_cells(cells_of(*copy), cells_of(*table)));
    EXPECT_EQ(copy->columns()[1].levels, table->columns()[1].levels);
  }
}

TEST(RowSource, LoadInFloatsRefusesWhatDoesNotFit) {
  const TemporaryFiles files;
  const std::string path = files.write("a.csv", "a\n1\n1e300\n");
  EXPECT_TRUE(load_file(path).ok());
  const auto table = load_file(path, {}, Storage::f32);
  ASSERT_FALSE(table.ok());
  EXPECT_NE(table.error().message.find("1e+300 in row 2, column 'a' does not fit a float"), std::string::npos);
}

}  // namespace
}  // namespace tailcoat
