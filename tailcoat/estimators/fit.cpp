#include "tailcoat/estimators/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/data/text.hpp"
#include "tailcoat/estimators/curvature.hpp"
#include "tailcoat/estimators/descent.hpp"
#include "tailcoat/estimators/design.hpp"
#include "tailcoat/mechanisms/clipped_mean.hpp"
#include "tailcoat/mechanisms/frequent_levels.hpp"
#include "tailcoat/mechanisms/histograms.hpp"
#include "tailcoat/mechanisms/second_moment.hpp"

namespace tailcoat {
namespace {

// Shares of the budget (mu^2). What the columns and the curvature do not need goes to the gradients.
struct Shares {
  double columns = 0.15, target = 0.03, curvature = 0.20, clips = 0.03, errors = 0.02, choice = 0.02;
};
constexpr Shares kShares;
constexpr double kShareMargin = 1e-9;
constexpr double kLeverage = 1.5;
// rows * mu: what a target needs, what a column needs, and how many columns' worth the rest needs.
constexpr double kTargetStrength = 20, kStrengthPerColumn = 15, kStrengthColumns = 5;
constexpr double kMostForTarget = 0.3;
constexpr double kMomentNoise =
    0.3;  // of a second moment of gradients that is worth its price, relative to its entries
constexpr double kLeastMoment = 0.25;      // of the gradients in any direction, relative to the mean one
constexpr double kLeastSpread = 0.01;      // of standardised features, in any direction: less is taken for noise
constexpr double kMostMarginError = 0.18;  // variance of a margin of which e^margin is taken
constexpr double kMostEffect = 4;          // of one number on a margin of which e^margin is taken
constexpr double kLargestDifference = 4;   // of two losses, in the units of the fit
constexpr double kClearlyKept = 0.5, kProof = 3;
constexpr double kTailDeviations = 3;  // a tail that does not show above so many standard errors gets no coefficient

bool is_classifier(const Loss& loss) {
  return std::holds_alternative<LogisticLoss>(loss) || std::holds_alternative<HingeLoss>(loss) ||
         std::holds_alternative<SmoothedHingeLoss>(loss) || std::holds_alternative<SquaredHingeLoss>(loss);
}
bool is_count(const Loss& loss) { return std::holds_alternative<PoissonLoss>(loss); }

// Where each text is among `wanted`; NaN where it is not.
std::vector<double> places(const std::vector<std::string>& texts, const std::vector<std::string>& wanted) {
  std::vector<double> places;
  for (const std::string& text : texts) {
    const auto found = std::ranges::find(wanted, text);
    places.push_back(found == wanted.end() ? std::numeric_limits<double>::quiet_NaN()
                                           : static_cast<double>(found - wanted.begin()));
  }
  return places;
}

bool are_found(const FitOptions& options, const Column& column) {
  const auto given = options.levels.find(column.name);
  return column.kind == ColumnKind::text && (given == options.levels.end() || given->second.empty());
}

// The chance, for each column whose levels are found, that a text of a single row shows: all together at most a tenth
// of delta.
double delta_of_levels(const Table& table, const FitOptions& options) {
  const auto found = std::ranges::count_if(table.columns(), [&](const Column& c) { return are_found(options, c); });
  return std::min(0.01, 0.1 / std::max(1.0, static_cast<double>(found))) * options.budget.delta;
}

std::vector<Event> reserved_events(const Table& table, const FitOptions& options) {
  std::vector<Event> events;
  for (const Column& column : table.columns())
    if (are_found(options, column)) events.push_back(levels_event(delta_of_levels(table, options)));
  return events;
}

// Noise may have made a matrix of second moments indefinite.
Eigen::MatrixXd with_least_eigenvalue(const Eigen::MatrixXd& matrix, double least) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  const Eigen::MatrixXd& vectors = solver.eigenvectors();
  return vectors * solver.eigenvalues().cwiseMax(least).asDiagonal() * vectors.transpose();
}

Result<void> check_kind(const Table& table, const std::string& name, ColumnKind kind, const char* use) {
  TAILCOAT_TRY(position, table.index_of(name));
  if (table.columns()[position].kind == kind) return {};
  return usage_error(fmt::format("column {} is read as {}, but {} must be {}", in_quotes(name),
                                 kind == ColumnKind::text ? "numbers" : "texts", use,
                                 kind == ColumnKind::text ? "texts" : "numbers"));
}

// What can be told without the rows.
Result<void> check(const Table& table, const FitOptions& options) {
  TAILCOAT_CHECK(check_loss(options.loss));
  TAILCOAT_CHECK(check(kConfidenceOption, options.confidence));
  if (std::holds_alternative<LinearLoss>(options.loss)) return usage_error("loss linear has no best model");
  TAILCOAT_CHECK(check_kind(table, options.target, is_classifier(options.loss) ? ColumnKind::text : ColumnKind::number,
                            "the target of this loss"));
  if (!options.exposure.empty()) {
    TAILCOAT_CHECK(check_kind(table, options.exposure, ColumnKind::number, "the exposure"));
    if (!is_count(options.loss) || options.exposure == options.target)
      return usage_error("an exposure is for poisson loss, and is not the target");
  }
  for (const auto& [name, levels] : options.levels) {
    TAILCOAT_CHECK(check_kind(table, name, ColumnKind::text, "a column with levels"));
    if (std::set<std::string>(levels.begin(), levels.end()).size() != levels.size())
      return usage_error(fmt::format("a level of column {} is given twice", in_quotes(name)));
    if (name == options.target && levels.size() == 1)
      return usage_error(fmt::format("column {} has one class; a classifier needs two", in_quotes(name)));
  }
  for (const std::string& name : options.missing_indicators)
    TAILCOAT_CHECK(check_kind(table, name, ColumnKind::number, "a column with a missing indicator"));
  for (const auto& [name, range] : options.bounds) {
    TAILCOAT_CHECK(check_kind(table, name, ColumnKind::number, "a column with bounds"));
    const double width = range.high - range.low;
    if (!(width > 1e-150 && width < 1e150))
      return usage_error(fmt::format("bounds of {}: {} to {}; give two numbers, the smaller first", in_quotes(name),
                                     range.low, range.high));
  }
  if (table.rows() >= 2) return {};
  return data_error(fmt::format("{} rows; a fit needs two at least", table.rows()));
}

bool is_finite(const Estimate& estimate) { return std::isfinite(estimate.value); }

// The numbers of a model were paid for; one that cannot be used is not passed on.
Result<void> check_finite(const Model& model) {
  for (const LinearPart& part : model.parts)
    if (!is_finite(part.intercept) || !std::ranges::all_of(part.coefficients, is_finite))
      return system_error("the fit did not stay finite; its budget is spent, and there is no model");
  return {};
}

struct Stop {
  const Progress& progress;
  std::size_t done = 0, total;
  bool operator()() { return !progress || progress(done++, total); }
};

class Fitting {
 public:
  Fitting(const FitOptions& options, RunContext run, PrivacyMeter meter)
      : options_(options), run_(run), meter_(std::move(meter)) {}

