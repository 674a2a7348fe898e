// `tailcoat predict`: what a model says of the rows of a file, as CSV.
#include "tailcoat/estimators/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "command.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "tailcoat/data/open_rows.hpp"

namespace tailcoat::cli {
namespace {

constexpr const char* kSchema = "tailcoat-predict/1";
constexpr const char* kHelp =
    R"(One line per row, in the order of the file: `prediction` is a number or a class; logistic models add
`probability`, that of the second class, or one column per class if there are more than two.
Missing values, unknown levels and outliers are treated as in the fit. Predictions are computed from
the rows they are about and are as sensitive as those.
Examples:
  tailcoat predict new.csv --model m.json > predictions.csv
  tailcoat predict new.csv.gz --model m.json --keep id --output predictions.csv --json)";

struct PredictOptions {
  ModelArguments of;
  std::string output;
  std::vector<std::string> keep;
  bool json = false;
};

void append_field(std::string& line, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += text;
    return;
  }
  line += '"';
  for (const char c : text) line.append(c == '"' ? 2 : 1, c);
  line += '"';
}

// As few digits as give the same number back; nothing for a missing one.
void append_number(std::string& line, double number) {
  if (std::isnan(number)) return;
  char digits[32];
  line.append(digits, std::to_chars(digits, std::end(digits), number).ptr);
}

class PredictionLines {
 public:
  PredictionLines(const Model& model, std::span<const Column> columns, std::vector<std::size_t> kept)
      : model_(model), columns_(columns), kept_(std::move(kept)) {}

  [[nodiscard]] std::string header() const {
    std::string line;
    for (const std::size_t column : kept_) {
      append_field(line, columns_[column].name);
      line += ',';
    }
    line += "prediction";
    if (std::holds_alternative<LogisticLoss>(model_.loss)) {
      if (model_.classes.size() == 2) line += ",probability";
      for (std::size_t c = 0; model_.classes.size() > 2 && c < model_.classes.size(); ++c)
        append_field(line += ',', "probability_" + model_.classes[c]);
    }
    return line + '\n';
  }

  void append(std::string& text, std::span<const double> cells, const Prediction& prediction) const {
    for (const std::size_t column : kept_) {
      append_cell(text, columns_[column], cells[column]);
      text += ',';
    }
    if (model_.classes.empty()) {
      append_number(text, prediction.value);
    } else {
      append_field(text, model_.classes[static_cast<std::size_t>(prediction.value)]);
    }
    const auto probabilities = prediction.probabilities.subspan(prediction.probabilities.size() == 2 ? 1 : 0);
    for (const double probability : probabilities) append_number(text += ',', probability);
    text += '\n';
  }

 private:
  static void append_cell(std::string& text, const Column& column, double cell) {
    if (column.kind == ColumnKind::number) return append_number(text, cell);
    if (!std::isnan(cell)) append_field(text, column.levels[static_cast<std::size_t>(cell)]);
  }

  const Model& model_;
  std::span<const Column> columns_;
  std::vector<std::size_t> kept_;
};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Columns to keep that the model does not read as numbers are copied as the texts they are.
Result<std::unique_ptr<RowSource>> open_file(const Model& model, const PredictOptions& options) {
  ReadOptions read = columns_to_predict(model);
  for (const std::string& name : options.keep) {
    if (contains(read.columns, name)) continue;
    read.columns.push_back(name);
    read.text_columns.push_back(name);
  }
  if (read.columns.empty()) {  // a constant: any column tells how many rows there are
    TAILCOAT_TRY(header, open_rows(options.of.data));
    read.columns = read.text_columns = {header->columns()[0].name};
  }
  TAILCOAT_TRY(rows, open_rows(options.of.data, read));
  return until_interrupted(std::move(rows));
}

struct Outcome {
  std::size_t rows = 0;
  std::optional<Error> failure{};
};

bool write_predictions(const Model& model, RowSource& source, const PredictionLines& lines, const Append& append,
                       Outcome& outcome) {
  constexpr std::size_t kBlock = 1 << 18;
  std::string text = lines.header();
  bool written = true;
  const auto flush = [&] {
    written = append(text);
    text.clear();
    return written;
  };
  const auto rows = predict_rows(model, source, [&](std::span<const double> cells, const Prediction& prediction) {
    lines.append(text, cells, prediction);
    return text.size() < kBlock || flush();
  });
  if (!rows) outcome.failure = rows.error();
  if (!rows || !written) return false;
  outcome.rows = *rows;
  return flush();
}

Result<Outcome> to_file(const Model& model, RowSource& source, const PredictionLines& lines, const std::string& path) {
  Outcome outcome;
  const auto write = [&](const Append& append) { return write_predictions(model, source, lines, append, outcome); };
  const auto written = write_files({{path, write}});
  if (outcome.failure) return *outcome.failure;
  if (!written) return written.error();
  return outcome;
}

Result<Outcome> to_standard_output(const Model& model, RowSource& source, const PredictionLines& lines) {
  Outcome outcome;
  const auto append = [](const std::string& text) {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  };
  const bool written = write_predictions(model, source, lines, append, outcome) && std::fflush(stdout) == 0;
  if (outcome.failure) return *outcome.failure;
  if (!written) return system_error("cannot write the predictions to standard output");
  return outcome;
}

Result<std::string> run(const PredictOptions& options) {
  if (options.json && options.output.empty())
    return usage_error("--json is a summary and needs --output for the predictions");
  TAILCOAT_TRY(model, model_of(options.of));
  TAILCOAT_TRY(source, open_file(model, options));
  TAILCOAT_TRY(kept, find_columns(source->columns(), options.keep));
  const PredictionLines lines(model, source->columns(), kept);
  if (options.output.empty()) {
    TAILCOAT_TRY(outcome, to_standard_output(model, *source, lines));
    static_cast<void>(outcome);
    return std::string();
  }
  TAILCOAT_CHECK(check_outputs({options.output}, {options.of.data, options.of.model}));
  TAILCOAT_TRY(outcome, to_file(model, *source, lines, options.output));
  const std::vector<Figure> figures{{"output", options.output, ""},
                                    {"model", options.of.model, ""},
                                    {"target", model.target, ""},
                                    {"rows", outcome.rows, ""}};
  return options.json ? json_text(kSchema, figures) : table_text(figures);
}

}  // namespace

Command predict_command(CLI::App& tailcoat) {
  CLI::App* parser = tailcoat.add_subcommand("predict", "Predict from the rows of a file with a fitted model");
  const auto options = std::make_shared<PredictOptions>();
  add_model_arguments(*parser, options->of, "file of rows");
  add_file(*parser, "--output", options->output, "CSV file to write; standard output if not given");
  add_list(*parser, "--keep", options->keep, "columns of the file to copy, such as an id");
  parser->add_flag("--json", options->json, "print one JSON object about the run");
  parser->footer(kHelp);
  return {parser, [options] { return run(*options); }};
}

}  // namespace tailcoat::cli
