// `tailcoat evaluate`: metrics of a model on a public test file, or private ones on a sensitive file.
#include "tailcoat/estimators/evaluate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "arguments.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "tailcoat/estimators/evaluate_private.hpp"

namespace tailcoat::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "tailcoat-evaluate/1";
constexpr const char* kHelp =
    R"(Without --epsilon the file is public and metrics are exact. With --epsilon it is sensitive:
metrics are means of bounded losses with noise, and the receipt says what was charged. The budget is
one of its own, beside that of the fit. Standard errors hold noise and sampling, not the bias of the
bounds: an error beyond a cap counts as the cap, so errors look too small and r2 as a rule too high;
notes say where caps are and how many rows are there.
  numbers   r2, mse, mae, median_absolute_error, and pinball_loss of quantile models
  classes   accuracy, auc (public, two classes), and of logistic models log_loss, brier
  poisson   deviance per unit of exposure, mse, mae
`constant` is the best constant prediction: mean, median, quantile, rate or most frequent class.
Examples:
  tailcoat evaluate test.csv --model m.json
  tailcoat evaluate patients.csv --model m.json --epsilon 0.5 --delta 1e-6 --json)";

struct EvaluateOptions {
  ModelArguments of;
  NoiseArguments noise;
  bool json = false;
};

std::string public_json(const Model& model, const Evaluation& evaluation) {
  Json json{{"schema", kSchema},
            {"target", model.target},
            {"loss", loss_name(model.loss)},
            {"private", false},
            {"rows", evaluation.rows},
            {"left_out", evaluation.left_out},
            {"constant", evaluation.constant}};
  for (const Metric& metric : evaluation.metrics) {
    json["metrics"][metric.name] = metric.value;
    json["constant_metrics"][metric.name] = metric.constant;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Squares of huge numbers have no finite mean.
std::string metric_text(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "too large"; }

std::string public_table(const Evaluation& evaluation) {
  std::string text = fmt::format("{:<24}{:>14}{:>14}\n", fmt::format("{} rows", evaluation.rows), "model", "constant");
  for (const Metric& metric : evaluation.metrics)
    text += fmt::format("{:<24}{:>14}{:>14}\n", metric.name, metric_text(metric.value), metric_text(metric.constant));
  text += fmt::format("The constant prediction is {:.40}.\n", evaluation.constant);
  if (evaluation.left_out > 0)
    text += fmt::format("{} rows have no target or exposure and were left out.\n", evaluation.left_out);
  text += "Exact, hence not private: for public files only.\n";
  return text;
}

std::string private_json(const Model& model, const PrivateEvaluation& evaluation) {
  Json json{{"schema", kSchema},
            {"target", model.target},
            {"loss", loss_name(model.loss)},
            {"private", true},
            {"rows", evaluation.rows}};
  for (const PrivateMetric& metric : evaluation.metrics) {
    json["metrics"][metric.name] = metric.value;
    json["standard_errors"][metric.name] = metric.standard_error;
    if (metric.constant) json["constant_metrics"][metric.name] = *metric.constant;
  }
  json["notes"] = evaluation.notes;
  json["receipt"] = Json::parse(evaluation.receipt.json());
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string private_table(const PrivateEvaluation& evaluation) {
  std::string text = fmt::format("{:<24}{:>14}{:>16}{:>14}\n", fmt::format("{} rows", evaluation.rows), "model",
                                 "standard error", "constant");
  for (const PrivateMetric& metric : evaluation.metrics) {
    text += fmt::format("{:<24}{:>14.6g}{:>16.3g}{:>14}\n", metric.name, metric.value, metric.standard_error,
                        metric.constant ? fmt::format("{:.6g}", *metric.constant) : "");
  }
  for (const std::string& note : evaluation.notes) text += fmt::format("Note: {}.\n", note);
  const ApproxDp budget = evaluation.receipt.budget;
  return text + fmt::format("Charged: epsilon {:g}, delta {:g}, in {} releases.\n", budget.epsilon, budget.delta,
                            evaluation.receipt.lines.size());
}

Result<std::string> run_private(const EvaluateOptions& options, const Model& model) {
  TAILCOAT_TRY(budget, budget_of(options.noise));
  TAILCOAT_TRY(threads, threads_of(options.noise));
  TAILCOAT_TRY(noise, noise_of(options.noise));
  TAILCOAT_TRY(rows, open_rows(options.of.data, columns_to_evaluate(model)));
  const Interrupts interrupts;
  const auto source = until_interrupted(std::move(rows));
  Engine engine(threads, Interrupts::asked());
  TAILCOAT_TRY(evaluation, evaluate_private(model, *source, budget, {engine, noise}));
  warn_of_delta(budget, evaluation.rows);
  return options.json ? private_json(model, evaluation) : private_table(evaluation);
}

Result<std::string> run(const EvaluateOptions& options) {
  TAILCOAT_TRY(model, model_of(options.of));
  if (options.noise.epsilon) return run_private(options, model);
  if (options.noise.delta || options.noise.seed)
    return usage_error("--delta and --seed are for private metrics; give --epsilon too, or neither");
  TAILCOAT_TRY(source, open_rows(options.of.data, columns_to_evaluate(model)));
  TAILCOAT_TRY(evaluation, evaluate(model, *source));
  return options.json ? public_json(model, evaluation) : public_table(evaluation);
}

}  // namespace

Command evaluate_command(CLI::App& tailcoat) {
  CLI::App* parser = tailcoat.add_subcommand("evaluate", "Measure a fitted model on a test file");
  const auto options = std::make_shared<EvaluateOptions>();
  add_model_arguments(*parser, options->of, "file of rows with the target");
  add_noise_arguments(*parser, options->noise);
  parser->add_flag("--json", options->json, "print one JSON object");
  parser->footer(kHelp);
  return {parser, [options] { return run(*options); }};
}

}  // namespace tailcoat::cli
