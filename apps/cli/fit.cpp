// `tailcoat fit`: a private model of a file from nothing but a privacy budget.
#include "tailcoat/estimators/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "command.hpp"
#include "files.hpp"
#include "fit_output.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "tailcoat/data/open_rows.hpp"
#include "tailcoat/data/text.hpp"
#include "tailcoat/estimators/fit_by_theorem.hpp"
#include "tailcoat/estimators/planner.hpp"
#include "tailcoat/estimators/public_rows.hpp"
#include "tailcoat/fit/fit_terms.hpp"
#include "tailcoat/report/report.hpp"
#include "theory.hpp"

namespace tailcoat::cli {
namespace {

constexpr const char* kHelp = R"(LOSS is one of
  squared, huber[:DELTA], absolute, quantile:LEVEL   numbers; LEVEL such as 0.9
  poisson                                            counts, with --exposure if rows differ in it;
                                                     a few below 0 are taken for 0
  logistic, hinge, smoothed-hinge[:WIDTH], squared-hinge
                                                     classes: the target is read as texts
  mean                                               the mean of the target, without features
All columns but the target and the exposure are features, unless --features or --drop say otherwise;
those not in --categorical must hold numbers. Missing numbers are put at the private centre.
Nothing about the data has to be known. What is known in public, such as bounds, saves budget.
Any algorithm but adaptive has a theorem that needs --moments K,G2,GK of the gradient norms (see
plan) and --diameter. It sees columns with bounds, a scale or public rows standardised by these,
others as they are, and a constant 1 unless there is --no-intercept: moments and diameter are those
of these standardised features plus the constant. Levels and classes must be given. Without --delta
it is min(1e-6, 1/(10 rows)), as in plan; --delta 0, pure epsilon-DP, is for known-lipschitz alone.
Bad cells are reported on standard error, with their line; that message is for you alone.
Examples:
  tailcoat fit claims.csv --target amount --epsilon 1 --model m.json
  tailcoat fit adult.csv --target income --loss logistic --categorical sex=F,M --epsilon 0.5 --json
  tailcoat fit cars.csv.gz --target n --loss poisson --exposure years --bounds age=18:99 --epsilon 1)";

constexpr const char* kAdaptive = "adaptive";

struct FitArguments {
  std::string data, target, loss = "squared", exposure, model, report, public_rows, algorithm = kAdaptive, terms;
  std::vector<std::string> features, drop, categorical, classes, missing_indicators, bounds, scales;
  TheoryArguments theory;
  std::optional<double> confidence;
  NoiseArguments noise;
  bool json = false, straight = false, diagnose = false, no_intercept = false;
};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool only_mean(const FitArguments& arguments) { return arguments.loss == "mean"; }

Result<Loss> loss_of(const FitArguments& arguments) {
  if (only_mean(arguments)) return Loss{SquaredLoss{}};
  auto loss = parse_loss(arguments.loss);
  if (!loss) return usage_error(loss.error().message + "; for a mean write --loss mean");
  if (std::holds_alternative<LinearLoss>(*loss))
    return usage_error("loss linear has no best model; for a mean write --loss mean");
  return loss;
}

Result<void> check_classes(const FitArguments& arguments, const Loss& loss) {
  if (arguments.classes.empty()) return {};
  if (!predicts_classes(loss))
    return usage_error(fmt::format("--classes are for logistic and hinge loss, not for {}", loss_name(loss)));
  std::vector<std::string> sorted = arguments.classes;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.size() < 2) return usage_error("--classes has one class; a classifier needs two at least");
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    return usage_error(fmt::format("--classes names {} twice", in_quotes(*twice)));
  return {};
}

// All that can be checked without the file.
Result<FitOptions> options_of(const FitArguments& arguments) {
  if (arguments.target.empty()) return usage_error("give --target, the column to predict");
  if (!arguments.features.empty() && !arguments.drop.empty())
    return usage_error("--features and --drop exclude each other; give one of them");
  TAILCOAT_TRY(loss, loss_of(arguments));
  TAILCOAT_CHECK(check_classes(arguments, loss));
  if (!arguments.exposure.empty() && !std::holds_alternative<PoissonLoss>(loss))
    return usage_error(fmt::format("--exposure is for poisson loss, not for {}", loss_name(loss)));
  const bool adaptive = arguments.algorithm == kAdaptive;
  TAILCOAT_TRY(budget, adaptive ? budget_of(arguments.noise) : theorem_budget_of(arguments.noise));
  TAILCOAT_TRY(levels, parse_categorical(arguments.categorical));
  TAILCOAT_TRY(bounds, parse_bounds(arguments.bounds));
  TAILCOAT_TRY(scales, parse_scales(arguments.scales));
  TAILCOAT_TRY(confidence, number(kConfidenceOption, arguments.confidence));
  if (!arguments.classes.empty()) levels[arguments.target] = arguments.classes;
  if (predicts_classes(loss)) levels.try_emplace(arguments.target);
  return FitOptions{.target = arguments.target,
                    .loss = loss,
                    .budget = budget,
                    .levels = levels,
                    .bounds = bounds,
                    .scales = scales,
                    .missing_indicators = arguments.missing_indicators,
                    .exposure = arguments.exposure,
                    .confidence = confidence,
                    .straight = arguments.straight,
                    .diagnose = arguments.diagnose};
}

