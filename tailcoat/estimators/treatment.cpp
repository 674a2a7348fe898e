#include "tailcoat/estimators/treatment.hpp"

#include <algorithm>
#include <cmath>

namespace tailcoat {
namespace {

constexpr double kBulk = 20;        // the bulk ends where a value is sqrt(20) of its standard deviations out
constexpr double kBulkAlone = 40;   // the same where nothing further out is visible
constexpr double kTailNoise = 2;    // rows beyond, in noise deviations, that make a feature of their own
constexpr double kTailReach = 1.3;  // and they must reach so much further
// A tail is suspected of a number that is seen to reach so near to the end of its bulk; where it ends, and how far out
// a row of it typically is beyond the bulk, both in lengths of that.
constexpr double kNearEnd = 0.6, kSuspectedReach = 3, kSuspectedExcess = 0.5;
constexpr double kLeastScale = 1.0 / 8;  // of the distance to the end of the bulk
constexpr double kLeastRare = 1.0 / 32;  // the same where nearly all rows share one value
constexpr double kAtomShare = 0.6;       // of the rows in one bin
// Cells of 0 that are a state of their own: of all cells; and both they and the others in noise deviations.
constexpr double kManyZeros = 0.3, kZerosNoise = 30;
constexpr double kVaried = 0.05, kVariedNoise = 5;  // of the others, outside of their main octave
constexpr double kReach = 2;                        // of a half, in visible lengths
constexpr double kLeastHalf = 0.1;                  // of the rows, on either side of a bend
constexpr double kShareOfMissing = 0.05;
constexpr double kLeastShare = 1e-9;      // a level of no row needs a scale too
constexpr double kLeastBounded = 1e-300;  // the inverse of a scale must be a number

struct Bulk {
  double centre, limit, scale;  // values within centre +- limit
};

// The widest limit whose square is at most kBulk times the mean square of what is cut to it.
Bulk bulk_of(const ColumnSketch& sketch) {
  const double centre = sketch.quantile(0.5);
  const double reach = std::max(sketch.high() - centre, centre - sketch.low());
  const auto ends_bulk = [&](double x) { return x * x <= kBulk * sketch.spread_within(centre, x); };
  double limit = reach;
  int steps = 240;
  for (; steps > 0 && !ends_bulk(limit); --steps) limit *= 0x1.ae89f995ad3adp-1;  // 2^(-1/4)
  // Where nearly all rows are in one bin, the others are what matters: all of them belong to the bulk.
  const bool atom = steps == 0 || limit <= sketch.width_at(centre) || sketch.share_at(centre) > kAtomShare;
  if (atom) limit = reach;
  const double scale =
      std::max(std::sqrt(sketch.spread_within(centre, limit)), (atom ? kLeastRare : kLeastScale) * limit);
  return {centre, limit, scale};
}

double share_scale(double share) {
  const double known = std::clamp(share, kLeastShare, 1 - kLeastShare);
  return std::sqrt(0.5 * std::sqrt(known * (1 - known)));
}

// Of kinds that are 1 in the share of the rows and 0 in the others.
Feature indicator(const std::string& column, FeatureKind kind, double share) {
  return {.column = column, .kind = kind, .centre = share, .scale = share_scale(share), .low = 0, .high = 1};
}

// 1 where the cell is not 0, if many are and the others differ: what sets them apart from 0 need not be a slope.
std::optional<Feature> nonzero_feature(const std::string& column, const ColumnSketch& sketch, double rows) {
  const double present = rows - std::max(sketch.missing, 0.0), others = present - sketch.zeros;
  const bool many = sketch.zeros > kManyZeros * present;
  const bool differ = sketch.varied > std::max(kVariedNoise * sketch.noise, kVaried * others);
  if (!many || !differ || std::min(sketch.zeros, others) < kZerosNoise * sketch.noise) return {};
  return indicator(column, FeatureKind::nonzero, others / present);
}

// As many as noise could hide.
double hidden_rows(const ColumnSketch& sketch) { return std::max(kTailNoise * sketch.noise, 1.0); }

Feature tail_of(const Feature& number, double scale, Range range) {
  return {.column = number.column,
          .kind = FeatureKind::beyond,
          .scale = scale,
          .low = std::min(range.low, number.low),
          .high = std::max(range.high, number.high),
          .knot_low = number.low,
          .knot_high = number.high};
}

// Without a visible tail. A suspected one has the unit that it would have with as many rows as noise may hide.
std::vector<Feature> number_alone(const std::string& column, const ColumnSketch& sketch, double rows, const Bulk& bulk,
                                  double reach, Tails tails) {
  const double limit = std::sqrt(kBulk) * bulk.scale;
  const bool seen = sketch.share_beyond(bulk.centre, limit) * rows > hidden_rows(sketch);
  if (tails == Tails::seen || seen || limit < bulk.limit || reach < kNearEnd * limit)
    return number_features(column, Scale{bulk.centre, bulk.scale});
  const Feature number{.column = column,
                       .centre = bulk.centre,
                       .scale = bulk.scale,
                       .low = bulk.centre - limit,
                       .high = bulk.centre + limit};
  const double hidden = std::min(hidden_rows(sketch) / rows, 1.0), far = kSuspectedReach * limit;
  return {number,
          tail_of(number, std::sqrt(hidden) * kSuspectedExcess * limit, {bulk.centre - far, bulk.centre + far})};
}

// The number, and its tail if it has one.
std::vector<Feature> slope_features(const std::string& column, const ColumnSketch& sketch, double rows, Tails tails) {
  if (sketch.only_zeros()) {
    const double rare = std::min(hidden_rows(sketch) / rows, 0.25);
    return {{.column = column, .scale = std::sqrt(rare), .low = -1, .high = 1}};
  }
  const Bulk bulk = bulk_of(sketch);
  const double reach = std::max(sketch.high() - bulk.centre, bulk.centre - sketch.low());
  const double beyond = sketch.share_beyond(bulk.centre, bulk.limit) * rows;
  const double tail_scale = std::sqrt(sketch.excess_beyond(bulk.centre, bulk.limit));
  Feature number{.column = column, .centre = bulk.centre, .scale = bulk.scale};
  if (bulk.limit >= reach && bulk.limit * bulk.limit > kBulkAlone * bulk.scale * bulk.scale) {
    number.low = sketch.low();
    number.high = sketch.high();
    return {number};
  }
  if (!(beyond > kTailNoise * sketch.noise && tail_scale > 0 && reach > kTailReach * bulk.limit))
    return number_alone(column, sketch, rows, bulk, reach, tails);
  number.low = bulk.centre - bulk.limit;
  number.high = bulk.centre + bulk.limit;
  return {number, tail_of(number, tail_scale, {sketch.low(), sketch.high()})};
}

}  // namespace

std::vector<Feature> number_features(const std::string& column, const ColumnSketch& sketch, double rows, Tails tails) {
  std::vector<Feature> features = slope_features(column, sketch, rows, tails);
  if (const auto nonzero = nonzero_feature(column, sketch, rows)) features.push_back(*nonzero);
  return features;
}

std::vector<Feature> number_features(const std::string& column, Range bounds) {
  return {{.column = column,
           .centre = bounds.low / 2 + bounds.high / 2,  // the difference of the two might overflow
           .scale = std::max(bounds.high / 4 - bounds.low / 4, kLeastBounded),
           .low = bounds.low,
           .high = bounds.high}};
}

std::vector<Feature> number_features(const std::string& column, Scale scale) {
  const double limit = std::sqrt(kBulkAlone) * scale.spread;
  return {{.column = column,
           .centre = scale.centre,
           .scale = scale.spread,
           .low = scale.centre - limit,
           .high = scale.centre + limit}};
}

std::optional<Halves> halves_of(const Feature& number, const ColumnSketch& sketch) {
  const double knot = number.centre;
  Feature below = number, above = number;
  below.kind = FeatureKind::below;
  above.kind = FeatureKind::above;
  below.high = above.low = knot;
  // The limit of a number is that of its longer side; the other half ends nearer, but beyond what noise may hide.
  below.low = std::max(number.low, knot - kReach * (knot - sketch.low()));
  above.high = std::min(number.high, knot + kReach * (sketch.high() - knot));
  double rows = 0, under = 0, over = 0;
  for (const auto& [low, high, count] : sketch.bins) {
    const double middle = low + (high - low) / 2;
    rows += count;
    under += middle < knot ? count : 0;
    over += middle > knot ? count : 0;
  }
  if (!(std::min(under, over) > kLeastHalf * rows)) return {};
  // Moments of the halves; differences from the knot, as squares of large numbers might cancel.
  double mean_below = 0, mean_above = 0, square_below = 0, square_above = 0;
  for (const auto& [low, high, count] : sketch.bins) {
    const double from_knot = std::clamp(low + (high - low) / 2, number.low, number.high) - knot, share = count / rows;
    const double down = std::min(from_knot, 0.0), up = std::max(from_knot, 0.0);
    mean_below += share * down;
    mean_above += share * up;
    square_below += share * down * down;
    square_above += share * up * up;
  }
  const double variance_below = square_below - mean_below * mean_below;
  const double variance_above = square_above - mean_above * mean_above;
  if (!(variance_below > 0 && variance_above > 0)) return {};
  below.centre = knot + mean_below;
  above.centre = knot + mean_above;
  below.scale = std::sqrt(variance_below);
  above.scale = std::sqrt(variance_above);
  // Their product is 0 in every row.
  const double correlation = -mean_below * mean_above / (below.scale * above.scale);
  const double mix_below = correlation * below.scale + above.scale,
               mix_above = -below.scale - correlation * above.scale;
  const double unit =
      std::sqrt(mix_below * mix_below + mix_above * mix_above + 2 * correlation * mix_below * mix_above);
  if (!(unit > 0 && std::isfinite(1 / unit))) return {};
  const double of_number = std::sqrt(variance_below + variance_above - 2 * mean_below * mean_above);
  Halves halves{below, above, mix_below / unit, mix_above / unit, of_number, {}};
  for (const auto& [low, high, count] : sketch.bins) {
    const double cell = std::clamp(low + (high - low) / 2, number.low, number.high);
    const double down = (below.of_number(cell) - below.centre) / below.scale;
    const double up = (above.of_number(cell) - above.centre) / above.scale;
    halves.points.push_back({(below.scale * down + above.scale * up) / of_number,
                             halves.mix_below * down + halves.mix_above * up, count / rows});
  }
  return halves;
}

std::vector<Feature> level_features(const std::string& column, std::span<const Level> levels) {
  std::vector<Feature> features;
  for (const Level& level : levels) {
    features.push_back(indicator(column, level.other ? FeatureKind::other : FeatureKind::level, level.share));
    features.back().level = level.text;
  }
  return features;
}

Feature missing_feature(const std::string& column) { return indicator(column, FeatureKind::missing, kShareOfMissing); }

Feature target_scale(const std::string& column, const ColumnSketch& sketch) {
  if (sketch.only_zeros()) return {.column = column};
  const Bulk bulk = bulk_of(sketch);
  return {.column = column, .centre = bulk.centre, .scale = bulk.scale};
}

}  // namespace tailcoat
