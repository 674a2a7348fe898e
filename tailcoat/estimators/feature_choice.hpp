// The features of a fit, chosen from what is released of the columns or given: sketches of numbers, counts of levels.
#pragma once

#include <string>
#include <vector>

#include "tailcoat/estimators/fit.hpp"
#include "tailcoat/mechanisms/frequent_levels.hpp"

namespace tailcoat {

// A number that may have two slopes.
struct Candidate {
  std::size_t feature;
  Halves halves;
  ColumnSketch sketch{};
};

struct FeatureChoice {
  std::vector<Feature> features;
  std::vector<std::size_t> fitted;  // those with a coefficient: all but the reference levels
  std::vector<Candidate> candidates;
  std::vector<std::size_t> one_value;  // features of columns of which one number is visible
  std::vector<std::string> notes;
};

// Costs at most the share of the meter's total, a text twice as much as a number.
Result<FeatureChoice> choose_features(const Frame&, const FitOptions&, double share, Tails, RunContext, Outlet);

// The texts of a column that many rows have.
Result<FrequentLevels> found_levels(const Frame&, const FitOptions&, std::size_t column, Gdp cost, RunContext, Outlet);

// "a, b and 3 more", of many names the first.
std::string listed(const std::vector<std::string>& names);

// Where each text is among `wanted`; NaN where it is not.
std::vector<double> places(const std::vector<std::string>& texts, const std::vector<std::string>& wanted);

// The features of a number column as far as they follow from what is known in public; none if nothing is.
std::vector<Feature> known_features(const FitOptions&, const std::string& column);

inline bool is_feature(const FitOptions& options, const Column& column) {
  return column.name != options.target && column.name != options.exposure;
}

}  // namespace tailcoat
