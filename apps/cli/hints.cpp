#include "hints.hpp"

#include <fmt/format.h>

#include <vector>

#include "parser_facts.hpp"
#include "tailcoat/data/nearest.hpp"
#include "tailcoat/data/text.hpp"

namespace tailcoat::cli {
namespace {

bool is_option(const std::string& word) { return word.starts_with("-") && word != "-" && word != "--"; }

// Of the command that was given, or what the program itself takes.
std::vector<std::string> names_known(const CLI::App& program) {
  std::vector<std::string> names;
  const auto given = program.get_subcommands();
  for (const CommandFacts& command : facts_of(program)) {
    if (given.empty()) names.push_back(command.name);
    if (given.empty() || command.name != given.front()->get_name()) continue;
    for (const OptionFacts& option : command.options) names.push_back(option.name);
  }
  return names;
}

// As it was typed, but without harm to the terminal.
std::string typed(const std::string& word) {
  const std::string quoted = in_quotes(word, 80);
  return word.find(' ') == std::string::npos ? quoted.substr(1, quoted.size() - 2) : quoted;
}

std::string suggestion(const CLI::App& program, const std::vector<std::string>& left) {
  const std::vector<std::string> names = names_known(program);
  std::string text;
  for (const std::string& word : left) {
    if (!is_option(word) && !program.get_subcommands().empty()) continue;  // perhaps the value of an unknown option
    const std::string* meant = nearest(names, word.substr(0, word.find('=')));
    if (meant != nullptr) text += fmt::format(" (did you mean {} by {}?)", *meant, typed(word));
  }
  return text;
}

}  // namespace

std::string unexpected_arguments(const CLI::App& program) {
  const std::vector<std::string> left = program.remaining(true);
  std::string words;
  for (const std::string& word : left) words += typed(word) + " ";
  return fmt::format("tailcoat: {}{} not expected{}; see {}\n", words, left.size() == 1 ? "was" : "were",
                     suggestion(program, left), help_of(program));
}

std::string help_of(const CLI::App& program) {
  const auto given = program.get_subcommands();
  return fmt::format("tailcoat {}--help", given.empty() ? "" : given.front()->get_name() + " ");
}

}  // namespace tailcoat::cli
