// tailcoat_bench [--suite pass|steps|made|fit|file|noise|csv] [--json]: runs all suites or one, and prints a table or
// one JSON object a line.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "suite.hpp"

namespace tailcoat::bench {
namespace {

struct Suite {
  std::string_view name;
  void (*run)(const Report&);
};
constexpr Suite kSuites[] = {{"pass", pass_suite}, {"steps", steps_suite}, {"made", made_suite}, {"fit", fit_suite},
                             {"file", file_suite}, {"noise", noise_suite}, {"csv", csv_suite}};

void print_json(std::string_view suite, const std::string& label, const Row& row) {
  std::string line = fmt::format(R"({{"suite": "{}", "label": "{}")", suite, label);
  for (const auto& [name, value] : row) line += fmt::format(R"(, "{}": {:.6g})", name, value);
  fmt::print("{}}}\n", line);
  std::fflush(stdout);
}

// A heading whenever the names of the numbers change.
class Table {
 public:
  void print(const std::string& label, const Row& row) {
    std::vector<std::string> names;
    for (const auto& [name, value] : row) names.push_back(name);
    if (names != names_) {
      fmt::print("\n{:<44}", "");
      for (const auto& name : names) fmt::print("  {}", name);
      names_ = names;
      fmt::print("\n");
    }
    fmt::print("{:<44}", label);
    for (const auto& [name, value] : row) fmt::print("  {:>{}.4g}", value, name.size());
    fmt::print("\n");
    std::fflush(stdout);
  }

 private:
  std::vector<std::string> names_;
};

int usage() {
  fmt::print(stderr, "usage: tailcoat_bench [--suite pass|steps|made|fit|file|noise|csv] [--json]\n");
  return 2;
}

int run(const std::vector<std::string_view>& arguments) {
  bool json = false;
  std::string_view chosen;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--json") {
      json = true;
    } else if (arguments[i] == "--suite" && i + 1 < arguments.size()) {
      chosen = arguments[++i];
    } else {
      return usage();
    }
  }
  bool found = false;
  Table table;
  for (const Suite& suite : kSuites) {
    if (!chosen.empty() && chosen != suite.name) continue;
    found = true;
    suite.run([&](const std::string& label, const Row& row) {
      json ? print_json(suite.name, label, row) : table.print(label, row);
    });
  }
  return found ? 0 : usage();
}

}  // namespace
}  // namespace tailcoat::bench

int main(int count, char** arguments) { return tailcoat::bench::run({arguments + 1, arguments + count}); }
