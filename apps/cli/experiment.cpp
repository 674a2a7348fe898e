// `tailcoat experiment`: runs a study and prints its table or JSON; charts go to a directory.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "experiments/study.hpp"
#include "files.hpp"
#include "options.hpp"
#include "progress.hpp"

namespace tailcoat::cli {
namespace {

using namespace experiments;

constexpr NumberOption kSeed{.name = "seed",
                             .meaning = "of data and noise: same seed, same figures",
                             .lowest = 0,
                             .highest = 1e15,
                             .default_value = 1};

struct ExperimentOptions {
  std::string name;
  std::string output;
  std::optional<double> seed;
  bool quick = false;
  bool json = false;
};

std::string help() {
  std::string text = "NAME is one of\n";
  for (const Study& study : studies()) text += fmt::format("  {:<16} {}\n", study.name, study.summary);
  return text +
         "All data is simulated and all randomness is seeded. With --output, every chart is written there as\n"
         "SVG, all of them together as NAME.html, and the figures as NAME.json.\n"
         "Example:\n  tailcoat experiment svt-erratum --quick";
}

std::vector<NewFile> files_of(const OutputDirectory& directory, const std::string& name, const Report& report,
                              const std::string& json) {
  std::vector<NewFile> files{text_file(directory.file(name + ".json"), json)};
  std::vector<Chart> charts;
  for (const NamedChart& named : report.charts) {
    files.push_back(text_file(directory.file(named.name + ".svg"), svg(named.chart)));
    charts.push_back(named.chart);
  }
  if (!charts.empty()) files.push_back(text_file(directory.file(name + ".html"), html_page(name, charts)));
  return files;
}

Result<std::string> run(const ExperimentOptions& options) {
  TAILCOAT_TRY(study, find_study(options.name));
  TAILCOAT_TRY(seed, whole_number(kSeed, options.seed));
  std::optional<OutputDirectory> directory;
  if (!options.output.empty()) {
    TAILCOAT_TRY(opened, OutputDirectory::open(options.output));
    directory.emplace(std::move(opened));
  }
  Engine engine;
  ProgressBar bar;
  TAILCOAT_TRY(report, study.run({.engine = engine,
                                  .quick = options.quick,
                                  .seed = seed,
                                  .progress = [&](std::size_t done, std::size_t total) { bar.show(done, total); }}));
  const std::string json = report.json.dump() + "\n";
  if (directory) {
    TAILCOAT_CHECK(write_files(files_of(*directory, options.name, report, json)));
  }
  return options.json ? json : report.table;
}

}  // namespace

Command experiment_command(CLI::App& tailcoat) {
  CLI::App* parser = tailcoat.add_subcommand("experiment", "Repeat a study on simulated data");
  const auto options = std::make_shared<ExperimentOptions>();
  parser->add_option("NAME", options->name, "which one; listed below")->required()->type_name("");
  parser->add_flag("--quick", options->quick, "fewer rows and runs: minutes, not half an hour");
  add_number(*parser, kSeed, options->seed);
  parser->add_option("--output", options->output, "directory for charts and figures")->type_name("DIR");
  parser->add_flag("--json", options->json, "print one JSON object");
  parser->footer(help());
  return {parser, [options] { return run(*options); }};
}

}  // namespace tailcoat::cli
