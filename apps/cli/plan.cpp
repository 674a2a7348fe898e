// `tailcoat plan`: what each algorithm promises, and costs, before any data is there.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "command.hpp"
#include "files.hpp"
#include "forecasts.hpp"
#include "options.hpp"
#include "tailcoat/privacy/budget_option.hpp"
#include "theory.hpp"

namespace tailcoat::cli {
namespace {

constexpr NumberOption kDelta{
    .name = kDeltaOption.name, .meaning = kDeltaOption.meaning, .lowest = 0, .highest = kBudgetDeltaOption.highest};

constexpr const char* kHelp =
    R"(K,G2,GK: the largest gradient norms over the domain have a second moment of at most G2^2 and a
K-th moment of at most GK^K; K,GK alone if 1 < K < 2. A row is its features as the fit sees them
(standardised where it standardises) and, unless there is no intercept, the constant 1: --features
counts it, and moments and diameter are with it. Without --delta it is min(1e-6, 1/(10 rows)); 0 is
pure epsilon-DP.
--problem glm is a loss of one margin, such as those of fit; general is any convex loss of your own,
of which there is the gradient of a sample and, with --step-error, its implicit step.
For every algorithm: its certified bound on the excess risk (on average, or with probability 1 -
failure-probability; never above the trivial bound, which needs no data), its work, and an estimate
of its time from a measurement at start (one-pass algorithms step from row to row on one core,
others read all rows on all cores); or the precondition that fails. --strong-convexity MU is that of
the mean loss of a GLM. Of a general problem every sample loss f has it, and the moments are those
of f and of f less MU/2 times the squared distance from the centre of the domain. A chart (.svg or
.html) shows the bounds against rows and epsilon.
Example:
  tailcoat plan --rows 100000 --features 20 --epsilon 1 --moments 3,1.6,2.5 --diameter 2)";

struct PlanOptions {
  std::optional<double> rows, features, epsilon, delta, step_error;
  TheoryArguments theory;
  std::string problem = "glm", chart;
  bool json = false;
};

Result<PlanInputs> inputs_of(const PlanOptions& options) {
  TAILCOAT_TRY(rows, whole_number(kRowsOption, options.rows));
  TAILCOAT_TRY(features, whole_number(kFeaturesOption, options.features));
  TAILCOAT_TRY(epsilon, number(kEpsilonOption, options.epsilon));
  const double delta = options.delta.value_or(default_delta(static_cast<double>(rows)));
  TAILCOAT_TRY(theory, theory_of(options.theory));
  PlanInputs inputs{.setting = {.rows = rows,
                                .dimension = features,
                                .diameter = theory.diameter,
                                .start_distance = theory.diameter / 2,
                                .moments = theory.moments,
                                .smoothness = theory.smoothness,
                                .strong_convexity = theory.strong_convexity},
                    .budget = {epsilon, delta},
                    .options = theory.options};
  TAILCOAT_CHECK(set_problem(inputs.setting, options.problem, options.step_error));
  TAILCOAT_CHECK(check(inputs));
  return inputs;
}

Result<void> write_chart(Engine& engine, const PlanInputs& inputs, const std::string& path) {
  TAILCOAT_TRY(charts, forecast_charts(engine, inputs));
  const std::string picture =
      path.ends_with(".html") ? experiments::html_page("tailcoat plan", charts) : experiments::svg(charts);
  return write_files({text_file(path, picture)});
}

Result<std::string> run(const PlanOptions& options) {
  TAILCOAT_TRY(inputs, inputs_of(options));
  if (!options.chart.empty() && !options.chart.ends_with(".svg") && !options.chart.ends_with(".html"))
    return usage_error(fmt::format("chart '{}' must end in .svg or .html", options.chart));
  Engine engine;
  TAILCOAT_TRY(speed, measure_speed(engine, inputs.setting.rows, inputs.setting.dimension));
  if (!options.chart.empty()) {
    TAILCOAT_CHECK(write_chart(engine, inputs, options.chart));
  }
  return options.json ? plan_json(inputs, speed) : forecast_table(inputs, speed);
}

}  // namespace

Command plan_command(CLI::App& tailcoat) {
  CLI::App* parser = tailcoat.add_subcommand("plan", "What each algorithm promises and costs, without data");
  const auto options = std::make_shared<PlanOptions>();
  add_number(*parser, kRowsOption, options->rows);
  add_number(*parser, kFeaturesOption, options->features);
  add_number(*parser, kEpsilonOption, options->epsilon);
  add_number(*parser, kDelta, options->delta);
  add_theory_arguments(*parser, options->theory);
  parser->add_option("--problem", options->problem, "glm or general, see below; glm if not given")->type_name("WHICH");
  add_number(*parser, kStepErrorOption, options->step_error);
  parser->add_option("--chart", options->chart, "draw the bounds into this .svg or .html file")->type_name("FILE");
  parser->add_flag("--json", options->json, "print one JSON object");
  parser->footer(kHelp);
  return {parser, [options] { return run(*options); }};
}

}  // namespace tailcoat::cli
