#include "tailcoat/estimators/feature_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tailcoat/data/text.hpp"
#include "tailcoat/estimators/design.hpp"
#include "tailcoat/estimators/fit_checks.hpp"
#include "tailcoat/mechanisms/histograms.hpp"

namespace tailcoat {
namespace {

constexpr double kSeen = 3;            // deviations of noise from which rows, of a level or of a column, are believed
constexpr std::size_t kMostNamed = 8;  // in a note

void add(FeatureChoice& choice, const std::vector<Feature>& features) {
  for (const Feature& feature : features) {
    choice.fitted.push_back(choice.features.size());
    choice.features.push_back(feature);
  }
}

// Of a number, which may bend.
void add(FeatureChoice& choice, const std::vector<Feature>& features, const ColumnSketch& sketch) {
  const std::size_t number = choice.features.size();
  add(choice, features);
  if (const auto halves = halves_of(features[0], sketch)) choice.candidates.push_back({number, *halves, sketch});
}

// As if cells were spread evenly: all that bounds or a scale say.
ColumnSketch even_sketch(double low, double high) {
  constexpr std::size_t kBins = 16;
  ColumnSketch sketch;
  const double width = high / kBins - low / kBins;
  for (std::size_t i = 0; i < kBins; ++i)
    sketch.bins.push_back({low + static_cast<double>(i) * width, low + static_cast<double>(i + 1) * width, 1});
  return sketch;
}

// Null where bounds or a scale are given.
const ColumnSketch* public_sketch(const FitOptions& options, const std::string& column) {
  if (options.bounds.contains(column) || options.scales.contains(column)) return nullptr;
  const auto found = options.sketches.find(column);
  return found == options.sketches.end() ? nullptr : &found->second;
}

// Where the cells of a column are of which something is known in public.
ColumnSketch known_spread(const FitOptions& options, const std::string& column) {
  if (const auto range = options.bounds.find(column); range != options.bounds.end())
    return even_sketch(range->second.low, range->second.high);
  if (const auto scale = options.scales.find(column); scale != options.scales.end()) {
    const double reach = std::numbers::sqrt3 * scale->second.spread;
    return even_sketch(scale->second.centre - reach, scale->second.centre + reach);
  }
  return *public_sketch(options, column);
}

// How many rows of a text column have each level of the model, and how many have none of them, with its deviation.
struct TextCounts {
  std::vector<FrequentLevel> levels;
  double others, noise;

  [[nodiscard]] bool has_others() const { return !levels.empty() && others > kSeen * noise; }
};

// The most frequent level is the reference.
void add_levels(FeatureChoice& choice, const std::string& column, const TextCounts& counts, double rows) {
  std::vector<Level> levels;
  const auto share = [&](double count) { return std::clamp(count / rows, 1 / rows, 1 - 1 / rows); };
  for (const FrequentLevel& level : counts.levels) levels.push_back({level.text, share(level.count)});
  if (counts.has_others()) levels.push_back({.text = "", .share = share(counts.others), .other = true});
  std::ranges::stable_sort(levels, std::ranges::greater(), &Level::share);
  const std::size_t first = choice.features.size();
  add(choice, level_features(column, levels));
  if (!levels.empty()) choice.fitted.erase(std::ranges::find(choice.fitted, first));
}

// A text is lost whole if no level is above its threshold; a number has a centre and a scale even in much noise.
double weight_of(const Column& column) { return column.kind == ColumnKind::text ? 2 : 1; }

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// How many rows have each of the given levels. Of those that next to none has there would be nothing but noise to tell.
Result<TextCounts> counts_of(const Rows& cells, const Column& texts, const std::vector<std::string>& given, Gdp cost,
                             RunContext run, Outlet outlet, std::vector<std::string>& notes) {
  const LabelRule place{.of_level = places(texts.levels, given)};
  TAILCOAT_TRY(codes, labels_of(cells, place));
  TAILCOAT_TRY(coded, run.engine.load_columns(RowsOf<double>{codes.data(), codes.size(), 1, 1}));
  const BinGrid grid = level_bins(given.size());
  const std::string what = fmt::format("counts of levels, {}", in_quotes(texts.name));
  TAILCOAT_TRY(histogram, column_histograms(run.engine, coded, std::span(&grid, 1), what, cost, outlet));
  TextCounts counts{.levels = {}, .others = histogram.counts[0][0], .noise = histogram.noise_scale};
  std::vector<std::string> unseen;
  for (std::size_t k = 0; k < given.size(); ++k) {
    const double rows = histogram.counts[0][k + 2];
    if (rows > kSeen * histogram.noise_scale) {
      counts.levels.push_back({given[k], rows});
      continue;
    }
    unseen.push_back(in_quotes(given[k]));
    counts.others += rows;
    counts.noise = std::hypot(counts.noise, histogram.noise_scale);
  }
  if (!unseen.empty())
    notes.push_back(fmt::format("{}: too few rows hold {} to tell {} from others", texts.name, listed(unseen),
                                unseen.size() == 1 ? "it" : "them"));
  if (counts.has_others())
    notes.push_back(fmt::format("{0}: about {1:.0f} rows hold a text that is not told apart, or none: \"{0} is other\"",
                                texts.name, counts.others));
  return counts;
}

// All from released numbers. Empty: nothing.
std::string note_on_levels(const std::string& column, const TextCounts& counts, double threshold) {
  if (counts.levels.empty())
    return fmt::format("{}: no text is in more than about {:.0f} rows, so the column is not used", column, threshold);
  if (!counts.has_others()) return "";
  return fmt::format(
      "{0}: texts in fewer than about {1:.0f} rows are not told apart; about {2:.0f} rows hold such a text, or none: "
      "\"{0} is other\"",
      column, threshold, counts.others);
}

// The levels of a text column that count, with their noisy counts: those given, or those found.
Result<TextCounts> levels_of(const Frame& frame, const FitOptions& options, std::size_t column, Gdp cost,
                             RunContext run, Outlet outlet, std::vector<std::string>& notes) {
  const Column& texts = frame.columns[column];
  if (!are_found(options, texts))
    return counts_of(frame.column(column), texts, options.levels.at(texts.name), cost, run, outlet, notes);
  TAILCOAT_TRY(found, found_levels(frame, options, column, cost, run, outlet));
  double others = static_cast<double>(frame.rows());
  for (const FrequentLevel& level : found.levels) others -= level.count;
  const double noise = found.noise_scale * std::sqrt(static_cast<double>(found.levels.size()));
  TextCounts counts{.levels = std::move(found.levels), .others = others, .noise = noise};
  const std::string note = note_on_levels(texts.name, counts, found.threshold);
  if (!note.empty()) notes.push_back(note);
  return counts;
}

// Of number columns: where there is next to nothing to see, coefficients mean next to nothing.
void note_unseen(FeatureChoice& choice, const std::vector<std::string>& columns, const char* seen) {
  if (!columns.empty())
    choice.notes.push_back(fmt::format("{}: {} is visible at this budget; {} little", listed(columns), seen,
                                       columns.size() == 1 ? "the coefficient says" : "the coefficients say"));
}

}  // namespace

std::vector<double> places(const std::vector<std::string>& texts, const std::vector<std::string>& wanted) {
  std::vector<double> places;
  for (const std::string& text : texts) {
    const auto found = std::ranges::find(wanted, text);
    places.push_back(found == wanted.end() ? std::numeric_limits<double>::quiet_NaN()
                                           : static_cast<double>(found - wanted.begin()));
  }
  return places;
}

std::vector<Feature> known_features(const FitOptions& options, const std::string& column) {
  if (const auto range = options.bounds.find(column); range != options.bounds.end())
    return number_features(column, range->second);
  if (const auto scale = options.scales.find(column); scale != options.scales.end())
    return number_features(column, scale->second);
  if (const ColumnSketch* sketch = public_sketch(options, column))
    return number_features(column, *sketch, sketch->rows());
  return {};
}

Result<FrequentLevels> found_levels(const Frame& frame, const FitOptions& options, std::size_t column, Gdp cost,
                                    RunContext run, Outlet outlet) {
  const Column& texts = frame.columns[column];
  TAILCOAT_TRY(data, run.engine.load_columns(frame.cells, frame.apart));
  return frequent_levels(run.engine, data, column, texts.levels,
                         fmt::format("frequent levels, {}", in_quotes(texts.name)), cost,
                         delta_of_levels(frame, options), outlet);
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostNamed) text += fmt::format(" and {} more", names.size() - kMostNamed);
  return text;
}

