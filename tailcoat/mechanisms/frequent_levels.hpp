// Which texts a column holds, where nobody knows them beforehand: the levels whose noisy count is above a threshold, so
// high that a level of a single row is hardly ever shown. Gaussian price for the counts, and the probability of that as
// a delta of its own. Proof: mechanisms.md, "Frequent levels".
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/mechanisms/outlet.hpp"
#include "tailcoat/privacy/event.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

struct FrequentLevel {
  std::string text;
  double count;  // noisy number of rows
};

struct FrequentLevels {
  std::vector<FrequentLevel> levels;  // sorted by text; those whose noisy count exceeds the threshold
  double threshold;                   // in rows
  double noise_scale;                 // standard deviation of a count, in rows: sqrt(2) / mu
};

// What has to be reserved for each call when the meter is opened, besides the Gaussian price.
Event levels_event(double delta);

// The number above which a noisy count has to be: 1 + z sqrt(2) / mu, P[Z > z] <= delta. For planning.
Result<double> levels_threshold(std::size_t rows, Gdp cost, double delta);

// Of one column, whose cells are positions in `levels` (as those of a text column of a Table are). Both are data:
// levels that no row has, and cells that are no position, missing ones included, count for nothing. Equal texts are one
// level. `what` they are goes into the receipt.
Result<FrequentLevels> frequent_levels(Engine&, const RowData&, std::size_t column, std::span<const std::string> levels,
                                       const std::string& what, Gdp cost, double delta, Outlet);

}  // namespace tailcoat
