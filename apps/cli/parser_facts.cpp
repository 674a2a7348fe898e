#include "parser_facts.hpp"

namespace tailcoat::cli {
namespace {

CommandFacts command_facts(const CLI::App& command) {
  CommandFacts facts{command.get_name(), command.get_description(), command.get_footer(), {}, {}};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_lnames().empty()) {
      facts.positionals.push_back(option->get_name(true));
      continue;
    }
    const bool flag = option->get_items_expected_max() == 0;
    facts.options.push_back({"--" + option->get_lnames().front(), flag ? std::string() : option->get_type_name(),
                             option->get_description()});
  }
  return facts;
}

}  // namespace

std::vector<CommandFacts> facts_of(const CLI::App& program) {
  std::vector<CommandFacts> facts;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    facts.push_back(command_facts(*command));
  return facts;
}

}  // namespace tailcoat::cli