Result<FeatureChoice> choose_features(const Frame& frame, const FitOptions& options, double share, Tails tails,
                                      RunContext run, Outlet outlet) {
  const auto rows = static_cast<double>(frame.rows());
  std::vector<std::size_t> numbers;
  double columns = 0;
  for (std::size_t j = 0; j < frame.columns.size(); ++j) {
    const Column& column = frame.columns[j];
    if (!is_feature(options, column)) continue;
    columns += weight_of(column);
    if (column.kind == ColumnKind::number && known_features(options, column.name).empty()) numbers.push_back(j);
  }
  const double each = share / std::max(columns, 1.0);
  std::vector<ColumnSketch> sketches;
  if (!numbers.empty()) {
    TAILCOAT_TRY(data, run.engine.load_columns(frame.cells, frame.apart));
    const Gdp cost = outlet.meter.share(each * static_cast<double>(numbers.size()));
    TAILCOAT_TRY(found, sketch_columns(run.engine, data, numbers, "columns", cost, outlet, Rim::doubtful));
    sketches = std::move(found);
  }
  FeatureChoice choice;
  auto sketch = sketches.begin();
  std::vector<std::string> nothing, zeros, empty;  // all that is visible of these columns
  for (std::size_t j = 0; j < frame.columns.size(); ++j) {
    const Column& column = frame.columns[j];
    if (!is_feature(options, column)) continue;
    if (column.kind == ColumnKind::text) {
      TAILCOAT_TRY(levels, levels_of(frame, options, j, outlet.meter.share(each * weight_of(column)), run, outlet,
                                     choice.notes));
      add_levels(choice, column.name, levels, rows);
      continue;
    }
    const std::vector<Feature> known = known_features(options, column.name);
    if (!known.empty()) {
      add(choice, known, known_spread(options, column.name));
    } else if (rows - sketch->missing < kSeen * sketch->noise) {
      std::ranges::copy(number_features(column.name, *sketch, rows), std::back_inserter(choice.features));
      empty.push_back(column.name);
    } else {
      if (sketch->one_value()) choice.one_value.push_back(choice.features.size());
      add(choice, number_features(column.name, *sketch, rows, tails), *sketch);
      if (sketch->only_zeros()) (sketch->blank ? nothing : zeros).push_back(column.name);
    }
    if (known.empty()) ++sketch;
    if (contains(options.missing_indicators, column.name)) add(choice, {missing_feature(column.name)});
  }
  if (!empty.empty())
    choice.notes.push_back(fmt::format("{}: next to no cell is there, so there is no coefficient", listed(empty)));
  note_unseen(choice, nothing, "nothing");
  note_unseen(choice, zeros, "nothing but zeros");
  return choice;
}

}  // namespace tailcoat
