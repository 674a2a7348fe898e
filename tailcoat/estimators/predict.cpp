#include "tailcoat/estimators/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tailcoat/data/text.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kBlockCells = 1 << 15;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Result<std::optional<std::size_t>> exposure_column(const Model& model, std::span<const Column> columns) {
  if (model.exposure.empty()) return std::optional<std::size_t>{};
  TAILCOAT_TRY(place, find_column(columns, model.exposure));
  if (columns[place].kind == ColumnKind::text)
    return usage_error(fmt::format("column {} holds texts, but the exposure needs numbers", in_quotes(model.exposure)));
  return std::optional(place);
}

}  // namespace

Predictor::Predictor(const Model& model, RowEncoder encoder, std::optional<std::size_t> exposure)
    : model_(&model), encoder_(std::move(encoder)), exposure_(exposure) {
  for (const LinearPart& part : model.parts)
    for (const Estimate& coefficient : part.coefficients) coefficients_.push_back(coefficient.value);
  values_.resize(model.features.size());
  margins_.resize(model.parts.size());
  if (std::holds_alternative<LogisticLoss>(model.loss)) probabilities_.resize(model.classes.size());
}

Result<Predictor> Predictor::create(const Model& model, std::span<const Column> columns) {
  TAILCOAT_TRY(encoder, RowEncoder::create(model.features, columns));
  TAILCOAT_TRY(exposure, exposure_column(model, columns));
  return Predictor(model, std::move(encoder), exposure);
}

double Predictor::exposure(std::span<const double> cells) const {
  if (!exposure_) return 1;
  const double exposure = cells[*exposure_];
  return exposure >= 0 ? exposure : kNone;
}

Prediction Predictor::predict(std::span<const double> cells) {
  encoder_.encode(cells, values_);
  const double* coefficients = coefficients_.data();
  for (std::size_t p = 0; p < margins_.size(); ++p, coefficients += values_.size()) {
    const LinearPart& part = model_->parts[p];
    margins_[p] = part.curve(std::inner_product(values_.begin(), values_.end(), coefficients, part.intercept.value));
  }
  fill_probabilities();
  const double value = model_->classes.empty() ? response(*model_, margins_[0], exposure(cells)) : predicted_class();
  return {margins_, value, probabilities_};
}

void Predictor::fill_probabilities() {
  if (probabilities_.empty()) return;
  if (margins_.size() == 1) {
    probabilities_[0] = response(*model_, -margins_[0]);
    probabilities_[1] = response(*model_, margins_[0]);
    return;
  }
  double sum = 0;
  for (std::size_t c = 0; c < margins_.size(); ++c) sum += probabilities_[c] = response(*model_, margins_[c]);
  for (double& probability : probabilities_) probability /= sum;
}

double Predictor::predicted_class() const {
  if (margins_.size() == 1) return margins_[0] > 0 ? 1 : 0;
  return static_cast<double>(std::max_element(margins_.begin(), margins_.end()) - margins_.begin());
}

ReadOptions columns_to_predict(const Model& model) {
  NeededColumns needed = needed_columns(model.features);
  if (!model.exposure.empty() && std::find(needed.all.begin(), needed.all.end(), model.exposure) == needed.all.end())
    needed.all.push_back(model.exposure);
  return {.columns = std::move(needed.all), .text_columns = std::move(needed.texts)};
}

Result<std::size_t> predict_rows(const Model& model, RowSource& source, const TakePrediction& take,
                                 const std::function<void(std::size_t rows)>& after_block) {
  TAILCOAT_TRY(predictor, Predictor::create(model, source.columns()));
  const std::size_t width = source.columns().size();
  std::vector<double> block(std::max(width, kBlockCells / width * width));
  for (std::size_t done = 0;;) {
    TAILCOAT_TRY(rows, source.read(block));
    if (rows == 0) return done;
    for (std::size_t i = 0; i < rows; ++i, ++done) {
      const std::span<const double> cells = std::span(block).subspan(i * width, width);
      if (!take(cells, predictor.predict(cells))) return done;
    }
    if (after_block) after_block(done);
  }
}

}  // namespace tailcoat
