// Terms: the basis of a model, chosen from what is released of the columns. A number is a straight line or, in an
// additive model, a line that changes its slope at two knots; far-out cells have a slope of their own (a tail); texts
// have an effect for each level. A term is what a prior is about: the mean slope of a column, a change of slope, a
// tail, an effect. Coefficients are of features, as the model file has them: the pieces of a number between its knots.
#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <string>
#include <vector>

#include "tailcoat/estimators/feature_choice.hpp"
#include "tailcoat/fit/terms_kind.hpp"

namespace tailcoat {

struct Terms {
  std::vector<Feature> features;
  std::vector<std::size_t> fitted;  // those with a coefficient: all but the reference levels
  Eigen::MatrixXd to_coefficients;  // of standardised fitted features, from the terms; square
  std::vector<std::size_t> group;   // of each term: those of a group are expected to be of one size
  std::vector<std::string> notes;

  [[nodiscard]] std::size_t size() const { return fitted.size(); }
  [[nodiscard]] bool empty() const { return fitted.empty(); }
  [[nodiscard]] const Feature& operator[](std::size_t i) const { return features[fitted[i]]; }
};

// `bends`: whether there are rows enough for changes of slope.
Terms choose_terms(FeatureChoice, TermsKind, bool bends);

}  // namespace tailcoat
