#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "program.hpp"
#include "scratch.hpp"

namespace tailcoat {
namespace {

TEST(Completion, KnowsEveryCommandAndOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome outcome = tailcoat_program(std::string("completion ") + shell);
    EXPECT_EQ(outcome.code, 0);
    for (const char* word : {"account", "predict", "evaluate", "simulate", "epsilon", "keep"})
      EXPECT_NE(outcome.out.find(word), std::string::npos) << shell << ": " << word;
  }
  EXPECT_EQ(tailcoat_program("completion tcsh").code, 2);
  EXPECT_EQ(tailcoat_program("completion").code, 2);
}

TEST(Completion, CompletesInBash) {
  const Scratch scratch;
  const std::string script = scratch.file("tailcoat.bash", tailcoat_program("completion bash").out);
  const auto completed = [&](const std::string& words, int place) {
    const std::string command = "bash -c 'source " + script + "; COMP_WORDS=(" + words +
                                "); COMP_CWORD=" + std::to_string(place) + "; _tailcoat; echo ${COMPREPLY[*]}' > " +
                                scratch.path("out");
    EXPECT_EQ(std::system(command.c_str()), 0);
    return scratch.text("out");
  };
  EXPECT_EQ(completed("tailcoat pred", 1), "predict\n");
  EXPECT_EQ(completed("tailcoat predict --mo", 2), "--model\n");
  EXPECT_EQ(completed("tailcoat account --mo", 2), "\n");
}

TEST(Man, HasEveryCommandAndOption) {
  const Outcome outcome = tailcoat_program("man");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.out.starts_with(".TH TAILCOAT 1"));
  for (const char* word : {".SS predict", ".SS evaluate", ".SS account", "\\-\\-epsilon", ".SH EXIT STATUS"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(".")) {
      EXPECT_TRUE(line[1] >= 'A' && line[1] <= 'z') << line;
    }
  }
}

}  // namespace
}  // namespace tailcoat
