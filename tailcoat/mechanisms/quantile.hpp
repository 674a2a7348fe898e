// Private quantiles of every column at once, by noisy binary search. Nothing about the columns needs to be known: the
// search runs over all floating-point numbers of magnitude 2^-64 to 2^64 with `precision` fraction bits, and zero, so
// it is geometric across magnitudes and linear within one. Each step releases one count per column.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/mechanisms/outlet.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

struct QuantileSearch {
  double share_above = 0.5;  // of the n rows: 0.5 is the median, 0.05 the 95 % quantile
  int precision = 11;        // fraction bits: the answer is within a factor 1 + 2^-precision of a grid neighbour
};

// A value per column that about share_above * n rows exceed. A missing value exceeds nothing. Values beyond +-2^64
// count as +-2^64.
Result<std::vector<double>> column_quantiles(Engine&, const RowData&, QuantileSearch, Gdp cost, Outlet);

// A distance per column that |value - centre| exceeds in about share_above * n rows; never negative.
Result<std::vector<double>> column_spreads(Engine&, const RowData&, std::span<const double> centres, QuantileSearch,
                                           Gdp cost, Outlet);

// Standard deviation of the counts the search compares with share_above * n, in rows: ranks closer than a few of these
// to 0 or n cannot be found.
double quantile_rank_noise(std::size_t columns, QuantileSearch, Gdp cost);

}  // namespace tailcoat
