#include "tailcoat/estimators/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "tailcoat/data/text.hpp"
#include "tailcoat/estimators/metrics.hpp"

namespace tailcoat {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// What happened and what the model said, row by row.
struct Outcomes {
  std::vector<double> actual, predicted, margins, exposures;
  std::vector<double> probabilities;  // of the class that happened
  std::vector<double> briers;         // squared distance of the probabilities from what happened
  std::size_t left_out = 0;

  [[nodiscard]] std::size_t rows() const { return actual.size(); }
};

// Halved with two classes, whose errors are equal: the usual (p - y)^2.
double brier(std::span<const double> probabilities, std::size_t happened) {
  double sum = 0;
  for (std::size_t c = 0; c < probabilities.size(); ++c) {
    const double error = probabilities[c] - (c == happened ? 1 : 0);
    sum += error * error;
  }
  return probabilities.size() == 2 ? sum / 2 : sum;
}

void add(Outcomes& outcomes, double actual, double exposure, const Prediction& prediction) {
  outcomes.actual.push_back(actual);
  outcomes.predicted.push_back(prediction.value);
  outcomes.margins.push_back(prediction.margins[0]);
  outcomes.exposures.push_back(exposure);
  if (prediction.probabilities.empty()) return;
  const auto happened = static_cast<std::size_t>(actual);
  outcomes.probabilities.push_back(prediction.probabilities[happened]);
  outcomes.briers.push_back(brier(prediction.probabilities, happened));
}

Error unknown_class(const Model& model, const std::string& label) {
  std::string classes;
  for (const std::string& name : model.classes) classes += (classes.empty() ? "" : ", ") + in_quotes(name);
  return data_error(not_private(fmt::format("label {} in column {} is no class of the model; its classes are {}",
                                            in_quotes(label), in_quotes(model.target), classes)));
}

Result<Outcomes> outcomes_of(const Model& model, RowSource& source) {
  TAILCOAT_TRY(target, TargetReader::create(model, source.columns()));
  TAILCOAT_TRY(predictor, Predictor::create(model, source.columns()));
  const bool counts = std::holds_alternative<PoissonLoss>(model.loss);
  Outcomes outcomes;
  std::optional<Error> failure;
  TAILCOAT_TRY(rows, predict_rows(model, source, [&](std::span<const double> cells, const Prediction& prediction) {
                 const double actual = target.read(cells), exposure = predictor.exposure(cells);
                 const std::string label = std::isnan(actual) ? target.text(cells) : "";
                 if (!label.empty()) failure = unknown_class(model, label);
                 if (counts && actual < 0)
                   failure = data_error(
                       not_private(fmt::format("count {} in column {} is negative", actual, in_quotes(model.target))));
                 if (failure) return false;
                 const bool compares =
                     !std::isnan(actual) && !std::isnan(exposure) && !std::isnan(prediction.margins[0]);
                 if (!compares || (counts && exposure == 0)) {
                   ++outcomes.left_out;
                 } else {
                   add(outcomes, actual, exposure, prediction);
                 }
                 return true;
               }));
  if (failure) return *failure;
  if (outcomes.rows() == 0) return data_error(fmt::format("none of {} rows has a target to compare with", rows));
  return outcomes;
}

struct Errors {
  double squared = 0, absolute = 0, median = 0;
};

template <class PredictedAt>
Errors errors_of(const Outcomes& outcomes, PredictedAt&& predicted) {
  std::vector<double> sizes(outcomes.rows());
  Errors errors;
  const double n = static_cast<double>(outcomes.rows());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = std::abs(outcomes.actual[i] - predicted(i));
    errors.squared += sizes[i] * sizes[i] / n;
    errors.absolute += sizes[i] / n;
  }
  errors.median = quantile_of(std::move(sizes), 0.5);
  return errors;
}

double constant_of(const Model& model, const Outcomes& outcomes) {
  if (std::holds_alternative<SquaredLoss>(model.loss)) return mean_of(outcomes.actual);
  const auto* quantile = std::get_if<QuantileLoss>(&model.loss);
  return quantile_of(outcomes.actual, quantile != nullptr ? quantile->level : 0.5);
}

std::vector<Metric> error_metrics(const Errors& model, const Errors& constant, double variance) {
  const auto r2 = [&](const Errors& errors) { return variance > 0 ? 1 - errors.squared / variance : 0; };
  return {{"r2", r2(model), r2(constant)},
          {"mse", model.squared, constant.squared},
          {"mae", model.absolute, constant.absolute},
          {"median_absolute_error", model.median, constant.median}};
}

Evaluation evaluate_numbers(const Model& model, const Outcomes& outcomes) {
  const double constant = constant_of(model, outcomes), mean = mean_of(outcomes.actual);
  Evaluation evaluation{outcomes.rows(), outcomes.left_out, fmt::format("{:.6g}", constant), {}};
  evaluation.metrics = error_metrics(errors_of(outcomes, [&](std::size_t i) { return outcomes.predicted[i]; }),
                                     errors_of(outcomes, [&](std::size_t) { return constant; }),
                                     errors_of(outcomes, [&](std::size_t) { return mean; }).squared);
  if (const auto* quantile = std::get_if<QuantileLoss>(&model.loss)) {
    double loss = 0, constant_loss = 0;
    for (std::size_t i = 0; i < outcomes.rows(); ++i) {
      loss += pinball(outcomes.actual[i], outcomes.predicted[i], quantile->level);
      constant_loss += pinball(outcomes.actual[i], constant, quantile->level);
    }
    const double n = static_cast<double>(outcomes.rows());
    evaluation.metrics.push_back({"pinball_loss", loss / n, constant_loss / n});
  }
  return evaluation;
}

