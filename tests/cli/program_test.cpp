#include "program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <sstream>

namespace tailcoat {
namespace {

TEST(Program, PrintsHelpAndVersion) {
  const Outcome help = tailcoat_program("--help");
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("account"), std::string::npos);
  EXPECT_EQ(help.err, "");
  EXPECT_EQ(tailcoat_program("account --help").code, 0);
  const Outcome version = tailcoat_program("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out.rfind("tailcoat ", 0), 0u);
}

TEST(Program, WithoutACommandPrintsHelpAndIsBadUsage) {
  const Outcome outcome = tailcoat_program("");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("account"), std::string::npos);
}

TEST(Program, UnknownCommandsAndOptionsAreBadUsage) {
  for (const char* arguments : {"frobnicate", "--frobnicate", "account --frobnicate", "account frobnicate"}) {
    const Outcome outcome = tailcoat_program(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err.find("frobnicate"), std::string::npos) << arguments;
  }
}

TEST(Program, AResultThatCannotBeWrittenIsAFailure) {
  const std::string full = "account --epsilon 1 --delta 1e-6 > /dev/full #";
  EXPECT_EQ(tailcoat_program(full).code, 1);
}

TEST(Program, HelpFitsAHundredColumns) {
  for (const char* arguments : {"--help", "account --help", "plan --help", "simulate --help", "experiment --help",
                                "fit --help", "predict --help", "evaluate --help", "completion --help", "man --help"}) {
    std::istringstream lines(tailcoat_program(arguments).out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(Program, HelpTakesLessThanTwentyMilliseconds) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers start slowly";
#endif
  auto best = std::chrono::steady_clock::duration::max();
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    ASSERT_EQ(std::system("'" TAILCOAT_PROGRAM "' --help > /dev/null"), 0);
    best = std::min(best, std::chrono::steady_clock::now() - start);
  }
  EXPECT_LT(best, std::chrono::milliseconds(20));
}

}  // namespace
}  // namespace tailcoat
