#include "tailcoat/estimators/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/data/text.hpp"
#include "tailcoat/estimators/descent.hpp"
#include "tailcoat/estimators/feature_choice.hpp"
#include "tailcoat/estimators/fit_checks.hpp"
#include "tailcoat/mechanisms/clipped_mean.hpp"
#include "tailcoat/mechanisms/histograms.hpp"

namespace tailcoat {
namespace {

constexpr double kMissingNoise = 3;  // deviations of noise from which missing targets are believed
constexpr double kLeastPresent = 0.01;
constexpr double kMostNegative = 0.05;  // of counts, as a share
constexpr double kCountShare = 0.1;     // of the target's share, to count them where nothing else is looked at
constexpr double kTolerated = 0.07;     // error of a level, in deviations of the target
constexpr double kLargestResidual = 3, kLargestLinearResidual = 1;
// Counts that are too rare to show are let in, up to so many times the largest that shows, as long as noise is so small
// a part of the mean: of residuals, and of the counts themselves.
constexpr double kHiddenCounts = 2, kCountNoise = 0.05, kWideCounts = 4, kWideNoise = 0.2;

// The largest magnitude that is visible. Where only zeros are, others are taken to be counts of one.
double most_of(const ColumnSketch& sketch) {
  return sketch.only_zeros() ? 1 : std::clamp(std::max(std::abs(sketch.low()), std::abs(sketch.high())), 1e-9, 1e9);
}

// At the logarithm of odds or of a rate, from as many rows of this variance and noise on their sum.
Start log_start(double margin, double rows, double row_variance, double noise) {
  return {margin, row_variance, rows, 1 / (rows * row_variance), std::pow(noise / (rows * row_variance), 2)};
}

// What a cut around the centre takes off the mean as far as the sketch tells, as if it were all on one side.
double bias_of(double cut, const ColumnSketch& sketch, double centre) {
  const auto excess = [&](double x) { return std::max(std::abs(x - centre) - cut, 0.0); };
  double sum = 0;
  for (const SketchBin& bin : sketch.bins)
    sum += bin.rows * (excess(bin.low) + 4 * excess(bin.low + (bin.high - bin.low) / 2) + excess(bin.high)) / 6;
  return sum / std::max(sketch.rows(), 1.0);
}

// Where to cut a target around its centre so that bias and noise of its mean are least; the noise is so much for each
// unit of the cut.
double mean_cut(const ColumnSketch& sketch, double centre, double noise_per_cut) {
  const double reach = std::max({sketch.high() - centre, centre - sketch.low(), 1e-150});
  double best = reach, least = HUGE_VAL;
  constexpr int kCuts = 80;
  for (int i = 0; i < kCuts; ++i) {
    const double cut = reach * std::exp2(-i / 4.0);
    const double error = std::hypot(bias_of(cut, sketch, centre), noise_per_cut * cut);
    if (error < least) least = error, best = cut;
  }
  return best;
}

// The share of the rows that are not missing. What noise could be is taken for none.
double share_present(double missing, double noise, double rows) {
  return missing > kMissingNoise * noise ? std::clamp(1 - missing / rows, kLeastPresent, 1.0) : 1;
}

// Of a column of which something is known in public: one bin, where that is no more than a range.
std::optional<ColumnSketch> known_sketch(const FitOptions& options, const std::string& column) {
  const auto uniform = [](double low, double high) { return ColumnSketch{.bins = {{low, high, 1}}}; };
  if (const auto range = options.bounds.find(column); range != options.bounds.end())
    return uniform(range->second.low, range->second.high);
  if (const auto scale = options.scales.find(column); scale != options.scales.end())
    return uniform(scale->second.centre - 2 * scale->second.spread, scale->second.centre + 2 * scale->second.spread);
  if (const auto sketch = options.sketches.find(column); sketch != options.sketches.end()) return sketch->second;
  return {};
}

// A few negative numbers are taken for 0.
Result<void> check_counts(const std::string& column, const ColumnSketch& sketch) {
  double negative = 0;
  for (const SketchBin& bin : sketch.bins) negative += bin.low < 0 && bin.high <= 0 ? bin.rows : 0;
  if (negative <= kMostNegative * sketch.rows()) return {};
  return data_error(
      fmt::format("about {:.0f} % of column {} are below 0, and Poisson loss is for counts. Use a loss for numbers "
                  "(--loss squared; "
                  "in Python PrivateLinearRegression)",
                  100 * negative / sketch.rows(), in_quotes(column)));
}

Feature known_unit(const FitOptions& options, const ColumnSketch& sketch) {
  const bool limits = options.bounds.contains(options.target) || options.scales.contains(options.target);
  return limits ? known_features(options, options.target)[0] : target_scale(options.target, sketch);
}

}  // namespace

std::string note_on_absent(double present, const char* why) {
  return fmt::format("{}{:.0f} % of the rows {} and take no part in the fit",
                     present > kLeastPresent ? "about " : "at least ", 100 * (1 - present), why);
}

std::string note_on_cut(const Start& start, const Feature& unit) {
  return fmt::format(
      "numbers further than {:.4g} from {:.4g} count as that far: of a tail longer than can be seen the mean is too "
      "small, and the interval does not say by how much",
      start.cut, unit.centre);
}

Result<Target> Target::look(const Frame& frame, const FitOptions& options, double share, RunContext run, Outlet outlet,
                            std::vector<std::string>& notes) {
  Target target(options);
  TAILCOAT_TRY(column, frame.index_of(options.target));
  if (predicts_classes(options.loss)) {
    TAILCOAT_CHECK(target.choose_classes(frame, column, share / 2, run, outlet, notes));
  } else {
    TAILCOAT_CHECK(target.sketch(frame, column, is_count(options.loss) ? share / 2 : share, run, outlet, notes));
    if (target.labelled_ < 1) notes.push_back(note_on_absent(target.labelled_, "have no target"));
  }
  return target;
}

Result<void> Target::choose_classes(const Frame& frame, std::size_t column, double share, RunContext run, Outlet outlet,
                                    std::vector<std::string>& notes) {
  const Column& texts = frame.columns[column];
  double threshold = 0;
  if (are_found(*options_, texts)) {
    const Gdp cost = outlet.meter.share(share);
    TAILCOAT_TRY(least, levels_threshold(frame.rows(), cost, delta_of_levels(frame, *options_)));
    if (static_cast<double>(frame.rows()) < 2 * least)
      return refusal(fmt::format(
          "to find the classes of column {} privately each must be in more than {:.0f} rows, and there are {}; nothing "
          "was released. Name the classes (--classes a,b; in Python classes=[a, b]), or take a larger epsilon or more "
          "rows",
          in_quotes(texts.name), least, frame.rows()));
    TAILCOAT_TRY(found, found_levels(frame, *options_, column, cost, run, outlet));
    for (const FrequentLevel& level : found.levels) classes_.push_back(level.text);
    threshold = found.threshold;
    notes.push_back(
        fmt::format("the classes of {} were found: those in more than about {:.0f} rows; rows of another class, or of "
                    "none, take no part in the fit",
                    texts.name, threshold));
  } else {
    classes_ = options_->levels.at(texts.name);
  }
  class_of_ = places(texts.levels, classes_);
  if (classes_.size() >= 2) return {};
  return data_error(fmt::format(
      "{} of column {} is in more than {:.0f} rows as far as noise lets tell, and a classifier needs two such classes. "
      "If the column holds numbers to predict, such as prices, use a loss for numbers (--loss squared; in Python "
      "PrivateLinearRegression). If it holds classes, name them (--classes a,b; in Python classes=[a, b]), or take a "
      "larger epsilon or more rows",
      classes_.empty() ? std::string("no class") : "only the class " + in_quotes(classes_[0]), in_quotes(texts.name),
      threshold));
}

Result<void> Target::sketch(const Frame& frame, std::size_t column, double share, RunContext run, Outlet outlet,
                            std::vector<std::string>& notes) {
  const bool counts = is_count(options_->loss);
  std::vector<std::size_t> columns;
  sketch_ = known_sketch(*options_, options_->target);
  if (sketch_) {
    if (counts) TAILCOAT_CHECK(check_counts(options_->target, *sketch_));
    if (!counts) unit_ = known_unit(*options_, *sketch_);
  } else {
    columns.push_back(column);
  }
  const auto rows = static_cast<double>(frame.rows());
  if (sketch_) TAILCOAT_CHECK(count_missing(frame, column, kCountShare * share, run, outlet));
  if (!options_->exposure.empty()) exposure_sketch_ = known_sketch(*options_, options_->exposure);
  if (!options_->exposure.empty() && !exposure_sketch_) {
    TAILCOAT_TRY(exposure, frame.index_of(options_->exposure));
    columns.push_back(exposure);
  }
  if (columns.empty()) return {};
  TAILCOAT_TRY(data, run.engine.load_columns(frame.cells, frame.apart));
  TAILCOAT_TRY(sketches, sketch_columns(run.engine, data, columns, "target",
                                        outlet.meter.share((sketch_ ? 1 - kCountShare : 1) * share), outlet));
  if (!options_->exposure.empty() && !exposure_sketch_) {
    exposure_sketch_ = std::move(sketches.back());
    exposed_ = share_present(exposure_sketch_->missing, exposure_sketch_->noise, rows);
  }
  if (sketch_) return {};
  sketch_ = std::move(sketches.front());
  labelled_ = share_present(sketch_->missing, sketch_->noise, rows);
  if (counts) return check_counts(options_->target, *sketch_);
  unit_ = target_scale(options_->target, *sketch_);
  if (sketch_->only_zeros())
    notes.push_back("nothing but zeros of the target is visible at this budget: estimates and intervals say little");
  return {};
}

Result<void> Target::count_missing(const Frame& frame, std::size_t column, double share, RunContext run,
                                   Outlet outlet) {
  TAILCOAT_TRY(data, run.engine.load_columns(frame.cells, frame.apart));
  std::vector<BinGrid> grids(data.dimension(), no_bins());
  grids[column] = level_bins(1);
  TAILCOAT_TRY(histogram,
               column_histograms(run.engine, data, grids, "target, missing ones", outlet.meter.share(share), outlet));
  labelled_ = share_present(histogram.counts[column][0], histogram.noise_scale, static_cast<double>(frame.rows()));
  return {};
}

LabelRule Target::labels(std::size_t part) const {
  if (predicts_classes(options_->loss)) return class_labels(parts() == 1 ? 1 : static_cast<double>(part), 1);
  // Rates: the label becomes count per exposure, and the exposure is in the weight.
  if (is_count(options_->loss)) return {.lowest = 0, .per_exposure = !options_->exposure.empty()};
  return {.centre = unit_.centre, .scale = unit_.scale};
}

void Target::label(Design& design, std::size_t part) const { design.set_labels(labels(part)); }

Result<Start> Target::start(const Design& design, std::size_t part, Gdp cost, RunContext run, Outlet outlet) const {
  if (predicts_classes(options_->loss)) return start_of_classes(design, part, cost, run, outlet);
  if (is_count(options_->loss)) return start_of_counts(design, cost, run, outlet);
  if (std::holds_alternative<SquaredLoss>(options_->loss) && design.columns() == 1)
    return mean(design, cost, run, outlet);
  const double labelled = labelled_ * static_cast<double>(design.rows());
  if (const auto* quantile = std::get_if<QuantileLoss>(&options_->loss))
    return Start{(sketch_->quantile(quantile->level) - unit_.centre) / unit_.scale, 1, labelled};
  return Start{0, 1, labelled};
}

// Rare ones may be out of sight, but they are counts.
double Target::most_count() const { return std::max(most_of(*sketch_), 1.0); }

double Target::tolerated_level() const {
  if (!std::holds_alternative<SquaredLoss>(options_->loss)) return 0;
  return kTolerated * std::sqrt(sketch_->spread_within(unit_.centre, HUGE_VAL)) / unit_.scale;
}

double Target::largest_residual(const Start& start, Gdp cost) const {
  const bool bounded = std::holds_alternative<LogisticLoss>(options_->loss) || looks_at_residuals(options_->loss);
  if (bounded) return kLargestLinearResidual;
  if (!is_count(options_->loss)) return kLargestResidual;
  const double mean = start.curvature, noise_per_cut = 2 / (start.labelled * cost.mu);
  const double hidden = std::min(kHiddenCounts * most_count(), kCountNoise * mean / noise_per_cut);
  return std::max({mean_cut(*sketch_, mean, noise_per_cut), hidden, 1.0});
}

double Target::best_residual(const Start& start, Gdp cost) const {
  if (!std::holds_alternative<SquaredLoss>(options_->loss)) return largest_residual(start, cost);
  return std::max(mean_cut(*sketch_, unit_.centre, 2 / (start.labelled * cost.mu)) / unit_.scale, 1.0);
}

LabelRule Target::class_labels(double positive, double size) const {
  LabelRule rule{.of_level = class_of_};
  for (double& label : rule.of_level) label = std::isnan(label) ? label : (label == positive ? size : -size);
  return rule;
}

Result<Start> Target::start_of_classes(const Design& design, std::size_t part, Gdp cost, RunContext run,
                                       Outlet outlet) const {
  TAILCOAT_TRY(signs, labels_of(design.targets(), labels(part)));
  TAILCOAT_TRY(column, run.engine.load_columns(RowsOf<double>{signs.data(), signs.size(), 1, 1}));
  const BinGrid grid = linear_bins(-2, 2, 2);  // missing, below, the rest, the class, above
  TAILCOAT_TRY(histogram,
               column_histograms(run.engine, column, std::span(&grid, 1), "target, counts of classes", cost, outlet));
  const double least = 3 * histogram.noise_scale;
  const double no = std::max(histogram.counts[0][2], least), yes = std::max(histogram.counts[0][3], least);
  const double p = yes / (yes + no), rows = static_cast<double>(design.rows());
  const double labelled = rows * share_present(histogram.counts[0][0], histogram.noise_scale, rows);
  if (!std::holds_alternative<LogisticLoss>(options_->loss)) return Start{p > 0.5 ? 1.0 : -1.0, 0.5, labelled};
  return log_start(std::log(p / (1 - p)), labelled, p * (1 - p), histogram.noise_scale);
}

Result<Start> Target::start_of_counts(const Design& design, Gdp cost, RunContext run, Outlet outlet) const {
  const auto rows = static_cast<double>(design.rows());
  const double labelled = rows * labelled_ * exposed_;
  const Gdp half{div_down(cost.mu, sqrt_up(2))};
  // Of numbers from 0 to `most`, counted from the middle: half the noise of numbers on either side of 0.
  const auto mean_of = [&](const Rows& cells, double most, double present) -> Result<double> {
    TAILCOAT_TRY(copy,
                 labels_of(cells, {.centre = most / 2}));  // what is clipped is what is added, whoever writes there
    TAILCOAT_TRY(column, run.engine.load_columns(RowsOf<double>{copy.data(), copy.size(), 1, 1}));
    TAILCOAT_TRY(mean, clipped_mean(run.engine, column, most / 2, "mean of the target", half, outlet));
    return std::max(mean[0] / present + most / 2, most / rows);
  };
  const double most = most_count();
  TAILCOAT_TRY(count, mean_of(design.targets(), most, labelled_));
  if (options_->exposure.empty()) {
    // Again, with as many of the larger counts as noise allows; they count if they show.
    const double wide = std::clamp(kWideNoise * count * labelled * half.mu, most, kWideCounts * most);
    TAILCOAT_TRY(again, mean_of(design.targets(), wide, labelled_));
    const bool shows = again - count > std::hypot(most, wide) / (labelled * half.mu);
    const double mean = wide == most ? (count + again) / 2 : (shows ? again : count);
    return log_start(std::log(mean), labelled, mean, wide == most ? most / cost.mu : (shows ? wide : most) / half.mu);
  }
  TAILCOAT_TRY(exposure, mean_of(design.exposures(), most_of(*exposure_sketch_), exposed_));
  Start start = log_start(std::log(count), labelled, count, most / half.mu);
  start.margin = std::log(count / exposure);
  return start;
}

// The mean of a target without slopes, in one release.
Result<Start> Target::mean(const Design& design, Gdp cost, RunContext run, Outlet outlet) const {
  const double labelled = labelled_ * static_cast<double>(design.rows()), noise_per_cut = 2 / (labelled * cost.mu);
  // Where only zeros are visible, others are taken to be ones.
  const double cut = sketch_->only_zeros() ? 1 : mean_cut(*sketch_, unit_.centre, noise_per_cut) / unit_.scale;
  TAILCOAT_TRY(numbers, labels_of(design.targets(), labels(0)));
  TAILCOAT_TRY(data, run.engine.load_columns(RowsOf<double>{numbers.data(), numbers.size(), 1, 1}));
  TAILCOAT_TRY(mean, clipped_mean(run.engine, data, cut, "mean of the target", cost, outlet));
  const double width = cut * unit_.scale;
  const double spread = sketch_->spread_within(unit_.centre, width) / (unit_.scale * unit_.scale);
  const double bias = bias_of(width, *sketch_, unit_.centre) / unit_.scale;
  return Start{.margin = mean[0] / labelled_,
               .curvature = 1,
               .labelled = labelled,
               .sampling = spread / labelled,
               .noise = std::pow(noise_per_cut * cut, 2) + bias * bias,  // of what is cut off and shows
               .clipped_share = sketch_->share_beyond(unit_.centre, width),
               .cut = width};
}

}  // namespace tailcoat
