#include "tailcoat/estimators/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/data/text.hpp"
#include "tailcoat/estimators/feature_choice.hpp"
#include "tailcoat/estimators/fit_checks.hpp"
#include "tailcoat/mechanisms/clipped_mean.hpp"
#include "tailcoat/mechanisms/histograms.hpp"

namespace tailcoat {
namespace {

constexpr double kMissingNoise = 3;  // deviations of noise from which missing targets are believed
constexpr double kLeastPresent = 0.01;
constexpr double kCountShare = 0.1;  // of the target's share, to count them where nothing else is looked at

// The largest magnitude that is visible. Where only zeros are, others are taken to be counts of one.
double most_of(const ColumnSketch& sketch) {
  return sketch.only_zeros() ? 1 : std::clamp(std::max(std::abs(sketch.low()), std::abs(sketch.high())), 1e-9, 1e9);
}

// Of the logarithm of odds or of a rate, from as many rows of this variance and noise on their sum.
double log_variance(double rows, double row_variance, double noise) {
  return 1 / (rows * row_variance) + std::pow(noise / (rows * row_variance), 2);
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

Feature known_unit(const FitOptions& options, const ColumnSketch& sketch) {
  const bool limits = options.bounds.contains(options.target) || options.scales.contains(options.target);
  return limits ? known_features(options, options.target)[0] : target_scale(options.target, sketch);
}

}  // namespace

Result<Target> Target::look(const Table& table, const FitOptions& options, double share, RunContext run, Outlet outlet,
                            std::vector<std::string>& notes) {
  Target target(options);
  TAILCOAT_TRY(column, table.index_of(options.target));
  if (predicts_classes(options.loss)) {
    TAILCOAT_CHECK(target.choose_classes(table, column, share / 2, run, outlet, notes));
  } else {
    TAILCOAT_CHECK(target.sketch(table, column, is_count(options.loss) ? share / 2 : share, run, outlet, notes));
  }
  return target;
}

Result<void> Target::choose_classes(const Table& table, std::size_t column, double share, RunContext run, Outlet outlet,
                                    std::vector<std::string>& notes) {
  const Column& texts = table.columns()[column];
  if (are_found(*options_, texts)) {
    TAILCOAT_TRY(found, levels_of(table, *options_, column, outlet.meter.share(share), run, outlet, notes));
    for (const FrequentLevel& level : found) classes_.push_back(level.text);
  } else {
    classes_ = options_->levels.at(texts.name);
  }
  class_of_ = places(texts.levels, classes_);
  if (classes_.size() >= 2) return {};
  return data_error(
      fmt::format("column {} has {} class frequent enough to be found at this budget; two are needed. "
                  "Name them with --classes a,b. What was released until now, mu = {:.3g}, stays charged",
                  in_quotes(texts.name), classes_.size(), outlet.meter.receipt().gaussian_spent.mu));
}

Result<void> Target::sketch(const Table& table, std::size_t column, double share, RunContext run, Outlet outlet,
                            std::vector<std::string>& notes) {
  const bool counts = is_count(options_->loss);
  std::vector<std::size_t> columns;
  sketch_ = known_sketch(*options_, options_->target);
  if (sketch_) {
    if (!counts) unit_ = known_unit(*options_, *sketch_);
  } else {
    columns.push_back(column);
  }
  const auto rows = static_cast<double>(table.rows());
  if (sketch_) TAILCOAT_CHECK(count_missing(table, column, kCountShare * share, run, outlet));
  if (!options_->exposure.empty()) exposure_sketch_ = known_sketch(*options_, options_->exposure);
  if (!options_->exposure.empty() && !exposure_sketch_) {
    TAILCOAT_TRY(exposure, table.index_of(options_->exposure));
    columns.push_back(exposure);
  }
  if (columns.empty()) return {};
  TAILCOAT_TRY(data, run.engine.load_columns(table.view()));
  TAILCOAT_TRY(sketches, sketch_columns(run.engine, data, columns,
                                        outlet.meter.share((sketch_ ? 1 - kCountShare : 1) * share), outlet));
  if (!options_->exposure.empty() && !exposure_sketch_) {
    exposure_sketch_ = std::move(sketches.back());
    exposed_ = share_present(exposure_sketch_->missing, exposure_sketch_->noise, rows);
  }
  if (sketch_) return {};
  sketch_ = std::move(sketches.front());
  labelled_ = share_present(sketch_->missing, sketch_->noise, rows);
  if (counts) return {};
  unit_ = target_scale(options_->target, *sketch_);
  if (sketch_->only_zeros())
    notes.push_back("nothing but zeros of the target is visible at this budget: estimates and intervals say little");
  return {};
}

Result<void> Target::count_missing(const Table& table, std::size_t column, double share, RunContext run,
                                   Outlet outlet) {
  TAILCOAT_TRY(data, run.engine.load_columns(table.view()));
  std::vector<BinGrid> grids(data.dimension(), no_bins());
  grids[column] = level_bins(1);
  TAILCOAT_TRY(histogram, column_histograms(run.engine, data, grids, outlet.meter.share(share), outlet));
  labelled_ = share_present(histogram.counts[column][0], histogram.noise_scale, static_cast<double>(table.rows()));
  return {};
}

Result<Start> Target::prepare(Design& design, std::size_t part, Gdp cost, RunContext run, Outlet outlet) {
  if (predicts_classes(options_->loss)) return prepare_classes(design, part, cost, run, outlet);
  if (is_count(options_->loss)) return prepare_counts(design, cost, run, outlet);
  const double labelled = labelled_ * static_cast<double>(design.rows());
  for (double& label : design.labels()) label = (label - unit_.centre) / unit_.scale;
  if (const auto* quantile = std::get_if<QuantileLoss>(&options_->loss))
    return Start{(sketch_->quantile(quantile->level) - unit_.centre) / unit_.scale, 1, labelled};
  return Start{0, 1, labelled};
}

Result<Start> Target::prepare_classes(Design& design, std::size_t part, Gdp cost, RunContext run, Outlet outlet) {
  const double positive = parts() == 1 ? 1 : static_cast<double>(part);
  labels_.resize(design.rows());
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const double level = design.labels()[i],
                 of = std::isnan(level) ? level : class_of_[static_cast<std::size_t>(level)];
    labels_[i] = std::isnan(of) ? of : (of == positive ? 1 : -1);
  }
  TAILCOAT_TRY(column, run.engine.load_columns(RowsOf<double>{labels_.data(), labels_.size(), 1, 1}));
  const BinGrid grid = linear_bins(-2, 2, 2);  // missing, below, the rest, the class, above
  TAILCOAT_TRY(histogram, column_histograms(run.engine, column, std::span(&grid, 1), cost, outlet));
  const double least = 3 * histogram.noise_scale;
  const double no = std::max(histogram.counts[0][2], least), yes = std::max(histogram.counts[0][3], least);
  const double p = yes / (yes + no), rows = static_cast<double>(design.rows());
  const double labelled = rows * share_present(histogram.counts[0][0], histogram.noise_scale, rows);
  if (!std::holds_alternative<LogisticLoss>(options_->loss)) return Start{p > 0.5 ? 1.0 : -1.0, 0.5, labelled};
  return Start{std::log(p / (1 - p)), p * (1 - p), labelled,
               log_variance(labelled, p * (1 - p), histogram.noise_scale)};
}

// Rates: the label becomes count per exposure, and the exposure is in the weight.
Result<Start> Target::prepare_counts(Design& design, Gdp cost, RunContext run, Outlet outlet) {
  const auto rows = static_cast<double>(design.rows());
  const double labelled = rows * labelled_ * exposed_;
  const Gdp half{div_down(cost.mu, sqrt_up(2))};
  const auto mean_of = [&](std::span<const double> values, double most, double present) -> Result<double> {
    TAILCOAT_TRY(column, run.engine.load(RowsOf<double>{values.data(), values.size(), 1, 1}));
    TAILCOAT_TRY(mean, clipped_mean(run.engine, column, most, half, outlet));
    return std::max(mean[0], most / rows) / present;
  };
  const double most = most_of(*sketch_);
  TAILCOAT_TRY(count, mean_of(design.labels(), most, labelled_));
  const double variance = log_variance(labelled, count, 2 * most / half.mu);
  if (options_->exposure.empty()) return Start{std::log(count), count, labelled, variance};
  TAILCOAT_TRY(exposure, mean_of(design.exposures(), most_of(*exposure_sketch_), exposed_));
  for (std::size_t i = 0; i < design.rows(); ++i) design.labels()[i] /= design.exposures()[i];
  return Start{std::log(count / exposure), count, labelled, variance};
}

}  // namespace tailcoat