Result<std::vector<std::string>> feature_columns(const FitArguments& arguments, std::span<const Column> header) {
  std::vector<std::string> features;
  if (only_mean(arguments)) return features;
  for (const auto* names : {&arguments.features, &arguments.drop}) TAILCOAT_CHECK(find_columns(header, *names));
  for (const std::string& name : arguments.features) {
    if (name == arguments.target || name == arguments.exposure)
      return usage_error(
          fmt::format("column {} is the target or the exposure and cannot be a feature", in_quotes(name)));
  }
  if (!arguments.features.empty()) return arguments.features;
  for (const Column& column : header) {
    const bool used = column.name == arguments.target || column.name == arguments.exposure;
    if (!used && !contains(arguments.drop, column.name)) features.push_back(column.name);
  }
  if (features.empty()) return usage_error("no columns are left as features; for the target's mean write --loss mean");
  return features;
}

Result<void> check_is_feature(const std::vector<std::string>& features, std::span<const Column> header,
                              const std::string& name, const std::string& option) {
  if (const auto found = find_column(header, name); !found)
    return usage_error(fmt::format("--{}: {}", option, found.error().message));
  if (contains(features, name)) return {};
  return usage_error(fmt::format("--{} names column {}, which is not a feature{}", option, in_quotes(name),
                                 features.empty() ? ": --loss mean takes none" : ""));
}

Result<void> check_options(const FitOptions& options, const std::vector<std::string>& features,
                           std::span<const Column> header) {
  for (const auto& [name, levels] : options.levels) {
    if (name == options.target && predicts_classes(options.loss)) continue;
    TAILCOAT_CHECK(check_is_feature(features, header, name, "categorical"));
  }
  const auto check_numbers = [&](const std::string& name, const char* option, bool may_be_target) -> Result<void> {
    if (options.levels.contains(name))
      return usage_error(fmt::format("--{} names column {}, which holds texts", option, in_quotes(name)));
    if (may_be_target && (name == options.target || name == options.exposure)) return {};
    return check_is_feature(features, header, name, option);
  };
  for (const auto& [name, range] : options.bounds) TAILCOAT_CHECK(check_numbers(name, "bounds", true));
  for (const auto& [name, scale] : options.scales) TAILCOAT_CHECK(check_numbers(name, "scale", true));
  for (const std::string& name : options.missing_indicators)
    TAILCOAT_CHECK(check_numbers(name, "missing-indicator", false));
  return {};
}

// Only what the fit uses is read: another column may hold anything.
Result<ReadOptions> columns_to_read(const FitArguments& arguments, const FitOptions& options,
                                    std::span<const Column> header) {
  TAILCOAT_CHECK(find_column(header, options.target));
  if (!options.exposure.empty()) TAILCOAT_CHECK(find_column(header, options.exposure));
  if (options.exposure == options.target)
    return usage_error(fmt::format("column {} cannot be target and exposure", in_quotes(options.target)));
  TAILCOAT_TRY(features, feature_columns(arguments, header));
  TAILCOAT_CHECK(check_options(options, features, header));
  ReadOptions read{.columns = features};
  if (!options.exposure.empty()) read.columns.push_back(options.exposure);
  read.columns.push_back(options.target);
  for (const auto& [name, levels] : options.levels) read.text_columns.push_back(name);
  return read;
}

// The column of numbers that an error is about; empty: none.
std::string column_of(const Error& error, const ReadOptions& read) {
  if (error.kind != ErrorKind::data) return "";
  for (const std::string& name : read.columns)
    if (std::ranges::find(read.text_columns, name) == read.text_columns.end() &&
        error.message.find(fmt::format("column {} of", in_quotes(name))) != std::string::npos)
      return name;
  return "";
}

