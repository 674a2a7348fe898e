// `tailcoat simulate`: a file of heavy-tailed data whose best model is known.
#include "experiments/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "output.hpp"

namespace tailcoat::cli {
namespace {

using namespace experiments;

constexpr const char* kSchema = "tailcoat-simulate/1";
constexpr NumberOption kRows{.name = "rows", .meaning = "how many rows", .lowest = 1, .highest = 1e10};
constexpr NumberOption kFeatures{
    .name = "features", .meaning = "columns besides the label", .lowest = 1, .highest = 100000, .default_value = 10};
constexpr NumberOption kSeed{.name = "seed",
                             .meaning = "same seed, same file, on every machine",
                             .lowest = 0,
                             .highest = 1e15,
                             .default_value = 1};
constexpr NumberOption kOrder{
    .name = "order", .meaning = "moments that --kind hard has", .lowest = 2, .highest = 30, .default_value = 3};

constexpr const char* kHelp = R"(KIND is one of
  mean       rows around a mean; no label
  linear     label = <row, x*> + noise, for squared loss
  absolute   the same, for absolute loss
  logistic   label 1 or -1, with odds e^<row, x*>
  smooth     linear with rows of length sqrt(features): only the noise is heavy-tailed
  hard       all rows zero but for 10 sqrt(features) or so of them, in one direction: as hard as
             private optimization gets; no label
TAIL of rows and noise: t:NU (multivariate t) or pareto:A; moments below NU or A are finite.
The best model x* within the unit ball (diameter 2) is printed, with the moments of the Lipschitz
constants there as `tailcoat plan --moments` and `tailcoat fit --algorithm` take them: of rows with
the constant 1 of the intercept, features + 1 in all, or with --no-intercept of the rows alone, for
`fit --no-intercept`. Kinds without a label have no intercept.
Example:
  tailcoat simulate --kind absolute --rows 10000 --features 5 --tail t:3.5 --output data.csv)";

struct SimulateOptions {
  std::string kind = "absolute";
  std::string tail = "t:4";
  std::string output;
  std::optional<double> rows, features, seed, order;
  bool json = false, no_intercept = false;
};

// As few digits as give the same numbers back.
void append_numbers(std::string& text, std::span<const double> numbers) {
  char digits[32];
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += ',';
    text.append(digits, std::to_chars(digits, std::end(digits), numbers[i]).ptr);
  }
}

bool write_csv(const Simulation& simulation, std::size_t rows, std::uint64_t seed, const Append& append) {
  const std::size_t features = simulation.spec().features;
  const bool label = has_label(simulation.spec().kind);
  std::string text;
  for (std::size_t j = 1; j <= features; ++j) text += (j == 1 ? "x" : ",x") + std::to_string(j);
  text += label ? ",label\n" : "\n";
  std::vector<double> row(features);
  Generator random = Simulation::row_generator(seed);
  for (std::size_t i = 0; i < rows; ++i) {
    const double y = simulation.draw_next(random, row);
    append_numbers(text, row);
    if (label) append_numbers(text += ',', {&y, 1});
    text += '\n';
    constexpr std::size_t kBlock = 1 << 20;
    if (text.size() < kBlock) continue;
    if (*Interrupts::asked() || !append(text)) return false;
    text.clear();
  }
  return append(text);
}

// The highest whole order of which there are moments, as `plan --moments` takes it; empty if there is none.
std::string moments_text(const Simulation& simulation, bool with_constant) {
  for (double order = 8; order >= 2; --order)
    if (const auto moments = simulation.moments(order, with_constant))
      return fmt::format("{:g},{:.9g},{:.9g}", order, moments->g2, moments->gk);
  return "";
}

Result<std::string> run(const SimulateOptions& options) {
  TAILCOAT_TRY(kind, parse_kind(options.kind));
  TAILCOAT_TRY(tail, parse_tail(options.tail));
  TAILCOAT_TRY(rows, whole_number(kRows, options.rows));
  TAILCOAT_TRY(features, whole_number(kFeatures, options.features));
  TAILCOAT_TRY(seed, whole_number(kSeed, options.seed));
  TAILCOAT_TRY(order, number(kOrder, options.order));
  if (options.output.empty()) return usage_error("give --output, the file to write");
  const double rare = 10 * std::sqrt(static_cast<double>(features)) / static_cast<double>(rows);
  TAILCOAT_TRY(simulation, Simulation::create({.kind = kind,
                                               .tail = tail,
                                               .features = features,
                                               .seed = seed,
                                               .rare_probability = std::min(rare, 1.0),
                                               .rare_order = order}));
  TAILCOAT_CHECK(
      write_files({{options.output, [&](const Append& append) { return write_csv(simulation, rows, seed, append); }}}));
  std::string best;
  append_numbers(best, simulation.optimum());
  std::vector<Figure> figures{{"output", options.output, ""}, {"kind", options.kind, ""}, {"rows", rows, ""},
                              {"features", features, ""},     {"seed", seed, ""},         {"best_model", best, ""}};
  if (kind != Kind::hard) figures.push_back({"tail", tail_name(tail), ""});
  const bool with_constant = has_label(kind) && !options.no_intercept;
  if (const std::string moments = moments_text(simulation, with_constant); !moments.empty()) {
    figures.push_back({"moments", moments, ""});
    figures.push_back({"moments_of", with_constant ? "features and the constant 1" : "features alone", ""});
    figures.push_back({"diameter", simulation.domain().diameter(), ""});
  }
  return options.json ? json_text(kSchema, figures) : table_text(figures);
}

}  // namespace

Command simulate_command(CLI::App& tailcoat) {
  CLI::App* parser = tailcoat.add_subcommand("simulate", "Write heavy-tailed data whose best model is known");
  const auto options = std::make_shared<SimulateOptions>();
  parser->add_option("--kind", options->kind, "what to simulate; absolute if not given")->type_name("KIND");
  add_number(*parser, kRows, options->rows);
  add_number(*parser, kFeatures, options->features);
  parser->add_option("--tail", options->tail, "how heavy; t:4 if not given")->type_name("TAIL");
  add_number(*parser, kOrder, options->order);
  add_number(*parser, kSeed, options->seed);
  parser->add_option("--output", options->output, "CSV file to write")->type_name("FILE");
  parser->add_flag("--no-intercept", options->no_intercept, "moments for rows without the constant 1");
  parser->add_flag("--json", options->json, "print one JSON object");
  parser->footer(kHelp);
  return {parser, [options] { return run(*options); }};
}

}  // namespace tailcoat::cli
