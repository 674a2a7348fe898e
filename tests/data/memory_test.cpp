// What loading a table costs in memory, measured in a process of its own.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "files.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // shadow memory is not ours
#else
constexpr bool kSanitized = false;
#endif

namespace tailcoat {
namespace {

constexpr std::size_t kRows = 700000, kColumns = 20;
constexpr std::size_t kTableBytes = kRows * kColumns * sizeof(double);

std::string large_csv(const TemporaryFiles& files) {
  std::string header, row;
  for (std::size_t j = 0; j < kColumns; ++j) {
    header.append(j == 0 ? "x" : ",x").append(std::to_string(j));
    row += j == 0 ? "1" : ",2";
  }
  std::ofstream file(files.path("large.csv"));
  file << header << '\n';
  for (std::size_t i = 0; i < kRows; ++i) file << row << '\n';
  return files.path("large.csv");
}

long peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

// Runs `work` in a child and gives back what it returns, 0..255.
template <class Work>
int in_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Memory, PeakOfALoadIsTheTableAndLittleMore) {
  if (kSanitized) GTEST_SKIP();
  const TemporaryFiles files;
  const std::string path = large_csv(files);
  const int percent = in_child([&] {
    const long before = peak_bytes();
    const auto table = load_file(path);
    if (!table || table->rows() != kRows) return 0;
    return static_cast<int>(std::min(255L, (peak_bytes() - before) * 100 / static_cast<long>(kTableBytes)));
  });
  EXPECT_GE(percent, 95);  // else the measurement is broken
  EXPECT_LE(percent, 110);
}

TEST(Memory, DroppingColumnsNeedsNoSecondTableAndGivesMemoryBack) {
  if (kSanitized) GTEST_SKIP();
  const TemporaryFiles files;
  const std::string path = large_csv(files);
  const int result = in_child([&] {
    auto table = load_file(path);
    const long before = peak_bytes();
    if (!table || !table->drop(std::vector<std::string>{"x0"})) return 1;
    if (peak_bytes() - before > static_cast<long>(kTableBytes / 20)) return 2;
    return cells_of(*table)[0] == 2 ? 0 : 3;
  });
  EXPECT_EQ(result, 0);
}

TEST(Memory, WhatTheSystemDoesNotGiveIsAnError) {
  if (kSanitized) GTEST_SKIP();
  const TemporaryFiles files;
  const std::string path = large_csv(files);
  const int result = in_child([&] {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t limit = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{64} << 20);
    const rlimit address_space{limit, limit};
    if (setrlimit(RLIMIT_AS, &address_space) != 0) return 1;
    const auto table = load_file(path);
    if (table) return 2;
    return table.error().kind == ErrorKind::system ? 0 : 3;
  });
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace tailcoat
