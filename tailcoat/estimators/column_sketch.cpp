#include "tailcoat/estimators/column_sketch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/estimators/runs.hpp"
#include "tailcoat/mechanisms/histograms.hpp"

namespace tailcoat {
namespace {

// Of mu^2: the octaves, then the looks closer.
constexpr double kOctaveShare = 0.4;
constexpr std::array kLookShares = {0.3, 0.1, 0.1, 0.1};
constexpr double kSlack = 1.5;      // a bin at the rim of a visible run must hold more than so many noise deviations
constexpr double kDoubtful = 1;     // the same of octaves whose rim may be doubtful
constexpr double kVisible = 5;      // a run is visible if its sum is more than so many of its own deviations
constexpr double kOneValue = 1e-3;  // of a number, how wide the bin of a column of one number is at most
constexpr double kHidden = 0.3;     // of the rows, in no visible octave
constexpr double kLeastSide = 1.0 / 3;  // of the rows, for a sign to count as much as the other
constexpr double kLoneBin = 3.5;        // a bin besides the run is kept above so many
constexpr double kRowsPerBin = 8;       // at least so many noise deviations if the rows were spread evenly
// Of the rows at either end that are left out of the first closer look: as few as let the middle half of them have more
// than two of its bins. Few values far away (sentinels) would hide the bulk in one bin otherwise.
constexpr std::array kTrims = {0.03, 0.1, 0.25};
constexpr double kLeastMiddle = 1.0 / 32;
constexpr double kBulkTrim = 0.05;    // and of the further ones
constexpr double kLeastInside = 0.7;  // of the rows must be in the range of a further look, or it is not believed
constexpr std::size_t kLeastBins = 8, kMostBins = 64;
constexpr double kLeastSure = 1.0 / 8;  // of the rows of an octave

Gdp part(Gdp cost, double share) { return {mul_down(cost.mu, sqrt_down(share))}; }

// The place among bins that the share `below` of the rows reaches; noise may make a running sum fall.
std::size_t reached(std::span<const SketchBin> bins, double below) {
  double total = 0, sum = 0;
  for (const SketchBin& bin : bins) total += bin.rows;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    sum += bins[i].rows;
    if (sum >= below * total) return i;
  }
  return bins.size() - 1;
}

bool is_octave(const SketchBin& bin) {
  return bin.high - bin.low > 0.49 * std::max(std::abs(bin.low), std::abs(bin.high));
}

// Of the octaves other than 0, less the one that has most.
double rows_besides_most(std::span<const SketchBin> octaves) {
  double sum = 0, most = 0;
  for (const SketchBin& octave : octaves) {
    if (octave.low == octave.high) continue;
    sum += octave.rows;
    most = std::max(most, octave.rows);
  }
  return sum - most;
}

struct Search {
  ColumnSketch sketch;
  double from = 0, to = 0;  // the range of the next look
  bool active = true;
  bool mostly_zeros = false;  // then there is nothing to zoom in on: what else there is decides the scale
};

void choose_range(Search& search) {
  const std::vector<SketchBin>& bins = search.sketch.bins;
  const auto low = [&](double trim) { return bins[reached(bins, trim)].low; };
  const auto high = [&](double trim) { return bins[reached(bins, 1 - trim)].high; };
  const double middle = high(kTrims.back()) - low(kTrims.back());
  for (const double trim : kTrims) {
    search.from = low(trim);
    search.to = high(trim);
    if (middle == 0 || middle >= kLeastMiddle * (search.to - search.from)) break;
  }
  search.active = search.to > search.from;
}

// The octaves that hold values: of each sign the best run, if it shows; and zero. Where far fewer rows show than there
// are, both signs together, as if they had as many each.
Search octaves(std::span<const double> counts, const BinGrid& grid, double noise, double rows, Rim rim) {
  const std::size_t zero = counts.size() / 2;  // bin 0 is for missing values
  const auto bin = [&](std::size_t i) {
    return SketchBin{lower_edge(grid, i), upper_edge(grid, i), std::max(counts[i], 0.0)};
  };
  const auto finite = [](SketchBin b) {
    if (std::isinf(b.low)) b.low = 2 * b.high;
    if (std::isinf(b.high)) b.high = 2 * b.low;
    return b;
  };
  Search search;
  std::vector<SketchBin>& bins = search.sketch.bins;
  search.sketch.noise = noise;
  search.sketch.missing = counts[0];
  const double slack = rim == Rim::doubtful ? kDoubtful : kSlack;
  const auto add_run = [&](std::size_t begin, std::size_t end) {
    const auto side = counts.subspan(begin, end - begin);
    const std::vector<char> visible = visible_bins(side, noise, slack, kVisible);
    for (std::size_t i = 0; i < side.size(); ++i)
      if (visible[i]) bins.push_back(finite(bin(begin + i)));
  };
  add_run(1, zero);
  if (counts[zero] > kVisible * noise) bins.push_back(bin(zero));
  add_run(zero + 1, counts.size());
  if (search.sketch.rows() < (1 - kHidden) * (rows - std::max(counts[0], 0.0))) {
    std::vector<double> folded;
    for (std::size_t i = 1; i < zero; ++i) folded.push_back(counts[zero - i] + counts[zero + i]);
    const std::vector<char> visible = visible_bins(folded, std::numbers::sqrt2 * noise, slack, kVisible);
    double down = 0, up = 0;
    for (std::size_t i = 1; i < zero; ++i) {
      down += visible[i - 1] ? counts[zero - i] : 0;
      up += visible[i - 1] ? counts[zero + i] : 0;
    }
    if (std::min(down, up) > kLeastSide * (down + up)) {
      std::erase_if(bins, [](const SketchBin& b) { return b.low != b.high; });
      for (std::size_t i = 1; i < zero; ++i) {
        if (!visible[i - 1]) continue;
        const SketchBin above = finite(bin(zero + i));
        const double half = std::max(folded[i - 1] / 2, 0.0);
        bins.insert(bins.begin(), {-above.high, -above.low, half});
        bins.push_back({above.low, above.high, half});
      }
    }
  }
  search.sketch.zeros = std::max(counts[zero], 0.0);
  search.sketch.varied = rows_besides_most(bins);
  search.sketch.blank = bins.empty();
  if (bins.empty()) bins.push_back({0, 0, 1});
  search.mostly_zeros = counts[zero] > search.sketch.rows() / 2;
  choose_range(search);
  return search;
}

std::size_t bins_for(double rows, double noise) {
  const double most = std::clamp(rows / (kRowsPerBin * noise), 1.0, static_cast<double>(kMostBins));
  return std::max(kLeastBins, std::bit_floor(static_cast<std::size_t>(most)));
}

// Takes in a histogram of the range; `again` if it is not the first.
void look(Search& search, std::span<const double> counts, const BinGrid& grid, double noise, double rows, bool again) {
  const std::span<const double> inside = counts.subspan(2, grid.count);
  const Run run = best_run(inside, noise, kSlack);
  std::vector<SketchBin> seen;
  double held = 0;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (!(i >= run.first && i <= run.last) && inside[i] <= kLoneBin * noise) continue;
    seen.push_back({lower_edge(grid, i + 2), upper_edge(grid, i + 2), std::max(inside[i], 0.0)});
    held += inside[i];
  }
  const bool believed = again ? held >= kLeastInside * rows : stands_out(inside, run, noise, kVisible);
  if (!believed) {
    search.active = false;
    return;
  }
  const std::size_t first = reached(seen, kBulkTrim), last = reached(seen, 1 - kBulkTrim);
  const double width = (grid.high - grid.low) / static_cast<double>(grid.count);
  const double bulk_low = seen[first].low, bulk_high = seen[last].high;