// How to read columns of texts that were taken for numbers, all that there are; a target of texts is most often one of
// classes.
Error with_hint(Error error, const FitArguments& arguments, const FitOptions& options, ReadOptions read) {
  if (column_of(error, read) == options.target) {
    error.message += "; if the target names classes, add --loss logistic";
    return error;
  }
  std::string texts;
  Error next = error;
  for (std::string name = column_of(next, read); !name.empty() && name != options.target;
       name = column_of(next, read)) {
    texts += (texts.empty() ? "" : ",") + name;
    read.text_columns.push_back(name);
    const auto source = open_rows(arguments.data, read);
    if (!source) break;
    const auto table = load(**source, Storage::f64);
    if (table) break;
    next = table.error();
  }
  const bool one = texts.find(',') == std::string::npos;
  if (!texts.empty())
    error.message +=
        fmt::format("; if {} texts, add --categorical {}", one ? "it holds" : "these hold", in_quotes(texts, 1000));
  return error;
}

Result<Table> load_table(const FitArguments& arguments, const FitOptions& options) {
  TAILCOAT_TRY(header, open_rows(arguments.data));
  TAILCOAT_TRY(read, columns_to_read(arguments, options, header->columns()));
  TAILCOAT_TRY(source, open_rows(arguments.data, read));
  Result<Table> table = load(*source, Storage::f64);
  if (!table) return with_hint(table.error(), arguments, options, read);
  if (table->rows() < 2) {
    return data_error(fmt::format("{} has {}; a fit needs two at least", in_quotes(arguments.data, 200),
                                  table->rows() == 0 ? "a header but no rows" : "one row"));
  }
  return table;
}

// Of the public file the columns that the fit uses and the file has.
Result<void> learn_from_file(const std::string& path, std::span<const Column> columns, FitOptions& options) {
  TAILCOAT_TRY(header, open_rows(path));
  ReadOptions read;
  for (const Column& column : columns) {
    if (!find_column(header->columns(), column.name)) continue;
    read.columns.push_back(column.name);
    if (column.kind == ColumnKind::text) read.text_columns.push_back(column.name);
  }
  if (read.columns.empty())
    return usage_error(fmt::format("{} has none of the columns of the fit", in_quotes(path, 200)));
  TAILCOAT_TRY(source, open_rows(path, read));
  TAILCOAT_TRY(rows, load(*source, Storage::f64));
  return learn_from_public(rows, options);
}

// Of those that are given.
Result<void> check_files(const FitArguments& arguments) {
  std::vector<std::string> outputs, inputs{arguments.data};
  for (const std::string& path : {arguments.model, arguments.report})
    if (!path.empty()) outputs.push_back(path);
  if (!arguments.public_rows.empty()) inputs.push_back(arguments.public_rows);
  return check_outputs(outputs, inputs);
}

Result<void> write_results(const FitArguments& arguments, const Fit& fitted, const std::string& command) {
  std::vector<NewFile> files;
  if (!arguments.model.empty()) files.push_back(text_file(arguments.model, to_json(fitted.model)));
  if (!arguments.report.empty()) {
    const std::string name = arguments.data.substr(arguments.data.rfind('/') + 1);
    const ReportInput input{.data_name = name, .command = command, .version = TAILCOAT_VERSION};
    files.push_back(text_file(arguments.report, report_html(fitted, input)));
  }
  return write_files(files);
}

// What was paid for is printed, whatever became of the files.
Error told_on_standard_output(const std::string& text, Error error) {
  const bool printed = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  error.message += fmt::format("; the fit was made and its budget is spent: its result {} standard output",
                               printed ? "is on" : "could not be written to");
  return error;
}

// None: the adaptive fit.
Result<std::optional<Theorem>> theorem_of(const FitArguments& arguments) {
  if (arguments.algorithm != kAdaptive && (arguments.diagnose || arguments.straight))
    return usage_error(fmt::format("{} is for algorithm adaptive", arguments.diagnose ? "--diagnose" : "--straight"));
  if (arguments.algorithm == kAdaptive) {
    if (!arguments.theory.given() && !arguments.no_intercept) return std::optional<Theorem>();
    return usage_error(
        "--moments, --diameter, --smoothness, --strong-convexity, --constants, --max-passes, --failure-probability and "
        "--no-intercept are for an --algorithm with a theorem; adaptive needs none of them");
  }
  TAILCOAT_TRY(algorithm, find_algorithm(arguments.algorithm));
  TAILCOAT_TRY(theory, theory_of(arguments.theory));
  return std::optional(Theorem{.algorithm = algorithm,
                               .moments = theory.moments,
                               .diameter = theory.diameter,
                               .smoothness = theory.smoothness,
                               .options = theory.options,
                               .strong_convexity = theory.strong_convexity,
                               .intercept = !arguments.no_intercept});
}

// None: the fit that stands until fit_terms takes its place.
Result<std::optional<TermsKind>> terms_of(const FitArguments& arguments) {
  if (arguments.terms.empty()) return std::optional<TermsKind>();
  if (arguments.terms == "linear") return std::optional(TermsKind::linear);
  if (arguments.terms == "additive") return std::optional(TermsKind::additive);
  return usage_error(fmt::format("--terms {} is neither linear nor additive", in_quotes(arguments.terms)));
}

