#include <gtest/gtest.h>

#include <random>

#include "files.hpp"

namespace tailcoat {
namespace {

class Gzip : public testing::Test {
 protected:
  std::string error(std::string_view name, std::string_view bytes) {
    const auto table = load_file(files_.write(name, bytes));
    return table ? "was read" : table.error().message;
  }

  // Long enough for many chunks, and not compressible to nothing.
  static std::string numbers() {
    std::mt19937_64 random(4);
    std::string text = "a,b\n";
    for (int i = 0; i < 40000; ++i) text += std::to_string(random() % 100000) + "," + std::to_string(i) + "\n";
    return text;
  }

  TemporaryFiles files_;
};

TEST_F(Gzip, FileReadsLikeThePlainOne) {
  const std::string text = numbers();
  const auto plain = load_file(files_.write("a.csv", text));
  const auto packed = load_file(files_.write("a.csv.gz", gzip(text)));
  ASSERT_TRUE(packed.ok()) << packed.error().message;
  EXPECT_EQ(packed->rows(), 40000u);
  EXPECT_TRUE(same_cells(cells_of(*packed), cells_of(*plain)));
}

TEST_F(Gzip, IsToldByTheBytesNotByTheName) {
  EXPECT_TRUE(same_cells(cells_of(*load_file(files_.write("a.csv", gzip("a\n1\n")))), {1}));
  EXPECT_TRUE(same_cells(cells_of(*load_file(files_.write("a.csv.gz", "a\n1\n"))), {1}));
  EXPECT_TRUE(same_cells(cells_of(*load_file(files_.write("A.CSV.GZ", gzip("a\n1\n")))), {1}));
}

TEST_F(Gzip, MembersFollowEachOther) {
  const std::string bytes = gzip("a,b\n1,") + gzip("") + gzip("2\n3,4") + std::string(1000, '\0');
  for (const std::size_t chunk : {1u, 7u, 1000u}) {
    const auto table = load_file(files_.write("a.csv.gz", bytes), {.chunk_bytes = chunk});
    ASSERT_TRUE(table.ok()) << table.error().message;
    EXPECT_TRUE(same_cells(cells_of(*table), {1, 2, 3, 4}));
  }
}

TEST_F(Gzip, IncompleteFileIsRefusedWhereverItEnds) {
  const std::string bytes = gzip("a\n1\n2\n3\n");
  for (std::size_t size = 2; size < bytes.size(); ++size) {
    EXPECT_NE(error("a.csv.gz", bytes.substr(0, size)).find("ends inside its gzip data; it is incomplete"),
              std::string::npos)
        << size;
  }
  const std::string large = gzip(numbers());
  EXPECT_NE(error("a.csv.gz", large.substr(0, large.size() - 1)).find("it is incomplete"), std::string::npos);
}

TEST_F(Gzip, DamagedFileIsRefused) {
  const std::string bytes = gzip("a\n1\n2\n3\n");
  std::string wrong_sum = bytes;
  wrong_sum[bytes.size() - 6] = static_cast<char>(wrong_sum[bytes.size() - 6] ^ 1);
  EXPECT_NE(error("a.csv.gz", wrong_sum).find("has damaged gzip data: incorrect data check"), std::string::npos);
  EXPECT_NE(error("a.csv.gz", bytes + "tail").find("has damaged gzip data"), std::string::npos);
  std::string large = gzip(numbers());
  for (std::size_t at = 2; at < large.size(); at += large.size() / 50) {
    std::string damaged = large;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    if (at < 10) continue;  // time stamp and system in the header carry no data
    EXPECT_NE(error("a.csv.gz", damaged), "was read") << at;
  }
}

TEST_F(Gzip, SourceCanBeReadAgain) {
  auto source = open_rows(files_.write("a.csv.gz", gzip("a\n1\n") + gzip("2\n")));
  std::vector<double> block(10);
  for (int pass = 0; pass < 3; ++pass) {
    EXPECT_EQ(*(*source)->read(block), 2u);
    EXPECT_EQ(*(*source)->read(block), 0u);
    ASSERT_TRUE((*source)->rewind().ok());
  }
}

}  // namespace
}  // namespace tailcoat