  std::vector<SketchBin>& bins = search.sketch.bins;
  // By their middles: the ends of a range differ from those of the bins it is made of by rounding.
  std::erase_if(bins, [&](const SketchBin& b) {
    const double middle = b.low + (b.high - b.low) / 2;
    return middle >= grid.low && middle <= grid.high;
  });
  bins.insert(bins.end(), seen.begin(), seen.end());
  std::ranges::sort(bins, {}, [](const SketchBin& b) { return std::pair(b.low, b.high); });  // zero comes first
  search.active = !search.mostly_zeros && bulk_high - bulk_low <= 0.2501 * (grid.high - grid.low);
  search.from = std::max(grid.low, bulk_low - width);
  search.to = std::min(grid.high, bulk_high + width);
}

// A range wide enough for its bins to be told apart in double.
BinGrid grid_of(const Search& search, std::size_t bins) {
  const double size = std::max(std::abs(search.from), std::abs(search.to));
  const double to = std::max(search.to, search.from + size * 0x1p-40);
  return linear_bins(search.from, to, bins);
}

}  // namespace

bool ColumnSketch::one_value() const {
  const SketchBin& fullest = *std::ranges::max_element(bins, {}, &SketchBin::rows);
  const double size = std::max(std::abs(fullest.low), std::abs(fullest.high));
  return fullest.high - fullest.low < kOneValue * size && rows() - fullest.rows < kVisible * noise;
}