Result<Fit> adaptive_fit(Table table, const FitOptions& options, std::optional<TermsKind> terms, RunContext run,
                         const Progress& progress) {
  if (terms) return fit_terms(std::move(table), options, *terms, run, progress);
  return fit(std::move(table), options, run, progress);
}

Result<std::string> run(const FitArguments& arguments, const std::string& command) {
  TAILCOAT_TRY(options, options_of(arguments));
  TAILCOAT_TRY(theorem, theorem_of(arguments));
  TAILCOAT_TRY(terms, terms_of(arguments));
  TAILCOAT_TRY(threads, threads_of(arguments.noise));
  TAILCOAT_CHECK(check_files(arguments));
  TAILCOAT_TRY(table, load_table(arguments, options));
  if (!arguments.public_rows.empty()) TAILCOAT_CHECK(learn_from_file(arguments.public_rows, table.columns(), options));
  if (theorem && !arguments.noise.delta) options.budget.delta = default_delta(static_cast<double>(table.rows()));
  warn_of_delta(options.budget, table.rows());
  TAILCOAT_TRY(noise, noise_of(arguments.noise));
  const Interrupts interrupts;
  Engine engine(threads, Interrupts::asked());
  ProgressBar bar;
  const auto progress = [&](std::size_t done, std::size_t total) {
    bar.show(done, total);
    return !*Interrupts::asked();
  };
  TAILCOAT_TRY(fitted, theorem ? fit_by_theorem(frame_of(table), options, *theorem, {engine, noise})
                               : adaptive_fit(std::move(table), options, terms, {engine, noise}, progress));
  std::string text = arguments.json ? fit_json(fitted) : fit_text(fitted);
  const auto written = write_results(arguments, fitted, command);
  if (!written) return told_on_standard_output(text, written.error());
  return text;
}

}  // namespace

Command fit_command(CLI::App& tailcoat, const std::string& command) {
  CLI::App* parser = tailcoat.add_subcommand("fit", "Fit a private model to a file");
  const auto arguments = std::make_shared<FitArguments>();
  parser->add_option("DATA", arguments->data, "file of rows: .csv, .tsv (also .gz), .npy")->required()->type_name("");
  parser->add_option("--target", arguments->target, "column to predict")->type_name("COLUMN");
  parser->add_option("--loss", arguments->loss, "what to fit; squared if not given")->type_name("LOSS");
  add_noise_arguments(*parser, arguments->noise);
  add_list(*parser, "--features", arguments->features, "columns to use; all if not given");
  add_list(*parser, "--drop", arguments->drop, "columns not to use");
  add_repeated(*parser, "--categorical", arguments->categorical,
               "text column and its levels, which are found privately if not given")
      ->type_name("COL[=A,B]");
  add_list(*parser, "--classes", arguments->classes, "of the target, for logistic and hinge");
  parser->add_option("--exposure", arguments->exposure, "column that multiplies a Poisson rate")->type_name("COLUMN");
  add_list(*parser, "--missing-indicator", arguments->missing_indicators, "columns whose missing cells say something");
  add_repeated(*parser, "--bounds", arguments->bounds, "public range of a number column")->type_name("COL=LOW:HIGH");
  add_repeated(*parser, "--scale", arguments->scales, "public centre and spread of a number column")
      ->type_name("COL=CENTRE:SPREAD");
  add_file(*parser, "--public", arguments->public_rows,
           "file of public rows like these: what they say need not be paid for");
  parser->add_option("--algorithm", arguments->algorithm, "adaptive, or one that plan lists; see below")
      ->type_name("NAME");
  add_theory_arguments(*parser, arguments->theory);
  parser->add_flag("--no-intercept", arguments->no_intercept, "no constant 1 beside the features of an --algorithm");
  parser->add_flag("--straight", arguments->straight,
                   "one slope for each number, also where it is seen to bend, and no curve");
  parser->add_option("--terms", arguments->terms, "linear or additive")->group("");
  add_number(*parser, kConfidenceOption, arguments->confidence);
  add_file(*parser, "--model", arguments->model, "file to write the model to");
  add_file(*parser, "--report", arguments->report,
           "HTML page to write: model, privacy and accuracy in words and pictures");
  parser->add_flag("--diagnose", arguments->diagnose, "also release how well it fits: residuals, or chances");
  parser->add_flag("--json", arguments->json, "print one JSON object");
  parser->footer(kHelp);
  return {parser, [arguments, command] { return run(*arguments, command); }};
}

}  // namespace tailcoat::cli
