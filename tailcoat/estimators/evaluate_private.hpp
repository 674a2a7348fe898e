// Evaluation of a model on a sensitive file, within a budget of its own. Each metric is the mean of a bounded number
// per row, released with Gaussian noise; bounds that are not public are found privately first. Every release is in the
// receipt. What the bounds do to the metrics: evaluate.md.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tailcoat/algorithms/problem.hpp"
#include "tailcoat/data/row_source.hpp"
#include "tailcoat/estimators/model.hpp"

namespace tailcoat {

struct PrivateMetric {
  std::string name;
  double value;
  double standard_error;           // of privacy noise and of sampling; what caps take off is not in it
  std::optional<double> constant;  // the metric of a constant prediction, where it came with the others
};

struct PrivateEvaluation {
  std::size_t rows;
  std::vector<PrivateMetric> metrics;
  std::vector<std::string> notes;
  Receipt receipt;
};

// Refused, and nothing charged, where the file has too few rows for the budget.
Result<PrivateEvaluation> evaluate_private(const Model&, RowSource&, ApproxDp budget, RunContext);

}  // namespace tailcoat