  Result<Fit> operator()(Table table, const Progress& progress) {
    rows_ = static_cast<double>(table.rows());
    plan(table);
    TAILCOAT_CHECK(look_at_target(table));
    if (!fit_.constant) TAILCOAT_CHECK(choose_features(table));
    TAILCOAT_CHECK(make_design(std::move(table)));
    TAILCOAT_CHECK(whiten());
    const std::size_t parts = fit_.model.classes.size() > 2 ? fit_.model.classes.size() : 1;
    Stop tick{progress, 0, parts * rules_.steps};
    for (std::size_t part = 0; part < parts; ++part) TAILCOAT_CHECK(fit_part(part, parts, tick));
    if (is_exponential()) limit_effects();
    fit_.constant = fit_.constant || constant_parts_ == parts;
    fit_.model.receipt = meter_.receipt();
    TAILCOAT_CHECK(check_finite(fit_.model));
    return std::move(fit_);
  }

 private:
  Outlet outlet() { return {meter_, run_.noise}; }

  // From public numbers: what the target gets of the budget, and whether slopes are out of reach.
  void plan(const Table& table) {
    const double strength = rows_ * meter_.total().mu;
    target_share_ = std::clamp(kTargetStrength / strength, kShares.target, kMostForTarget);
    const auto columns = std::ranges::count_if(table.columns(), [&](const Column& c) { return is_feature(c); });
    const double needed = kStrengthPerColumn * (static_cast<double>(columns) + kStrengthColumns);
    fit_.constant = columns == 0 || strength < needed;
    if (columns == 0 || strength >= needed) return;
    fit_.model.notes.push_back(
        fmt::format("constant model: rows * mu = {:.0f} is too little for {} columns; slopes take {:.0f}, that is more "
                    "rows, a larger "
                    "epsilon or fewer columns",
                    strength, columns, needed));
  }

