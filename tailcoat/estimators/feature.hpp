// Feature: one number that a linear model sees of a row, made from one column of the file. All of it is public: given
// by the user or released. Fitting and predicting treat cells alike, because both go through value() and of().
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tailcoat/base/result.hpp"

namespace tailcoat {

enum class FeatureKind {
  number,   // the cell, cut to [low, high]
  below,    // the same of a column with a bend at `high`, which has another slope above it
  above,    // likewise with a bend at `low`
  beyond,   // how far the cell, cut to [low, high], is outside of [knot_low, knot_high]; negative below
  level,    // 1 where the text is `level`, 0 where it is another known level of the column
  other,    // 1 where the text is no known level of the column or missing, else 0
  nonzero,  // 1 where the cell is another number than 0, 0 where it is 0
  missing,  // 1 where the cell is missing, else 0
};

struct Feature {
  std::string column;
  FeatureKind kind = FeatureKind::number;
  std::string level{};  // of kind level
  double centre = 0;    // in place of a missing cell and, of kind level, of a text that is no known level
  double scale = 1;     // the unit in which the fit sees it: (value - centre) / scale
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  double knot_low = 0, knot_high = 0;  // of kind beyond, whose centre is 0

  // Of slopes and of kind beyond.
  [[nodiscard]] double of_number(double cell) const {
    if (std::isnan(cell)) return centre;
    const double cut = std::clamp(cell, low, high);
    return kind == FeatureKind::beyond ? cut - std::clamp(cut, knot_low, knot_high) : cut;
  }
};

// The cell cut to a range, as it is.
inline bool is_slope(FeatureKind kind) {
  return kind == FeatureKind::number || kind == FeatureKind::below || kind == FeatureKind::above;
}

// A tail on both sides of its number, rather than one.
inline bool has_both_ends(const Feature& tail) { return tail.low < tail.knot_low && tail.high > tail.knot_high; }
// Where the only end of a tail begins.
inline double only_end(const Feature& tail) { return tail.low < tail.knot_low ? tail.knot_low : tail.knot_high; }

// Made from a text.
inline bool is_of_text(FeatureKind kind) { return kind == FeatureKind::level || kind == FeatureKind::other; }

// "number", "below", "above", "beyond", "level", "other", "nonzero", "missing".
const char* kind_name(FeatureKind);

// "rooms", "rooms below 4", "rooms above 4", "rooms beyond 30", "balance beyond -8 to 30", "city=Graz", "city is
// other", "rooms is not 0", "rooms is missing".
std::string feature_name(const Feature&);

// Refuses numbers that no fit gives: a centre that is not finite, a scale that is not positive, limits out of order.
Result<void> check_feature(const Feature&);

}  // namespace tailcoat
