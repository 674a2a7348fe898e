// `tailcoat man`: the manual page, in roff, written from the parser itself.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "parser_facts.hpp"

namespace tailcoat::cli {
namespace {

constexpr const char* kHelp = R"(Examples:
  tailcoat man | man -l -
  tailcoat man > ~/.local/share/man/man1/tailcoat.1)";

constexpr const char* kExitStatus = R"(.SH EXIT STATUS
.TP
0
done
.TP
1
the run failed: a file that cannot be read or written, rows that cannot be served
.TP
2
bad usage: an option or argument that can never be served
.TP
3
refused by a privacy budget or by the precondition of a theorem
.PP
A run that fails prints nothing on standard output; predictions that are streamed there are the exception.
)";

// Text that roff takes as it stands.
std::string plain(std::string_view text) {
  std::string escaped;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
    line_start = c == '\n';
  }
  return escaped;
}

std::string synopsis(const CommandFacts& command) {
  std::string line = fmt::format(".B tailcoat {}\n", plain(command.name));
  for (const std::string& positional : command.positionals) line += fmt::format(".I {}\n", plain(positional));
  return line + "[options]\n.br\n";
}

std::string section(const CommandFacts& command) {
  std::string text = fmt::format(".SS {}\n{}.\n", plain(command.name), plain(command.meaning));
  for (const OptionFacts& option : command.options) {
    text +=
        fmt::format(".TP\n\\fB{}\\fR {}\n{}\n", plain(option.name),
                    option.type.empty() ? "" : fmt::format("\\fI{}\\fR", plain(option.type)), plain(option.meaning));
  }
  if (!command.footer.empty()) text += fmt::format(".PP\n.nf\n{}\n.fi\n", plain(command.footer));
  return text;
}

std::string page(const CLI::App& tailcoat) {
  std::string synopses, sections;
  for (const CommandFacts& command : facts_of(tailcoat)) {
    synopses += synopsis(command);
    sections += section(command);
  }
  return fmt::format(
      ".TH TAILCOAT 1 \"\" \"tailcoat {}\"\n.SH NAME\ntailcoat \\- {}\n.SH SYNOPSIS\n{}.SH COMMANDS\n{}{}",
      TAILCOAT_VERSION, plain(tailcoat.get_description()), synopses, sections, kExitStatus);
}

}  // namespace

Command man_command(CLI::App& tailcoat) {
  CLI::App* parser = tailcoat.add_subcommand("man", "Print the manual page");
  parser->footer(kHelp);
  return {parser, [&tailcoat]() -> Result<std::string> { return page(tailcoat); }};
}

}  // namespace tailcoat::cli
