// Runs the command line as a user would, through a shell.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace tailcoat {

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

inline std::string read_and_remove(const std::string& path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  unlink(path.c_str());
  return text;
}

inline Outcome tailcoat_program(const std::string& arguments) {
  std::string directory = testing::TempDir() + "tailcoat-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) return {};
  const std::string out = directory + "/out", err = directory + "/err";
  const int status = std::system(("'" TAILCOAT_PROGRAM "' " + arguments + " >" + out + " 2>" + err).c_str());
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_and_remove(out), read_and_remove(err)};
  rmdir(directory.c_str());
  return outcome;
}

}  // namespace tailcoat
