// tailcoat: the command line. It parses and prints; the library does the rest. Exit codes: 0 done, 1 the run failed,
// 2 bad usage, 3 refused by a privacy budget or a theorem's precondition.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "hints.hpp"
#include "interrupt.hpp"

namespace tailcoat::cli {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kBadUsage = 2;
constexpr int kRefused = 3;

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return kBadUsage;
    case ErrorKind::refused:
      return kRefused;
    case ErrorKind::data:
    case ErrorKind::system:
      return kFailed;
  }
  return kFailed;
}

int print(const Result<std::string>& text) {
  if (!text) {
    fmt::print(stderr, "tailcoat: {}\n", text.error().message);
    end_if_interrupted();
    return exit_code(text.error().kind);
  }
  const bool written = std::fwrite(text->data(), 1, text->size(), stdout) == text->size() && std::fflush(stdout) == 0;
  if (!written)
    fmt::print(stderr, "tailcoat: cannot write the result to standard output; a budget it was paid with is spent\n");
  return written ? kDone : kFailed;
}

// Of a value that is no number CLI11 says "Could not convert: --option = value".
std::string said(const CLI::Error& error) {
  std::string text = error.what();
  constexpr std::string_view kConvert = "Could not convert: ";
  if (!text.starts_with(kConvert)) return text;
  text.erase(0, kConvert.size());
  if (const auto at = text.find(" = "); at != std::string::npos) text.replace(at, 3, " ");
  return text + " is no number";
}

// The command as it can be typed again.
std::string typed(int argc, char** argv) {
  std::string line = "tailcoat";
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    const bool plain = word.find_first_of(" \t\n'\"\\$`!*?[]{}()<>|&;#~") == std::string::npos && !word.empty();
    for (std::size_t at = 0; !plain && (at = word.find('\'', at)) != std::string::npos; at += 4)
      word.replace(at, 1, "'\\''");
    line += plain ? " " + word : " '" + word + "'";
  }
  return line;
}

int run(int argc, char** argv) {
  CLI::App app{"Private convex models from heavy-tailed data.", "tailcoat"};
  app.failure_message([](const CLI::App* program, const CLI::Error& error) {
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return unexpected_arguments(*program);
    return fmt::format("tailcoat: {}; see {}\n", said(error), help_of(*program));
  });
  app.set_version_flag("--version", "tailcoat " TAILCOAT_VERSION);
  app.footer(
      "Exit codes: 0 done, 1 the run failed, 2 bad usage, 3 refused by a privacy budget or a theorem.\n"
      "Each command has its own help, such as tailcoat fit --help.");
  const std::vector<Command> commands{fit_command(app, typed(argc, argv)),
                                      predict_command(app),
                                      evaluate_command(app),
                                      account_command(app),
                                      plan_command(app),
                                      simulate_command(app),
                                      experiment_command(app),
                                      completion_command(app),
                                      man_command(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = app.exit(error) == 0;  // for --help or --version, which went to std::cout
    if (!asked) return kBadUsage;
    return std::cout.flush() ? kDone : kFailed;
  }
  for (const Command& command : commands)
    if (command.parser->parsed()) return print(command.run());
  fmt::print(stderr, "{}", app.help());
  return kBadUsage;
}

}  // namespace
}  // namespace tailcoat::cli

int main(int argc, char** argv) {
  try {
    return tailcoat::cli::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tailcoat: %s\n", error.what());
    return tailcoat::cli::kFailed;
  }
}
