#include "tailcoat/estimators/public_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "tailcoat/data/text.hpp"

namespace tailcoat {
namespace {

constexpr double kRowNoise = 1;  // fewer than three rows far out could be chance

constexpr double kLargest = 1e150;  // its square is a number

// One bin per value that occurs; a single one gets some width, as the scale of its column.
ColumnSketch exact_sketch(std::vector<double> values) {
  std::ranges::sort(values);
  ColumnSketch sketch{.bins = {}, .noise = kRowNoise};
  for (const double value : values) {
    if (sketch.bins.empty() || sketch.bins.back().low != value) sketch.bins.push_back({value, value, 0});
    sketch.bins.back().rows += 1;
  }
  std::map<std::pair<bool, int>, double> octaves;
  double most = 0;
  for (const SketchBin& bin : sketch.bins) {
    if (bin.low == 0) {
      sketch.zeros = bin.rows;
      continue;
    }
    double& octave = octaves[{bin.low < 0, std::ilogb(bin.low)}];
    octave += bin.rows;
    most = std::max(most, octave);
    sketch.varied += bin.rows;
  }
  sketch.varied -= most;
  if (sketch.bins.size() == 1) {
    SketchBin& only = sketch.bins.front();
    const double width = std::abs(only.low) * 0x1p-10;
    only.low -= width;
    only.high += width;
  }
  return sketch;
}

}  // namespace

Result<void> learn_from_public(const Table& rows, FitOptions& options) {
  for (const Column& column : rows.columns()) {
    if (column.kind == ColumnKind::text) {
      if (std::vector<std::string>& levels = options.levels[column.name]; levels.empty()) levels = column.levels;
      continue;
    }
    TAILCOAT_TRY(values, rows.values(column.name));
    std::erase_if(values, [](double value) { return std::isnan(value); });
    if (values.empty() || std::ranges::any_of(values, [](double value) { return std::abs(value) > kLargest; }))
      return data_error(fmt::format("the public rows have no number in column {}, or one beyond {:g}",
                                    in_quotes(column.name), kLargest));
    options.sketches.emplace(column.name, exact_sketch(std::move(values)));
  }
  return {};
}

}  // namespace tailcoat