double ColumnSketch::rows() const {
  double sum = 0;
  for (const SketchBin& bin : bins) sum += bin.rows;
  return sum;
}

double ColumnSketch::quantile(double below) const {
  const SketchBin& bin = bins[reached(bins, below)];
  return bin.low + (bin.high - bin.low) / 2;
}

double ColumnSketch::width_at(double x) const {
  for (const SketchBin& bin : bins)
    if (x >= bin.low && x <= bin.high) return bin.high - bin.low;
  return 0;
}

double ColumnSketch::share_at(double x) const {
  for (const SketchBin& bin : bins)
    if (x >= bin.low && x <= bin.high && bin.low != 0) return bin.rows / std::max(rows(), 1.0);
  return 0;
}

double ColumnSketch::spread_within(double centre, double limit) const {
  double sum = 0;
  for (const SketchBin& bin : bins) {
    const double distance = std::min(std::abs(bin.low + (bin.high - bin.low) / 2 - centre), limit);
    const double width = std::min(bin.high - bin.low, limit);
    sum += bin.rows * (distance * distance + width * width / 12);
  }
  return sum / std::max(rows(), 1.0);
}

double ColumnSketch::share_beyond(double centre, double limit) const {
  double sum = 0;
  for (const SketchBin& bin : bins)
    if (std::abs(bin.low + (bin.high - bin.low) / 2 - centre) > limit) sum += bin.rows;
  return sum / std::max(rows(), 1.0);
}

double ColumnSketch::excess_beyond(double centre, double limit) const {
  double sum = 0;
  for (const SketchBin& bin : bins) {
    const double excess = std::abs(bin.low + (bin.high - bin.low) / 2 - centre) - limit, width = bin.high - bin.low;
    // A far octave of noise alone must not stretch what is there.
    const double sure = is_octave(bin) ? std::max(bin.rows - noise, kLeastSure * bin.rows) : bin.rows;
    // Of a bin that the limit halves, the mean is that of its upper half: w^2 / 24, where the middle alone says 0.
    if (excess > 0) sum += sure * std::max(excess * excess, width * width / 24);
  }
  return sum / std::max(rows(), 1.0);
}

Result<std::vector<ColumnSketch>> sketch_columns(Engine& engine, const RowData& data,
                                                 std::span<const std::size_t> which, const std::string& what, Gdp cost,
                                                 Outlet outlet, Rim rim) {
  TAILCOAT_CHECK(outlet.meter.affords(what, cost));
  std::vector<BinGrid> grids(data.dimension(), no_bins());
  for (const std::size_t column : which) grids[column] = magnitude_bins(1);
  TAILCOAT_TRY(first, column_histograms(engine, data, grids, fmt::format("{}, rough histogram", what),
                                        part(cost, kOctaveShare), outlet));
  std::vector<Search> searches;
  std::vector<double> present;  // rows that are not missing
  for (const std::size_t column : which) {
    searches.push_back(
        octaves(first.counts[column], grids[column], first.noise_scale, static_cast<double>(data.rows()), rim));
    present.push_back(static_cast<double>(data.rows()) - std::max(first.counts[column][0], 0.0));
  }
  for (std::size_t round = 0; round < kLookShares.size(); ++round) {
    const auto active = static_cast<std::size_t>(std::ranges::count_if(searches, &Search::active));
    if (active == 0) break;
    const Gdp price = part(cost, kLookShares[round]);
    const double noise = std::sqrt(2 * static_cast<double>(active)) / price.mu;
    const std::size_t bins = bins_for(static_cast<double>(data.rows()), noise);
    for (std::size_t i = 0; i < which.size(); ++i)
      grids[which[i]] = searches[i].active ? grid_of(searches[i], bins) : no_bins();
    const std::string closer = fmt::format("{}, finer histogram {}", what, round + 1);
    TAILCOAT_TRY(histograms, column_histograms(engine, data, grids, closer, price, outlet));
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (!searches[i].active) continue;
      look(searches[i], histograms.counts[which[i]], grids[which[i]], histograms.noise_scale, present[i], round > 0);
    }
  }
  std::vector<ColumnSketch> sketches;
  for (Search& search : searches) sketches.push_back(std::move(search.sketch));
  return sketches;
}

}  // namespace tailcoat