  [[nodiscard]] bool is_feature(const Column& column) const {
    return column.name != options_.target && column.name != options_.exposure;
  }

  // Sketches of the numbers and levels of the texts, every column at the same share of the price.
  Result<void> choose_features(const Table& table) {
    TAILCOAT_TRY(data, run_.engine.load_columns(table.view()));
    std::vector<std::size_t> numbers;
    double looked_at = 0;
    for (std::size_t j = 0; j < table.columns().size(); ++j) {
      const Column& column = table.columns()[j];
      if (!is_feature(column) || options_.bounds.contains(column.name)) continue;
      looked_at += 1;
      if (column.kind == ColumnKind::number) numbers.push_back(j);
    }
    const double each = kShares.columns / std::max(looked_at, 1.0);
    std::vector<ColumnSketch> sketches;
    if (!numbers.empty()) {
      const Gdp cost = meter_.share(each * static_cast<double>(numbers.size()));
      TAILCOAT_TRY(found, sketch_columns(run_.engine, data, numbers, cost, outlet()));
      sketches = std::move(found);
    }
    auto sketch = sketches.begin();
    for (std::size_t j = 0; j < table.columns().size(); ++j) {
      const Column& column = table.columns()[j];
      if (!is_feature(column)) continue;
      if (column.kind == ColumnKind::text) {
        TAILCOAT_TRY(levels, levels_of(table, data, j, meter_.share(each)));
        add_levels(column.name, std::move(levels));
        continue;
      }
      const auto bounds = options_.bounds.find(column.name);
      add(bounds != options_.bounds.end() ? number_features(column.name, bounds->second)
                                          : number_features(column.name, *sketch++, rows_));
      if (std::ranges::find(options_.missing_indicators, column.name) != options_.missing_indicators.end())
        add({missing_feature(column.name)});
    }
    return {};
  }

  // The levels of a text column that count, with their noisy counts.
  Result<std::vector<FrequentLevel>> levels_of(const Table& table, const RowData& data, std::size_t column, Gdp cost) {
    const Column& texts = table.columns()[column];
    const auto given = options_.levels.find(texts.name);
    if (given == options_.levels.end() || given->second.empty()) {
      TAILCOAT_TRY(found, frequent_levels(run_.engine, data, column, texts.levels, cost,
                                          delta_of_levels(table, options_), outlet()));
      if (found.levels.empty())
        fit_.model.notes.push_back(
            fmt::format("{}: no level is in more than {:.0f} rows, so it is not used", texts.name, found.threshold));
      return std::move(found.levels);
    }
    TAILCOAT_TRY(codes, table.values(texts.name));
    const std::vector<double> place = places(texts.levels, given->second);
    for (double& code : codes) code = std::isnan(code) ? code : place[static_cast<std::size_t>(code)];
    TAILCOAT_TRY(coded, run_.engine.load_columns(RowsOf<double>{codes.data(), codes.size(), 1, 1}));
    const BinGrid grid = level_bins(given->second.size());
    TAILCOAT_TRY(histogram, column_histograms(run_.engine, coded, std::span(&grid, 1), cost, outlet()));
    std::vector<FrequentLevel> levels;
    for (std::size_t k = 0; k < given->second.size(); ++k)
      levels.push_back({given->second[k], std::max(histogram.counts[0][k + 2], histogram.noise_scale)});
    return levels;
  }

  // The most frequent level is the reference.
  void add_levels(const std::string& column, std::vector<FrequentLevel> found) {
    std::ranges::stable_sort(found, std::ranges::greater(), &FrequentLevel::count);
    std::vector<Level> levels;
    for (const FrequentLevel& level : found)
      levels.push_back({level.text, std::clamp(level.count / rows_, 1 / rows_, 1 - 1 / rows_)});
    const std::size_t first = fit_.model.features.size();
    add(level_features(column, levels));
    if (!levels.empty()) fitted_.erase(std::ranges::find(fitted_, first));
  }

