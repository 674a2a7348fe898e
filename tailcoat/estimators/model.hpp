// Model: a released linear model with all that is needed to predict from a file like the one it was fitted to. It holds
// public numbers only.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/estimators/feature.hpp"
#include "tailcoat/losses/loss.hpp"
#include "tailcoat/privacy/receipt.hpp"

namespace tailcoat {

// A released number with its uncertainty: privacy noise and sampling error together.
struct Estimate {
  double value = 0;
  double standard_error = 0;
  double low = 0, high = 0;  // confidence interval
};

// Of a term that was looked at and left out of the model: how far its 0 is off is not known.
inline Estimate left_out() {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  return {0, kUnknown, kUnknown, kUnknown};
}
inline bool is_left_out(const Estimate& estimate) { return estimate.value == 0 && std::isnan(estimate.standard_error); }

// Two straight lines that meet in the knot, where the curve is the identity. Slopes are at least 0.
struct Curve {
  double knot = 0;
  double below = 1, above = 1;

  [[nodiscard]] bool is_straight() const { return below == 1 && above == 1; }
  [[nodiscard]] double operator()(double x) const {
    return is_straight() ? x : knot + (x < knot ? below : above) * (x - knot);
  }
};

// margin = curve(intercept + sum_j coefficients[j] * (value of feature j)), in the units of the file.
struct LinearPart {
  Estimate intercept;
  std::vector<Estimate> coefficients;
  Curve curve{};
};

struct Model {
  Loss loss;
  std::string target;
  std::vector<std::string> classes{};  // of a classifier, in order; empty otherwise
  std::string exposure{};              // column that multiplies the rate of a Poisson model; empty: none
  std::vector<Feature> features;
  std::vector<LinearPart> parts;  // one; one per class (one against the rest) where there are more than two
  double confidence = 0.95;       // of the intervals
  std::size_t rows = 0;           // that it was fitted to
  Receipt receipt;
  std::vector<std::string> notes{};  // what a user should know: what was found, chosen, left out
};

// Of the only part; straight, if there are more.
inline Curve curve_of(const Model& model) { return model.parts.size() == 1 ? model.parts[0].curve : Curve(); }

// Whether the target of the loss is a class: logistic and the hinges.
bool predicts_classes(const Loss&);

// Whether some part of the model has a coefficient of this feature: a reference level has none, nor has a tail that was
// left out, nor any feature of a constant model.
bool is_fitted(const Model&, std::size_t feature);
std::size_t fitted_features(const Model&);

// How many parts a model of so many classes has.
inline std::size_t parts_for(std::size_t classes) { return classes > 2 ? classes : 1; }

// What a model says of a row: the margin and what it stands for.
//   squared, huber, absolute, quantile: the margin;  poisson: exposure * e^margin;
//   logistic: the probability of classes[1];  hinge: the margin (its sign is the class).
double response(const Model&, double margin, double exposure = 1);

// One JSON object, schema "tailcoat-model/1", or 2 if there is a curve (docs/model.md). Reading refuses other schemas
// and what is not a model. A number that is NaN is written as null, which only the uncertainty of a term that was left
// out may be.
std::string to_json(const Model&);
Result<Model> model_from_json(const std::string& text);

}  // namespace tailcoat
