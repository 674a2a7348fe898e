// Evaluation of a model on a public test file: exact metrics, beside those of a constant prediction.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/data/open_rows.hpp"
#include "tailcoat/estimators/model.hpp"
#include "tailcoat/estimators/predict.hpp"

namespace tailcoat {

struct Metric {
  std::string name;  // "r2", "log_loss"
  double value;
  double constant;  // of the constant prediction
};

struct Evaluation {
  std::size_t rows;      // that were evaluated
  std::size_t left_out;  // without target, or without exposure
  // The constant that is compared with: the test file's mean (squared), median (absolute, huber), quantile, rate per
  // exposure (poisson), or its most frequent class.
  std::string constant;
  std::vector<Metric> metrics;
};

// The columns of a test file, and as what to read them.
ReadOptions columns_to_evaluate(const Model&);

// A data error if no row is left, a label is none of the model's classes, or a count is negative.
Result<Evaluation> evaluate(const Model&, RowSource&);

// Finds what happened in a row: the number, or the place of the class in Model::classes. NaN where it is missing or no
// class of the model.
class TargetReader {
 public:
  static Result<TargetReader> create(const Model&, std::span<const Column>);
  double read(std::span<const double> cells);
  // The label of the row as the file has it, for messages.
  [[nodiscard]] std::string text(std::span<const double> cells) const;

 private:
  TargetReader(const Model& model, std::span<const Column> columns, std::size_t column)
      : model_(&model), columns_(columns), column_(column) {}

  const Model* model_;
  std::span<const Column> columns_;
  std::size_t column_;
  std::vector<double> class_of_;  // by the index that the file gives a label
};

}  // namespace tailcoat
