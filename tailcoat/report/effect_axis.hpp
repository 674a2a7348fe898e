// The axis that all panels of the effects share, so that classes compare: its range, its unit and its ticks.
#pragma once

#include <string>
#include <vector>

#include "tailcoat/estimators/model.hpp"
#include "tailcoat/report/scale.hpp"

namespace tailcoat::report {

struct Tick {
  double at;  // in effects
  std::string label;
  bool minor;  // hidden where there is little room
};

// How effects are written: as sums, or as factors, which are changes in per cent where they are small.
enum class Unit { sum, percent, factor };

struct Axis {
  Scale scale;  // to per cent of the width
  double low, high;
  Unit unit;
  std::vector<Tick> ticks;
};

// Beyond it, coordinates would overflow.
bool drawable(double value);
// Covers the effects of the features and, if there are any, their intervals as far as they are not out of proportion.
Axis axis_of(const Model&, const std::vector<std::size_t>& features, bool intervals);

}  // namespace tailcoat::report