  void add(const std::vector<Feature>& features) {
    for (const Feature& feature : features) {
      fitted_.push_back(fit_.model.features.size());
      fit_.model.features.push_back(feature);
    }
  }

  Result<void> look_at_target(const Table& table) {
    fit_.model.loss = options_.loss;
    fit_.model.target = options_.target;
    fit_.model.exposure = options_.exposure;
    fit_.model.confidence = options_.confidence;
    fit_.model.rows = table.rows();
    TAILCOAT_TRY(target, table.index_of(options_.target));
    if (is_classifier(options_.loss)) {
      return choose_classes(table, target);
    }
    if (const auto bounds = options_.bounds.find(options_.target); bounds != options_.bounds.end()) {
      target_sketch_ = ColumnSketch{.bins = {{bounds->second.low, bounds->second.high, rows_}}};
      if (!is_count(options_.loss)) unit_ = number_features(options_.target, bounds->second)[0];
      if (options_.exposure.empty()) return {};
    }
    TAILCOAT_TRY(data, run_.engine.load_columns(table.view()));
    const double share = is_count(options_.loss) ? target_share_ / 2 : target_share_;
    std::vector<std::size_t> columns;
    if (!target_sketch_) columns.push_back(target);
    if (!options_.exposure.empty()) {
      TAILCOAT_TRY(exposure, table.index_of(options_.exposure));
      columns.push_back(exposure);
    }
    TAILCOAT_TRY(sketches, sketch_columns(run_.engine, data, columns, meter_.share(share), outlet()));
    if (!options_.exposure.empty()) exposure_sketch_ = std::move(sketches.back());
    if (target_sketch_) return {};
    target_sketch_ = std::move(sketches[0]);
    if (is_count(options_.loss)) return {};
    unit_ = target_scale(options_.target, *target_sketch_);
    if (target_sketch_->only_zeros())
      fit_.model.notes.push_back(
          "nothing but zeros of the target is visible at this budget: the estimates and their "
          "intervals say little");
    return {};
  }

  Result<void> choose_classes(const Table& table, std::size_t target) {
    const auto given = options_.levels.find(options_.target);
    if (given != options_.levels.end()) fit_.model.classes = given->second;
    if (fit_.model.classes.empty()) {
      TAILCOAT_TRY(data, run_.engine.load_columns(table.view()));
      TAILCOAT_TRY(found, levels_of(table, data, target, meter_.share(target_share_ / 2)));
      for (const FrequentLevel& level : found) fit_.model.classes.push_back(level.text);
    }
    const std::size_t classes = fit_.model.classes.size();
    if (classes >= 2) return {};
    return data_error(
        fmt::format("column {} has {} class frequent enough to be found at this budget; two are needed. "
                    "Name them with --classes a,b. What was released until now, mu = {:.3g}, stays charged",
                    in_quotes(options_.target), classes, meter_.receipt().gaussian_spent.mu));
  }

  Result<void> make_design(Table table) {
    const DesignColumns wanted{fit_.model.features, fitted_, options_.target, options_.exposure};
    if (is_classifier(options_.loss)) TAILCOAT_CHECK(remember_levels(table));
    TAILCOAT_TRY(design, Design::create(std::move(table), wanted, kLeverage));
    design_.emplace(std::move(design));
    return {};
  }

  // Which class each level of the target's column is.
  Result<void> remember_levels(const Table& table) {
    TAILCOAT_TRY(target, table.index_of(options_.target));
    class_of_ = places(table.columns()[target].levels, fit_.model.classes);
    return {};
  }

  Result<void> whiten() {
    if (fitted_.empty()) {
      whitening_ = no_whitening(1);
      return {};
    }
    TAILCOAT_TRY(data, run_.engine.load(design_->view()));
    TAILCOAT_TRY(moment,
                 second_moment(run_.engine, data, design_->radius(), meter_.share(kShares.curvature), outlet()));
    whitening_ = whitening_of(moment, design_->columns());
    const Eigen::MatrixXd matrix = whitening_.root_inverse();
    return design_->transform(run_.engine, {matrix.data(), static_cast<std::size_t>(matrix.size())});
  }

