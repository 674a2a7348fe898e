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

constexpr double kOthersNoise = 3;     // deviations of noise from which rows without a level are believed
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
  if (const auto halves = halves_of(features[0], sketch)) choice.candidates.push_back({number, *halves});
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

// The most frequent level is the reference.
void add_levels(FeatureChoice& choice, const std::string& column, std::vector<FrequentLevel> found, double rows) {
  std::ranges::stable_sort(found, std::ranges::greater(), &FrequentLevel::count);
  std::vector<Level> levels;
  for (const FrequentLevel& level : found)
    levels.push_back({level.text, std::clamp(level.count / rows, 1 / rows, 1 - 1 / rows)});
  const std::size_t first = choice.features.size();
  add(choice, level_features(column, levels));
  if (!levels.empty()) choice.fitted.erase(std::ranges::find(choice.fitted, first));
}

// A text is lost whole if no level is above its threshold; a number has a centre and a scale even in much noise.
double weight_of(const Column& column) { return column.kind == ColumnKind::text ? 2 : 1; }

// How many rows hold no level of the model, if that is told from noise.
std::string others_text(double others, double noise) {
  return others > kOthersNoise * noise ? fmt::format("about {:.0f} rows", others) : std::string();
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// How many rows have each of the given levels.
Result<std::vector<FrequentLevel>> counts_of(const Rows& cells, const Column& texts,
                                             const std::vector<std::string>& given, Gdp cost, RunContext run,
                                             Outlet outlet, std::vector<std::string>& notes) {
  const LabelRule place{.of_level = places(texts.levels, given)};
  TAILCOAT_TRY(codes, labels_of(cells, place));
  TAILCOAT_TRY(coded, run.engine.load_columns(RowsOf<double>{codes.data(), codes.size(), 1, 1}));
  const BinGrid grid = level_bins(given.size());
  const std::string what = fmt::format("counts of levels, {}", in_quotes(texts.name));
  TAILCOAT_TRY(histogram, column_histograms(run.engine, coded, std::span(&grid, 1), what, cost, outlet));
  std::vector<FrequentLevel> levels;
  for (std::size_t k = 0; k < given.size(); ++k)
    levels.push_back({given[k], std::max(histogram.counts[0][k + 2], histogram.noise_scale)});
  const std::string others = others_text(histogram.counts[0][0], histogram.noise_scale);
  if (!others.empty())
    notes.push_back(fmt::format("{}: {} hold a text that was not given, or none; they count as the average row",
                                texts.name, others));
  return levels;
}

// All from released numbers.
std::string note_on_levels(const std::string& column, const FrequentLevels& found, double rows) {
  if (found.levels.empty())
    return fmt::format("{}: no text is in more than about {:.0f} rows, so the column is not used", column,
                       found.threshold);
  for (const FrequentLevel& level : found.levels) rows -= level.count;
  const std::string others = others_text(rows, found.noise_scale * std::sqrt(static_cast<double>(found.levels.size())));
  return fmt::format("{}: texts in fewer than about {:.0f} rows are not modelled; {} the average row", column,
                     found.threshold,
                     others.empty() ? "they count as" : others + " hold such a text, or none, and count as");
}

// The levels of a text column that count, with their noisy counts: those given, or those found.
Result<std::vector<FrequentLevel>> levels_of(const Frame& frame, const FitOptions& options, std::size_t column,
                                             Gdp cost, RunContext run, Outlet outlet, std::vector<std::string>& notes) {
  const Column& texts = frame.columns[column];
  if (!are_found(options, texts))
    return counts_of(frame.column(column), texts, options.levels.at(texts.name), cost, run, outlet, notes);
  TAILCOAT_TRY(found, found_levels(frame, options, column, cost, run, outlet));
  notes.push_back(note_on_levels(texts.name, found, static_cast<double>(frame.rows())));
  return std::move(found.levels);
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

Result<FeatureChoice> choose_features(const Frame& frame, const FitOptions& options, double share, RunContext run,
                                      Outlet outlet) {
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
  std::vector<std::string> nothing, zeros;  // all that is visible of these columns
  for (std::size_t j = 0; j < frame.columns.size(); ++j) {
    const Column& column = frame.columns[j];
    if (!is_feature(options, column)) continue;
    if (column.kind == ColumnKind::text) {
      TAILCOAT_TRY(levels, levels_of(frame, options, j, outlet.meter.share(each * weight_of(column)), run, outlet,
                                     choice.notes));
      add_levels(choice, column.name, std::move(levels), rows);
      continue;
    }
    const std::vector<Feature> known = known_features(options, column.name);
    if (known.empty()) {
      add(choice, number_features(column.name, *sketch, rows), *sketch);
    } else {
      add(choice, known, known_spread(options, column.name));
    }
    if (known.empty() && sketch->only_zeros()) (sketch->blank ? nothing : zeros).push_back(column.name);
    if (known.empty()) ++sketch;
    if (contains(options.missing_indicators, column.name)) add(choice, {missing_feature(column.name)});
  }
  note_unseen(choice, nothing, "nothing");
  note_unseen(choice, zeros, "nothing but zeros");
  return choice;
}

}  // namespace tailcoat
