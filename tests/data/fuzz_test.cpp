// Hostile bytes: whatever a file holds, a reader gives rows or an error, and the same one for every chunk size.
#include <gtest/gtest.h>

#include <random>

#include "files.hpp"

namespace tailcoat {
namespace {

// Rows as text, or the error; the file's own bytes decide, not how they are cut into chunks.
std::string outcome(const std::string& path, ReadOptions options, std::size_t chunk) {
  options.chunk_bytes = chunk;
  const auto table = load_file(path, options);
  if (!table) return "error: " + table.error().message;
  std::string rows = std::to_string(table->rows());
  for (const double cell : cells_of(*table)) {
    EXPECT_FALSE(std::isinf(cell));
    rows.append(" ").append(std::to_string(std::bit_cast<std::uint64_t>(cell)));
  }
  return rows;
}

void expect_one_outcome(const TemporaryFiles& files, const std::string& name, const std::string& bytes,
                        const ReadOptions& options) {
  const std::string path = files.write(name, bytes);
  const std::string expected = outcome(path, options, 1 << 16);
  for (const std::size_t chunk : {1u, 7u}) EXPECT_EQ(outcome(path, options, chunk), expected) << bytes;
}

std::string random_bytes(std::mt19937_64& random, std::string_view alphabet) {
  std::string bytes(random() % 120, '\0');
  for (char& c : bytes) c = alphabet.empty() ? static_cast<char>(random()) : alphabet[random() % alphabet.size()];
  return bytes;
}

TEST(Fuzz, AnyBytesAreRowsOrAnError) {
  const TemporaryFiles files;
  std::mt19937_64 random(5);
  for (int i = 0; i < 1500; ++i) {
    const std::string bytes = random_bytes(random, "");
    expect_one_outcome(files, "a.csv", bytes, {});
    expect_one_outcome(files, "a.libsvm", bytes, {.features = 2});
    EXPECT_FALSE(load_file(files.write("a.npy", bytes)).ok());
    EXPECT_FALSE(load_file(files.write("b.csv", "\x1f\x8b\x08" + bytes)).ok());
  }
}

TEST(Fuzz, AlmostCsvIsRowsOrAnError) {
  const TemporaryFiles files;
  std::mt19937_64 random(6);
  for (int i = 0; i < 4000; ++i) {
    expect_one_outcome(files, "a.csv", "a,t\n" + random_bytes(random, "11,,,\"\"\n\n\r ."), {.text_columns = {"t"}});
    expect_one_outcome(files, "a.csv", random_bytes(random, "ab,\"\n\r1e"), {});
    expect_one_outcome(files, "a.csv", "a\n" + random_bytes(random, "0123456789.e-+\n"), {});
  }
}

TEST(Fuzz, AlmostLibsvmIsRowsOrAnError) {
  const TemporaryFiles files;
  std::mt19937_64 random(7);
  for (int i = 0; i < 4000; ++i) {
    expect_one_outcome(files, "a.svm", random_bytes(random, "123:: \n\r#.-eq"), {.features = 12});
  }
}

// One changed byte in a good file.
TEST(Fuzz, DamagedNpyIsRowsOrAnError) {
  const TemporaryFiles files;
  std::string good("\x93NUMPY\x01\x00\x76\x00", 10);
  good += "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
  good += std::string(128 - good.size() - 1, ' ') + "\n" + std::string(16, '\x01');
  ASSERT_TRUE(load_file(files.write("a.npy", good)).ok());
  std::mt19937_64 random(8);
  for (int i = 0; i < 6000; ++i) {
    std::string bytes = good;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto table = load_file(files.write("a.npy", bytes));
    if (table) {
      EXPECT_EQ(table->rows() * table->columns().size(), 4u);
    }
  }
}

}  // namespace
}  // namespace tailcoat
