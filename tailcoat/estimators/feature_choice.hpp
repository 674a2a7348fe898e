// The features of a fit, chosen from what is released of the columns or given: sketches of numbers, counts of levels.
#pragma once

#include <string>
#include <vector>

#include "tailcoat/estimators/fit.hpp"
#include "tailcoat/mechanisms/frequent_levels.hpp"

namespace tailcoat {

struct FeatureChoice {
  std::vector<Feature> features;
  std::vector<std::size_t> fitted;  // those with a coefficient: all but the reference levels
  std::vector<std::string> notes;
};

// Costs at most the share of the meter's total, every column the same.
Result<FeatureChoice> choose_features(const Frame&, const FitOptions&, double share, RunContext, Outlet);

// The levels of a text column that count, with their noisy counts: those given, or those found. None: a note says so.
Result<std::vector<FrequentLevel>> levels_of(const Frame&, const FitOptions&, std::size_t column, Gdp cost, RunContext,
                                             Outlet, std::vector<std::string>& notes);

// Where each text is among `wanted`; NaN where it is not.
std::vector<double> places(const std::vector<std::string>& texts, const std::vector<std::string>& wanted);

// The features of a number column as far as they follow from what is known in public; none if nothing is.
std::vector<Feature> known_features(const FitOptions&, const std::string& column);

inline bool is_feature(const FitOptions& options, const Column& column) {
  return column.name != options.target && column.name != options.exposure;
}

}  // namespace tailcoat
