// Private histograms of every column at once, in one release and one pass. What can be read off them (quantiles,
// moments, shares of missing values) costs nothing more.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/mechanisms/outlet.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

struct ColumnHistograms {
  std::vector<std::vector<double>> counts;  // noisy number of rows, for each bin of each column; may be negative
  double noise_scale;                       // standard deviation of a count, in rows: sqrt(2 d) / mu
};

// One grid per column.
Result<ColumnHistograms> column_histograms(Engine&, const RowData&, std::span<const BinGrid>, const std::string& what,
                                           Gdp cost, Outlet);

}  // namespace tailcoat
