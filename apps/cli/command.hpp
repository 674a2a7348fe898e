// What main() knows about a command: the parser that holds its options, and what to run once they are parsed. One file
// per command; a new one is declared here and listed in main.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "tailcoat/base/result.hpp"

namespace tailcoat::cli {

struct Command {
  CLI::App* parser;
  // All that goes to stdout, so that a run that fails prints nothing there.
  std::function<Result<std::string>()> run;
};

Command account_command(CLI::App& tailcoat);
Command completion_command(CLI::App& tailcoat);
Command evaluate_command(CLI::App& tailcoat);
Command experiment_command(CLI::App& tailcoat);
Command fit_command(CLI::App& tailcoat, const std::string& command);  // as typed, for the report
Command man_command(CLI::App& tailcoat);
Command plan_command(CLI::App& tailcoat);
Command predict_command(CLI::App& tailcoat);
Command simulate_command(CLI::App& tailcoat);

}  // namespace tailcoat::cli
