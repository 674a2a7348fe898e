#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "files.hpp"

namespace tailcoat {
namespace {

using Names = std::vector<std::string>;

// A file as the NPY format defines it: magic, version, length, dictionary padded to 64 bytes with a line feed, data.
std::string npy(const std::string& dictionary, std::string_view data, int version = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  const std::size_t prefix = version == 1 ? 10 : 12;
  const std::size_t length = (prefix + dictionary.size() + 1 + 63) / 64 * 64 - prefix;
  for (std::size_t i = 0; i < prefix - 8; ++i) file += static_cast<char>(length >> (8 * i) & 0xff);
  file += dictionary + std::string(length - dictionary.size() - 1, ' ') + "\n";
  return file + std::string(data);
}

std::string dictionary(const std::string& type, bool fortran, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

class Npy : public testing::Test {
 protected:
  Result<Table> read(std::string_view bytes, const ReadOptions& options = {}, Storage storage = Storage::f64) {
    return load_file(files_.write("a.npy", bytes), options, storage);
  }
  std::string message(std::string_view bytes) {
    const auto table = read(bytes);
    return table ? "was read" : table.error().message;
  }

  TemporaryFiles files_;
};

const std::vector<double> kSix = {1, 2.5, -3, 4, kMissing, 1e308};

TEST_F(Npy, MatrixOfDoublesInCOrder) {
  for (const int version : {1, 2, 3}) {
    const auto table = read(npy(dictionary("<f8", false, "(2, 3)"), bytes_of(kSix), version));
    ASSERT_TRUE(table.ok()) << table.error().message;
    EXPECT_EQ(names_of(*table), (Names{"x0", "x1", "x2"}));
    EXPECT_TRUE(same_cells(cells_of(*table), kSix));
  }
}

TEST_F(Npy, FortranOrderGivesTheSameRows) {
  const std::vector<double> by_columns = {1, 4, 2.5, kMissing, -3, 1e308};
  const auto table = read(npy(dictionary("<f8", true, "(2, 3)"), bytes_of(by_columns)));
  EXPECT_TRUE(same_cells(cells_of(*table), kSix));
}

TEST_F(Npy, FloatsAreWidenedExactlyAndKeptInFloatStorage) {
  const std::vector<float> floats = {0.1f, 3e38f, -1e-45f, std::numeric_limits<float>::quiet_NaN()};
  const std::vector<double> widened = {static_cast<double>(0.1f), static_cast<double>(3e38f),
                                       static_cast<double>(-1e-45f), kMissing};
  for (const Storage storage : {Storage::f64, Storage::f32}) {
    const auto table = read(npy(dictionary("<f4", false, "(2, 2)"), bytes_of(floats)), {}, storage);
    EXPECT_TRUE(same_cells(cells_of(*table), widened));
  }
}

TEST_F(Npy, VectorIsOneColumn) {
  const auto table = read(npy(dictionary("<f8", false, "(6,)"), bytes_of(kSix)));
  EXPECT_EQ(names_of(*table), Names{"x0"});
  EXPECT_TRUE(same_cells(cells_of(*table), kSix));
}

TEST_F(Npy, LargeMatricesAreTheSameInEitherOrder) {
  const std::size_t rows = 20011, columns = 7;
  std::vector<double> by_rows(rows * columns), by_columns(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      by_rows[i * columns + j] = by_columns[j * rows + i] = static_cast<double>(i * 1000 + j);
    }
  }
  const std::string shape = "(20011, 7)";
  EXPECT_TRUE(same_cells(cells_of(*read(npy(dictionary("<f8", false, shape), bytes_of(by_rows)))), by_rows));
  EXPECT_TRUE(same_cells(cells_of(*read(npy(dictionary("<f8", true, shape), bytes_of(by_columns)))), by_rows));
}

TEST_F(Npy, ColumnsCanBeChosen) {
  const std::vector<double> expected = {-3, 1, 1e308, 4};
  const std::vector<double> by_columns = {1, 4, 2.5, kMissing, -3, 1e308};
  const ReadOptions options{.columns = {"x2", "x0"}};
  EXPECT_TRUE(same_cells(cells_of(*read(npy(dictionary("<f8", false, "(2, 3)"), bytes_of(kSix)), options)), expected));
  EXPECT_TRUE(
      same_cells(cells_of(*read(npy(dictionary("<f8", true, "(2, 3)"), bytes_of(by_columns)), options)), expected));
  EXPECT_FALSE(read(npy(dictionary("<f8", false, "(2, 3)"), bytes_of(kSix)), {.columns = {"x3"}}).ok());
  EXPECT_FALSE(read(npy(dictionary("<f8", false, "(2, 3)"), bytes_of(kSix)), {.text_columns = {"x0"}}).ok());
}

TEST_F(Npy, ArrayWithoutRowsIsATableWithoutRows) {
  EXPECT_EQ(read(npy(dictionary("<f8", false, "(0, 3)"), ""))->rows(), 0u);
  EXPECT_EQ(read(npy(dictionary("<f8", true, "(0, 3)"), ""))->columns().size(), 3u);
}

TEST_F(Npy, InfinitiesAreRefused) {
  std::vector<double> cells = kSix;
  cells[4] = -std::numeric_limits<double>::infinity();
  const std::string text = message(npy(dictionary("<f8", false, "(2, 3)"), bytes_of(cells)));
  EXPECT_NE(text.find("-inf in row 2, column 'x1'"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("(not private: this message depends on the rows)"));
  std::vector<double> block(6);  // also where no table looks at them again
  EXPECT_FALSE((*open_rows(files_.path("a.npy")))->read(block).ok());
}

TEST_F(Npy, OtherTypesAreRefusedByName) {
  for (const std::string type : {">f8", "<i8", "<f2", "|O", "|b1", "<c16", "<U5", "=f8", "f8", "<f16"}) {
    const std::string text = message(npy(dictionary(type, false, "(1, 1)"), std::string(8, '\0')));
    EXPECT_NE(text.find("of type '" + type + "'"), std::string::npos) << text;
  }
  const std::string structured = "{'descr': [('a', '<f8'), ('b', '<f4')], 'fortran_order': False, 'shape': (1,), }";
  EXPECT_NE(message(npy(structured, std::string(12, '\0'))).find("of type '[('a', '<f8'), ('b', '<f4')]'"),
            std::string::npos);
}

TEST_F(Npy, ShapesThatCannotBeServedAreRefused) {
  const std::string data(64, '\0');
  EXPECT_NE(message(npy(dictionary("<f8", false, "()"), data)).find("0 dimensions"), std::string::npos);
  EXPECT_NE(message(npy(dictionary("<f8", false, "(2, 2, 2)"), data)).find("3 dimensions"), std::string::npos);
  EXPECT_NE(message(npy(dictionary("<f8", false, "(8, 0)"), data)).find("0 columns"), std::string::npos);
  EXPECT_NE(message(npy(dictionary("<f8", false, "(1, 99999999999)"), data)).find("columns"), std::string::npos);
  for (const std::string shape : {"(9223372036854775807, 2)", "(18446744073709551615, 8)", "(2305843009213693952, 1)",
                                  "(9, 1)", "(7, 1)", "(2305843009213693951, 8)"}) {
    EXPECT_NE(message(npy(dictionary("<f8", false, shape), data)).find("incomplete or damaged"), std::string::npos);
  }
  EXPECT_NE(message(npy(dictionary("<f8", false, "(99999999999999999999, 1)"), data)).find("cannot be understood"),
            std::string::npos);
  EXPECT_NE(message(npy(dictionary("<f8", false, "(-1, 1)"), data)).find("cannot be understood"), std::string::npos);
}

TEST_F(Npy, FilesCutShortAreRefusedWhereverTheyEnd) {
  const std::string whole = npy(dictionary("<f8", false, "(2, 3)"), bytes_of(kSix));
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_NE(message(whole.substr(0, size)), "was read") << size;
  EXPECT_EQ(message(whole), "was read");
  EXPECT_NE(message(whole + "x"), "was read");
}

TEST_F(Npy, ForeignFilesAreRefused) {
  EXPECT_NE(message("a,b\n1,2\n3,4\n").find("is not an NPY file"), std::string::npos);
  EXPECT_NE(message(gzip(npy(dictionary("<f8", false, "(1,)"), bytes_of<double>({1})))).find("is not an NPY file"),
            std::string::npos);
  EXPECT_NE(message(npy(dictionary("<f8", false, "(1,)"), bytes_of<double>({1}), 4)).find("version"),
            std::string::npos);
  for (const std::string bad : {"{}", "", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': 1, 'shape': (1,)}",
                                "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x",
                                "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
                                "{'descr': '<f8, 'fortran_order': False, 'shape': (1,)}"}) {
    EXPECT_NE(message(npy(bad, bytes_of<double>({1}))).find("cannot be understood"), std::string::npos) << bad;
  }
}

TEST_F(Npy, FileThatChangesWhileItIsReadIsRefused) {
  const std::string bytes = npy(dictionary("<f8", false, "(2, 3)"), bytes_of(kSix));
  std::vector<double> block(3);
  for (const std::size_t new_size : {bytes.size() - 8, bytes.size() + 8}) {
    auto source = open_rows(files_.write("a.npy", bytes));
    ASSERT_EQ(*(*source)->read(block), 1u);
    std::filesystem::resize_file(files_.path("a.npy"), new_size);
    auto rows = (*source)->read(block);
    if (rows) rows = (*source)->read(block);
    ASSERT_FALSE(rows.ok());
    EXPECT_NE(rows.error().message.find("changed while it was read"), std::string::npos);
  }
}

}  // namespace
}  // namespace tailcoat
