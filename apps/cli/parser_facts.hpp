// What the parser knows of its commands and options, for completion scripts and the manual page: written from it, they
// cannot fall behind.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tailcoat::cli {

struct OptionFacts {
  std::string name;  // "--target"
  std::string type;  // "COLUMN"; empty for a flag
  std::string meaning;
};

struct CommandFacts {
  std::string name, meaning, footer;
  std::vector<std::string> positionals;
  std::vector<OptionFacts> options;
};

// In the order in which they are listed by --help.
std::vector<CommandFacts> facts_of(const CLI::App& program);

}  // namespace tailcoat::cli
