// FittedFeatures: the features of a fit, and which of them have a coefficient, as they change on its way. Numbers bend,
// tails of which nothing is seen are forgotten, and bends that turn out to be none go. Rules: adaptive.md.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tailcoat/estimators/curvature.hpp"
#include "tailcoat/estimators/feature_choice.hpp"
#include "tailcoat/estimators/tail_pace.hpp"
#include "tailcoat/estimators/uncertainty.hpp"

namespace tailcoat {

class FittedFeatures {
 public:
  FittedFeatures() = default;
  explicit FittedFeatures(FeatureChoice choice) : all_(std::move(choice.features)), fitted_(std::move(choice.fitted)) {}

  [[nodiscard]] const std::vector<Feature>& all() const { return all_; }
  [[nodiscard]] const std::vector<std::size_t>& fitted() const { return fitted_; }  // places among them
  [[nodiscard]] std::size_t size() const { return fitted_.size(); }
  [[nodiscard]] bool empty() const { return fitted_.empty(); }
  // Of those with a coefficient.
  [[nodiscard]] const Feature& operator[](std::size_t i) const { return all_[fitted_[i]]; }

  void bend(const Candidate& candidate);

  // A tail without rows would have a slope of noise alone, which the others would feel: its number is as if none had
  // been found. False if there is none; else the moment is that of the columns that are left.
  bool forget_unseen_tails(SecondMoment& moment);

  // A tail comes right after its number, and the slope above a bend after that below.
  [[nodiscard]] std::vector<Turn> turns() const;
  // Of those with a coefficient, tails, and numbers that have none but reach as far.
  [[nodiscard]] std::vector<std::size_t> far_reaching() const;

  // Of their slopes, in the coordinates of the descent.
  [[nodiscard]] std::vector<TailDirection> tail_directions(const Whitening& whitening) const;

  // Bends that are none become numbers again; takes the coefficients of their upper halves out of those of all
  // features.
  void straighten(const std::vector<Turn>& bends, std::vector<Estimate>& coefficients);

 private:
  void forget_tail(std::size_t place);

  std::vector<Feature> all_;
  std::vector<std::size_t> fitted_;
  std::map<std::string, Feature> numbers_;  // those that bend, as they were, by column
};

}  // namespace tailcoat