  struct Start {
    double margin, curvature;
    double variance = 0;  // of the margin, where it is the answer if there are no slopes
  };

  // Labels in the units of the fit, and where it starts.
  Result<Start> prepare_labels(std::size_t part, std::size_t parts, Gdp cost) {
    std::vector<double>& labels = design_->labels();
    if (is_classifier(options_.loss)) return prepare_classes(part, parts, cost);
    if (is_count(options_.loss)) return prepare_counts(cost);
    for (double& label : labels) label = (label - unit_.centre) / unit_.scale;
    if (const auto* quantile = std::get_if<QuantileLoss>(&options_.loss))
      return Start{(target_sketch_->quantile(quantile->level) - unit_.centre) / unit_.scale, 1};
    return Start{0, 1};
  }

  Result<Start> prepare_classes(std::size_t part, std::size_t parts, Gdp cost) {
    std::vector<double>& labels = design_->labels();
    if (part == 0)
      for (double& label : labels) label = std::isnan(label) ? label : class_of_[static_cast<std::size_t>(label)];
    const double positive = parts == 1 ? 1 : static_cast<double>(part);
    labels_.resize(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i)
      labels_[i] = std::isnan(labels[i]) ? labels[i] : (labels[i] == positive ? 1 : -1);
    TAILCOAT_TRY(column, run_.engine.load_columns(RowsOf<double>{labels_.data(), labels_.size(), 1, 1}));
    const BinGrid grid = linear_bins(-2, 2, 2);
    TAILCOAT_TRY(histogram, column_histograms(run_.engine, column, std::span(&grid, 1), cost, outlet()));
    const std::vector<double>& counts = histogram.counts[0];
    const double least = 3 * histogram.noise_scale;
    const double yes = std::max(counts[3], least), no = std::max(counts[2], least), p = yes / (yes + no);
    if (std::holds_alternative<LogisticLoss>(options_.loss))
      return Start{std::log(p / (1 - p)), p * (1 - p), variance_of(p * (1 - p), histogram.noise_scale)};
    return Start{p > 0.5 ? 1.0 : -1.0, 0.5};
  }

  // Of the logarithm of odds or of a rate, from n rows of this variance and noise on their sum.
  [[nodiscard]] double variance_of(double row_variance, double noise) const {
    return 1 / (rows_ * row_variance) + std::pow(noise / (rows_ * row_variance), 2);
  }

  // Rates: the label becomes count per exposure, and the exposure is in the weight.
  Result<Start> prepare_counts(Gdp cost) {
    std::vector<double>& labels = design_->labels();
    const Gdp half{div_down(cost.mu, sqrt_up(2))};
    // Where only zeros are visible, others are taken to be counts of one.
    const auto most_of = [](const ColumnSketch& sketch) {
      return sketch.only_zeros() ? 1 : std::clamp(std::max(std::abs(sketch.low()), std::abs(sketch.high())), 1e-9, 1e9);
    };
    const auto mean_of = [&](std::span<const double> values, double most) -> Result<double> {
      TAILCOAT_TRY(column, run_.engine.load(RowsOf<double>{values.data(), values.size(), 1, 1}));
      TAILCOAT_TRY(mean, clipped_mean(run_.engine, column, most, half, outlet()));
      return std::max(mean[0], most / rows_);
    };
    const double most = most_of(*target_sketch_), noise = 2 * most / half.mu;
    TAILCOAT_TRY(count, mean_of(labels, most));
    if (options_.exposure.empty()) return Start{std::log(count), count, variance_of(count, noise)};
    TAILCOAT_TRY(exposure, mean_of(design_->exposures(), most_of(*exposure_sketch_)));
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] /= design_->exposures()[i];
    return Start{std::log(count / exposure), count, variance_of(count, noise)};
  }