Evaluation evaluate_counts(const Outcomes& outcomes) {
  const double exposure = std::accumulate(outcomes.exposures.begin(), outcomes.exposures.end(), 0.0);
  const double rate = std::accumulate(outcomes.actual.begin(), outcomes.actual.end(), 0.0) / exposure;
  Evaluation evaluation{outcomes.rows(), outcomes.left_out, fmt::format("{:.6g}", rate), {}};
  const auto constant = [&](std::size_t i) { return rate * outcomes.exposures[i]; };
  double deviance = 0, constant_deviance = 0;
  for (std::size_t i = 0; i < outcomes.rows(); ++i) {
    deviance += poisson_deviance(outcomes.actual[i], outcomes.predicted[i]);
    constant_deviance += poisson_deviance(outcomes.actual[i], constant(i));
  }
  const Errors errors = errors_of(outcomes, [&](std::size_t i) { return outcomes.predicted[i]; });
  const Errors of_constant = errors_of(outcomes, constant);
  evaluation.metrics = {{"deviance", deviance / exposure, constant_deviance / exposure},
                        {"mse", errors.squared, of_constant.squared},
                        {"mae", errors.absolute, of_constant.absolute}};
  return evaluation;
}

std::vector<double> prevalences(const Model& model, const Outcomes& outcomes) {
  std::vector<double> shares(model.classes.size());
  for (const double actual : outcomes.actual)
    shares[static_cast<std::size_t>(actual)] += 1 / static_cast<double>(outcomes.rows());
  return shares;
}

void add_probability_metrics(std::vector<Metric>& metrics, const Outcomes& outcomes, std::span<const double> shares) {
  double log_loss = 0, entropy = 0, impurity = 1;
  for (const double probability : outcomes.probabilities) log_loss += log_loss_of(probability);
  for (const double share : shares) {
    if (share > 0) entropy -= share * std::log(share);
    impurity -= share * share;
  }
  if (shares.size() == 2) impurity /= 2;
  metrics.push_back({"log_loss", log_loss / static_cast<double>(outcomes.rows()), entropy});
  metrics.push_back({"brier", mean_of(outcomes.briers), impurity});
}

Evaluation evaluate_classes(const Model& model, const Outcomes& outcomes) {
  const std::vector<double> shares = prevalences(model, outcomes);
  const auto most = std::max_element(shares.begin(), shares.end());
  Evaluation evaluation{
      outcomes.rows(), outcomes.left_out, model.classes[static_cast<std::size_t>(most - shares.begin())], {}};
  double right = 0;
  for (std::size_t i = 0; i < outcomes.rows(); ++i) right += outcomes.actual[i] == outcomes.predicted[i] ? 1 : 0;
  evaluation.metrics.push_back({"accuracy", right / static_cast<double>(outcomes.rows()), *most});
  if (!outcomes.probabilities.empty()) add_probability_metrics(evaluation.metrics, outcomes, shares);
  if (model.classes.size() == 2) {
    std::vector<bool> in_class;
    for (const double actual : outcomes.actual) in_class.push_back(actual == 1);
    evaluation.metrics.push_back({"auc", area_under_curve(outcomes.margins, in_class), 0.5});
  }
  return evaluation;
}

}  // namespace

ReadOptions columns_to_evaluate(const Model& model) {
  ReadOptions options = columns_to_predict(model);
  options.columns.push_back(model.target);
  if (predicts_classes(model.loss)) options.text_columns.push_back(model.target);
  return options;
}

Result<TargetReader> TargetReader::create(const Model& model, std::span<const Column> columns) {
  TAILCOAT_TRY(column, find_column(columns, model.target));
  const ColumnKind wanted = predicts_classes(model.loss) ? ColumnKind::text : ColumnKind::number;
  if (columns[column].kind != wanted) {
    return usage_error(fmt::format("target {} must be read as {}", in_quotes(model.target),
                                   wanted == ColumnKind::text ? "texts" : "numbers"));
  }
  return TargetReader(model, columns, column);
}

double TargetReader::read(std::span<const double> cells) {
  const double cell = cells[column_];
  if (columns_[column_].kind == ColumnKind::number || std::isnan(cell)) return cell;
  const std::vector<std::string>& levels = columns_[column_].levels;
  for (std::size_t i = class_of_.size(); i < levels.size(); ++i) {
    const auto found = std::find(model_->classes.begin(), model_->classes.end(), levels[i]);
    class_of_.push_back(found == model_->classes.end() ? kNone : static_cast<double>(found - model_->classes.begin()));
  }
  return class_of_[static_cast<std::size_t>(cell)];
}

std::string TargetReader::text(std::span<const double> cells) const {
  const double cell = cells[column_];
  if (columns_[column_].kind == ColumnKind::number || std::isnan(cell)) return "";
  return columns_[column_].levels[static_cast<std::size_t>(cell)];
}

Result<Evaluation> evaluate(const Model& model, RowSource& source) {
  TAILCOAT_TRY(outcomes, outcomes_of(model, source));
  if (!model.classes.empty()) return evaluate_classes(model, outcomes);
  if (std::holds_alternative<PoissonLoss>(model.loss)) return evaluate_counts(outcomes);
  return evaluate_numbers(model, outcomes);
}

}  // namespace tailcoat
