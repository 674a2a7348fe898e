// Predictor: a model compiled against the columns of a file, to predict from it row by row.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/data/open_rows.hpp"
#include "tailcoat/data/row_source.hpp"
#include "tailcoat/estimators/encoder.hpp"
#include "tailcoat/estimators/model.hpp"

namespace tailcoat {

// Of one row. The spans are those of the predictor and are overwritten by the next row.
struct Prediction {
  std::span<const double> margins;        // one per part
  double value;                           // the response, or of a classifier the place of the class in Model::classes
  std::span<const double> probabilities;  // of each class; logistic only, otherwise empty
};

class Predictor {
 public:
  // The columns must outlive the predictor and stay in place, and the model must outlive it.
  static Result<Predictor> create(const Model&, std::span<const Column>);

  // A row whose exposure is missing or negative has no value (NaN).
  Prediction predict(std::span<const double> cells);
  // 1 for a model without exposure, NaN where it is missing or negative.
  [[nodiscard]] double exposure(std::span<const double> cells) const;

 private:
  Predictor(const Model& model, RowEncoder encoder, std::optional<std::size_t> exposure);
  void fill_probabilities();
  [[nodiscard]] double predicted_class() const;

  const Model* model_;
  RowEncoder encoder_;
  std::optional<std::size_t> exposure_;
  std::vector<double> coefficients_;  // part by part
  std::vector<double> values_, margins_, probabilities_;
};

// Which columns of a file a model needs, and as what.
ReadOptions columns_to_predict(const Model&);

// Reads the source once, in blocks, and calls `take` with the cells of each row and what the model says of it; stops
// when that returns false. `after_block` is called with the number of rows so far.
using TakePrediction = std::function<bool(std::span<const double> cells, const Prediction&)>;
Result<std::size_t> predict_rows(const Model&, RowSource&, const TakePrediction& take,
                                 const std::function<void(std::size_t rows)>& after_block = {});

}  // namespace tailcoat