  Result<void> fit_part(std::size_t part, std::size_t parts, Stop& tick) {
    const double each = 1 / static_cast<double>(parts);
    // A constant class or count is all in where the descent would start: then that gets the budget.
    const bool start_is_all =
        fitted_.empty() && (is_count(options_.loss) || std::holds_alternative<LogisticLoss>(options_.loss));
    const double for_start = start_is_all ? left_of_budget() : target_share_ / 2;
    TAILCOAT_TRY(start, prepare_labels(part, parts, meter_.share(for_start * each)));
    const std::vector<double>& labels = is_classifier(options_.loss) ? labels_ : design_->labels();
    if (fitted_.empty() && start.variance > 0) {
      const Eigen::VectorXd w = Eigen::VectorXd::Constant(1, start.margin);
      fit_.model.parts.push_back(in_file_units(w, Eigen::MatrixXd::Constant(1, 1, start.variance)));
      return {};
    }
    TAILCOAT_TRY(data, run_.engine.load(design_->view(), labels, design_->weights()));

    const auto d = static_cast<Eigen::Index>(design_->columns());
    Eigen::VectorXd origin = Eigen::VectorXd::Zero(d);
    origin[d - 1] = start.margin;
    const Eigen::VectorXd u0 = whitening_.root() * origin;
    const double left = (left_of_budget() -
                         (kShares.clips + kShares.errors + kShares.choice) * each * static_cast<double>(parts - part)) /
                        static_cast<double>(parts - part);
    const DescentBudget budget{.gradients = meter_.share(left), .clips = meter_.share(kShares.clips * each)};
    TAILCOAT_TRY(descent, descend(run_, outlet(), data, options_.loss, {u0.data(), u0.data() + d}, start.curvature,
                                  budget, rules_, [&] { return tick(); }));
    TAILCOAT_TRY(errors, errors_of(descent, data, meter_.share(kShares.errors * each)));
    Eigen::VectorXd w = whitening_.root_inverse() * Eigen::Map<const Eigen::VectorXd>(descent.x.data(), d);
    Eigen::MatrixXd covariance = errors.noise + errors.sampling;
    drop_faint_tails(w, covariance);
    if (!fitted_.empty()) {
      const double kept = shrink(w, covariance);
      const double constant = is_exponential() ? start.margin : w[d - 1] + mean_row().head(d - 1).dot(w.head(d - 1));
      if (kept == 0) w[d - 1] = constant;
      TAILCOAT_CHECK(choose(w, covariance, constant, kept, descent, data, meter_.share(kShares.choice * each)));
    }
    fit_.model.parts.push_back(in_file_units(w, covariance));
    report_limits(errors, descent);
    return {};
  }

  // As a share of mu^2; at most what the meter would still accept.
  [[nodiscard]] double left_of_budget() const {
    return std::max(0.0, 1 - std::pow(meter_.receipt().gaussian_spent.mu / meter_.total().mu, 2) - kShareMargin);
  }

  // Covariances of the standardised coefficients.
  struct Errors {
    Eigen::MatrixXd noise, sampling;
  };

  // The noise of the gradients is known. The sampling error follows from the second moment of the gradients, where that
  // can be told from its own noise, and from their mean square otherwise.
  Result<Errors> errors_of(const Descent& descent, const LabelledData& data, Gdp cost) {
    const auto d = static_cast<Eigen::Index>(design_->columns());
    const Eigen::VectorXd curvatures = whitening_.curvatures();
    Eigen::VectorXd noise(d), response(d);
    for (Eigen::Index j = 0; j < d; ++j) {
      const std::vector<double> responses = gradient_responses(rules_, curvatures[j]);
      noise[j] = response[j] = 0;
      for (std::size_t t = 0; t < responses.size(); ++t) {
        noise[j] += std::pow(responses[t] * descent.noise[t], 2);
        response[j] += responses[t];
      }
    }
    const double per_direction = descent.mean_square / static_cast<double>(d);
    Eigen::MatrixXd moment = per_direction * Eigen::MatrixXd::Identity(d, d);
    if (std::numbers::sqrt2 * descent.clip * descent.clip / (rows_ * cost.mu) < kMomentNoise * per_direction) {
      const Samples samples(data, descent.loss);
      TAILCOAT_TRY(released, gradient_second_moment(run_.engine, samples, descent.x, descent.clip, cost, outlet()));
      moment = with_least_eigenvalue(Eigen::Map<const Eigen::MatrixXd>(released.matrix.data(), d, d),
                                     kLeastMoment * per_direction);
    }
    const Eigen::MatrixXd back = whitening_.root_inverse() / descent.curvature;
    const Eigen::MatrixXd answer = whitening_.with(response);
    return Errors{back * whitening_.with(noise) * back, back * (answer * moment * answer / rows_) * back};
  }

