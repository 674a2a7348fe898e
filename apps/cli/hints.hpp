// What to say of arguments that no command takes: which they are, as they were typed, and what may have been meant.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tailcoat::cli {

// After the program has been parsed and something was left over.
std::string unexpected_arguments(const CLI::App& program);

// "tailcoat fit --help", if fit is the command that was given.
std::string help_of(const CLI::App& program);

}  // namespace tailcoat::cli
