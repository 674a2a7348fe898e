// How the cells of a column become features, decided from what is public of it: a sketch, bounds that the user knows,
// or the levels that count. The rules and why: adaptive.md.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tailcoat/estimators/column_sketch.hpp"
#include "tailcoat/estimators/feature.hpp"

namespace tailcoat {

struct Range {
  double low, high;
};

// Most values are within a few spreads of the centre.
struct Scale {
  double centre, spread;
};

struct Level {
  std::string text;
  double share;        // of the rows, as far as it is known
  bool other = false;  // all other texts, and none
};

// The tails that become features: those that a sketch shows, or also such as its noise may hide.
enum class Tails { seen, suspected };

// The number itself, cut where the bulk of the column ends; if more of it than noise is further out, or may be, how
// far; and if many cells are 0 and the others differ, whether it is one of those.
std::vector<Feature> number_features(const std::string& column, const ColumnSketch& sketch, double rows,
                                     Tails tails = Tails::seen);
std::vector<Feature> number_features(const std::string& column, Range bounds);
std::vector<Feature> number_features(const std::string& column, Scale scale);

// A number in two: its cells cut to below and to above the middle of the column. The mix of both, in their units, is a
// kink of unit variance that is not correlated with the number.
struct Halves {
  struct Point {
    double number, kink, share;  // of the rows
  };
  Feature below, above;
  double mix_below, mix_above;
  double unit;                // by which the halves, in their own, make a number of unit variance
  std::vector<Point> points;  // where the rows are, as the sketch has it: both with mean 0 and unit variance
};

// None where there is too little on one side of the middle.
std::optional<Halves> halves_of(const Feature& number, const ColumnSketch& sketch);

// One per level. The first is the reference: it gets no coefficient of its own.
std::vector<Feature> level_features(const std::string& column, std::span<const Level> levels);

Feature missing_feature(const std::string& column);

// The unit in which the fit sees the target: centre and scale of its bulk.
Feature target_scale(const std::string& column, const ColumnSketch& sketch);

}  // namespace tailcoat
