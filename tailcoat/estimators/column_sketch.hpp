// ColumnSketch: what is privately known of a column of numbers: where its values are, to within some bins. Nothing
// about the columns needs to be known before. Released histograms find the octaves that hold values, then zoom in on
// them; columns that need no further zoom take no further part, and cost nothing. Proof and rules: adaptive.md.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/mechanisms/outlet.hpp"

namespace tailcoat {

struct SketchBin {
  double low, high;  // equal for the bin of zeros
  double rows;       // noisy count
};

struct ColumnSketch {
  std::vector<SketchBin> bins;  // visible ones, in order; at least one
  double noise = 0;             // standard deviation of a count of the first histogram
  double missing = 0;           // cells without a value, as that has it
  double zeros = 0;             // cells that are 0, likewise
  double varied = 0;            // cells of another octave than most of those that are not 0, likewise
  bool blank = false;           // nothing is visible: the bin, of zeros, is there for want of another

  [[nodiscard]] double low() const { return bins.front().low; }
  [[nodiscard]] double high() const { return bins.back().high; }
  // Nothing but zeros is visible: rare other values may be there.
  [[nodiscard]] bool only_zeros() const { return low() == 0 && high() == 0; }
  // One number, known to a thousandth, is all that stands out.
  [[nodiscard]] bool one_value() const;
  [[nodiscard]] double rows() const;
  // The middle of the bin that the share `below` of the visible rows reaches.
  [[nodiscard]] double quantile(double below) const;
  // Of the visible bin that holds x; 0 if none does.
  [[nodiscard]] double width_at(double x) const;
  // The share of the rows in it; 0 if it begins at zero, where many rows are nothing unusual.
  [[nodiscard]] double share_at(double x) const;
  // The mean of min(|x - centre|, limit)^2.
  [[nodiscard]] double spread_within(double centre, double limit) const;
  // The share of the rows further than `limit` from the centre, by the middles of their bins, and the mean square of
  // how much further; that is not small where the limit cuts a bin near its middle, nor large because of octaves that
  // may hold noise alone.
  [[nodiscard]] double share_beyond(double centre, double limit) const;
  [[nodiscard]] double excess_beyond(double centre, double limit) const;
};

// Octaves at the rim of a column that hold little more than noise might: a feature had better reach too far than not
// far enough, while what is clipped at the end of a column had better not.
enum class Rim { doubtful, certain };

// The sketches of the columns `which` of the data; `what` they are goes into the receipt. Costs at most `cost`, less
// where no column needs a closer look.
Result<std::vector<ColumnSketch>> sketch_columns(Engine&, const RowData& data, std::span<const std::size_t> which,
                                                 const std::string& what, Gdp cost, Outlet, Rim = Rim::certain);

}  // namespace tailcoat