  // The mean of a standardised row, and the covariance, as the second moment has them.
  [[nodiscard]] Eigen::VectorXd mean_row() const {
    const Eigen::Index last = whitening_.moment.rows() - 1;
    return whitening_.moment.col(last) / std::max(whitening_.moment(last, last), 0.1);
  }

  // e^margin is what is predicted, so that an error of the margin is a factor.
  [[nodiscard]] bool is_exponential() const {
    return is_count(options_.loss) || std::holds_alternative<LogisticLoss>(options_.loss);
  }

  // No single number moves such a margin by more than kMostEffect: the limits of its feature are drawn in.
  void limit_effects() {
    for (std::size_t j = 0; j < fit_.model.features.size(); ++j) {
      Feature& feature = fit_.model.features[j];
      const bool beyond = feature.kind == FeatureKind::beyond;
      if (feature.kind != FeatureKind::number && !beyond) continue;
      for (const LinearPart& part : fit_.model.parts) {
        const double slope = std::abs(part.coefficients[j].value);
        if (!(slope > 0)) continue;
        const double low = beyond ? feature.knot_low : feature.centre,
                     high = beyond ? feature.knot_high : feature.centre;
        feature.low = std::max(feature.low, low - kMostEffect / slope);
        feature.high = std::min(feature.high, high + kMostEffect / slope);
      }
    }
  }

  // Shrinks the slopes towards the constant model by as much as noise and sampling error are of their size. Returns the
  // factor.
  double shrink(Eigen::VectorXd& w, Eigen::MatrixXd& covariance) {
    const Eigen::Index slopes = w.size() - 1;
    const Eigen::VectorXd mean = mean_row();
    const Eigen::MatrixXd spread = with_least_eigenvalue(
        (whitening_.moment - mean * mean.transpose()).topLeftCorner(slopes, slopes), kLeastSpread);
    const double error = std::max((spread * covariance.topLeftCorner(slopes, slopes)).trace(), 0.0);
    const double size = w.head(slopes).dot(spread * w.head(slopes));
    const bool hopeless = is_exponential() && error > kMostMarginError;  // e^margin would be off by half
    const double kept = size > 0 && !hopeless ? std::clamp(1 - error / size, 0.0, 1.0) : 0;
    w[slopes] += (1 - kept) * mean.head(slopes).dot(w.head(slopes));
    w.head(slopes) *= kept;
    covariance.topRows(slopes) *= kept;
    covariance.leftCols(slopes) *= kept;
    return kept;
  }

  // The constant model that predicts the mean margin takes its place if it is better on the rows, as far as can be
  // told. If noise alone explains the size of the slopes it needs no proof; if not, more than noise of the comparison.
  Result<void> choose(Eigen::VectorXd& w, Eigen::MatrixXd& covariance, double margin, double kept,
                      const Descent& descent, const LabelledData& data, Gdp cost) {
    const Eigen::Index last = w.size() - 1;
    Eigen::VectorXd constant = Eigen::VectorXd::Zero(w.size());
    constant[last] = margin;
    const Eigen::VectorXd x = whitening_.root() * w, y = whitening_.root() * constant;
    const auto view = [](const Eigen::VectorXd& v) { return std::span(v.data(), static_cast<std::size_t>(v.size())); };
    TAILCOAT_TRY(differences, run_.engine.loss_differences(Samples(data, descent.loss), view(x), view(y)));
    TAILCOAT_TRY(worse, clipped_mean(run_.engine, differences, kLargestDifference, cost, outlet()));
    const double noise = 2 * kLargestDifference / (rows_ * cost.mu);
    if (worse[0] <= (kept > kClearlyKept ? kProof * noise : 0)) return {};
    w = constant;
    covariance.topRows(last).setZero();
    covariance.leftCols(last).setZero();
    ++constant_parts_;
    fit_.model.notes.push_back("the constant model was chosen: at this budget a fit with slopes is no better");
    return {};
  }

