// `tailcoat completion`: scripts that complete commands and options in a shell, written from the parser itself.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "parser_facts.hpp"

namespace tailcoat::cli {
namespace {

constexpr const char* kHelp = R"(Examples:
  tailcoat completion bash > ~/.local/share/bash-completion/completions/tailcoat
  tailcoat completion zsh > ~/.zfunc/_tailcoat
  tailcoat completion fish > ~/.config/fish/completions/tailcoat.fish)";

constexpr const char* kBash = R"(_tailcoat() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} options=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W '{}' -- "$current")
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}}
complete -o filenames -F _tailcoat tailcoat
)";

constexpr const char* kZsh = R"(#compdef tailcoat
local -a commands
commands=(
{})
if ((CURRENT == 2)); then
  _describe command commands
  return
fi
case $words[2] in
{}esac
)";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// Within single quotes, where only the quote itself is special.
std::string posix_quoted(const std::string& text) { return replaced(text, "'", "'\\''"); }

std::string zsh_quoted(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"}) text = replaced(text, special, std::string("\\") + special);
  return posix_quoted(text);
}

std::string bash_script(const std::vector<CommandFacts>& commands) {
  std::string names = "--help --version", cases;
  for (const CommandFacts& command : commands) {
    names += ' ' + command.name;
    std::string options;
    for (const OptionFacts& option : command.options) options += (options.empty() ? "" : " ") + option.name;
    cases += fmt::format("    {}) options='{}' ;;\n", command.name, options);
  }
  return fmt::format(kBash, names, cases);
}

std::string zsh_script(const std::vector<CommandFacts>& commands) {
  std::string names, cases;
  for (const CommandFacts& command : commands) {
    names += fmt::format("  '{}:{}'\n", command.name, zsh_quoted(command.meaning));
    cases += fmt::format("  {})\n    _arguments", command.name);
    for (const OptionFacts& option : command.options) {
      const std::string value = option.type.empty() ? "" : fmt::format(":{}:_files", zsh_quoted(option.type));
      cases += fmt::format(" \\\n      '*{}[{}]{}'", option.name, zsh_quoted(option.meaning), value);
    }
    cases += " \\\n      '*:file:_files'\n    ;;\n";
  }
  return fmt::format(kZsh, names, cases);
}

std::string fish_quoted(const std::string& text) { return replaced(replaced(text, "\\", "\\\\"), "'", "\\'"); }

std::string fish_script(const std::vector<CommandFacts>& commands) {
  std::string script;
  for (const CommandFacts& command : commands) {
    script += fmt::format("complete -c tailcoat -n __fish_use_subcommand -f -a {} -d '{}'\n", command.name,
                          fish_quoted(command.meaning));
    for (const OptionFacts& option : command.options) {
      script += fmt::format("complete -c tailcoat -n '__fish_seen_subcommand_from {}' -l {}{} -d '{}'\n", command.name,
                            option.name.substr(2), option.type.empty() ? "" : " -r", fish_quoted(option.meaning));
    }
  }
  return script;
}

Result<std::string> script_for(const std::string& shell, const CLI::App& tailcoat) {
  const std::vector<CommandFacts> commands = facts_of(tailcoat);
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  return usage_error(fmt::format("no completion for shell '{:.40}'; there is one for bash, zsh and fish", shell));
}

}  // namespace

Command completion_command(CLI::App& tailcoat) {
  CLI::App* parser = tailcoat.add_subcommand("completion", "Print a script that completes commands in a shell");
  const auto shell = std::make_shared<std::string>();
  parser->add_option("SHELL", *shell, "bash, zsh or fish")->required()->type_name("");
  parser->footer(kHelp);
  return {parser, [shell, &tailcoat] { return script_for(*shell, tailcoat); }};
}

}  // namespace tailcoat::cli