  void report_limits(const Errors& errors, const Descent& descent) {
    const auto d = static_cast<double>(errors.noise.rows());
    const double noise = errors.noise.trace() / d, sampling = errors.sampling.trace() / d;
    fit_.limits = {std::sqrt(sampling), std::sqrt(noise), descent.clipped_share};
    fit_.work.passes += static_cast<double>(rules_.steps) + 8;
    fit_.work.wanted_passes = fit_.work.passes;
    fit_.work.sample_gradients = fit_.work.passes * rows_;
    fit_.error_against_epsilon.clear();
    for (const double factor : {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0}) {
      const ApproxDp other{factor * options_.budget.epsilon, options_.budget.delta};
      const auto mu = gaussian_budget(other);
      if (!mu) continue;
      const double ratio = std::pow(meter_.total().mu / mu->mu, 2);
      fit_.error_against_epsilon.emplace_back(other.epsilon,
                                              std::sqrt((noise * ratio + sampling) / (noise + sampling)));
    }
  }

  LinearPart in_file_units(const Eigen::VectorXd& w, const Eigen::MatrixXd& covariance) {
    LinearPart part;
    part.coefficients.resize(fit_.model.features.size());
    const Eigen::Index last = w.size() - 1;
    Eigen::VectorXd to_intercept = Eigen::VectorXd::Zero(w.size());
    to_intercept[last] = 1;
    const double unit = unit_.scale;
    for (std::size_t i = 0; i < fitted_.size(); ++i) {
      const Feature& feature = fit_.model.features[fitted_[i]];
      const auto k = static_cast<Eigen::Index>(i);
      part.coefficients[fitted_[i]] =
          estimate(unit * w[k] / feature.scale, unit * root(covariance(k, k)) / feature.scale);
      to_intercept[k] = -feature.centre / feature.scale;
    }
    const double variance = to_intercept.dot(covariance * to_intercept);
    part.intercept = estimate(unit_.centre + unit * to_intercept.dot(w), unit * root(variance));
    return part;
  }

  static double root(double variance) { return std::sqrt(std::max(variance, 0.0)); }

  [[nodiscard]] Estimate estimate(double value, double standard_error) const {
    const double z = boost::math::quantile(complement(boost::math::normal(), (1 - options_.confidence) / 2));
    return {value, standard_error, value - z * standard_error, value + z * standard_error};
  }

  // The weakest first, each time at what the others are best without it.
  void drop_faint_tails(Eigen::VectorXd& w, Eigen::MatrixXd& covariance) {
    std::vector<Eigen::Index> tails;
    for (std::size_t i = 0; i < fitted_.size(); ++i)
      if (fit_.model.features[fitted_[i]].kind == FeatureKind::beyond) tails.push_back(static_cast<Eigen::Index>(i));
    const auto deviations = [&](Eigen::Index j) { return std::abs(w[j]) / std::sqrt(covariance(j, j)); };
    while (!tails.empty()) {
      const auto faintest = std::ranges::min_element(tails, {}, deviations);
      const Eigen::Index j = *faintest;
      if (deviations(j) > kTailDeviations) return;
      const Eigen::VectorXd column = covariance.col(j) / covariance(j, j);
      w -= column * w[j];
      covariance -= column * covariance.row(j).eval();
      tails.erase(faintest);
    }
  }

  const FitOptions& options_;
  RunContext run_;
  PrivacyMeter meter_;
  double rows_ = 0, target_share_ = 0;
  std::size_t constant_parts_ = 0;
  DescentRules rules_;
  Fit fit_;
  std::vector<std::size_t> fitted_;  // features with a coefficient
  std::optional<ColumnSketch> target_sketch_, exposure_sketch_;
  Feature unit_;  // of the target
  std::optional<Design> design_;
  Whitening whitening_;
  std::vector<double> class_of_, labels_;
};

}  // namespace

Result<Fit> fit(Table table, const FitOptions& options, RunContext run, const Progress& progress) {
  TAILCOAT_CHECK(check(table, options));
  TAILCOAT_TRY(meter, PrivacyMeter::open(options.budget, reserved_events(table, options)));
  return Fitting(options, run, std::move(meter))(std::move(table), progress);
}

}  // namespace tailcoat
