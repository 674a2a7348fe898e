#include "tailcoat/estimators/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "tailcoat/data/text.hpp"
#include "tailcoat/estimators/curvature.hpp"
#include "tailcoat/estimators/descent.hpp"
#include "tailcoat/estimators/design.hpp"
#include "tailcoat/mechanisms/clipped_mean.hpp"
#include "tailcoat/mechanisms/frequent_levels.hpp"
#include "tailcoat/mechanisms/histograms.hpp"

namespace tailcoat {
namespace {

// Shares of the budget (mu^2). What the columns and the curvature do not need goes to the gradients.
struct Shares {
  double columns = 0.15, target = 0.03, curvature = 0.20, clips = 0.03, errors = 0.02, choice = 0.02;
};
constexpr Shares kShares;
constexpr double kLeverage = 1.5;
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

// The chance, for each column whose levels are found, that a text of a single row shows.
constexpr double kDeltaOfLevels = 0.01;
double delta_of_levels(const FitOptions& options) { return kDeltaOfLevels * options.budget.delta; }

std::vector<Event> reserved_events(const Table& table, const FitOptions& options) {
  std::vector<Event> events;
  for (const Column& column : table.columns())
    if (are_found(options, column)) events.push_back(levels_event(delta_of_levels(options)));
  return events;
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
    TAILCOAT_CHECK(choose_features(table));
    TAILCOAT_CHECK(look_at_target(table));
    TAILCOAT_CHECK(make_design(std::move(table)));
    TAILCOAT_CHECK(whiten());
    const std::size_t parts = fit_.model.classes.size() > 2 ? fit_.model.classes.size() : 1;
    Stop tick{progress, 0, parts * rules_.steps};
    for (std::size_t part = 0; part < parts; ++part) TAILCOAT_CHECK(fit_part(part, parts, tick));
    fit_.model.receipt = meter_.receipt();
    return std::move(fit_);
  }

 private:
  Outlet outlet() { return {meter_, run_.noise}; }

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
      TAILCOAT_TRY(found, frequent_levels(run_.engine, data, column, texts.levels, cost, delta_of_levels(options_),
                                          outlet()));
      if (found.levels.empty())
        fit_.model.notes.push_back(fmt::format("{}: no level is in more than {:.0f} rows, so it is not used",
                                               texts.name, found.threshold));
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
    TAILCOAT_TRY(data, run_.engine.load_columns(table.view()));
    const double share = is_count(options_.loss) ? kShares.target / 2 : kShares.target;
    TAILCOAT_TRY(sketches, sketch_columns(run_.engine, data, std::span(&target, 1), meter_.share(share), outlet()));
    target_sketch_ = std::move(sketches[0]);
    if (!is_count(options_.loss)) unit_ = target_scale(options_.target, *target_sketch_);
    return {};
  }

  Result<void> choose_classes(const Table& table, std::size_t target) {
    const auto given = options_.levels.find(options_.target);
    if (given != options_.levels.end()) fit_.model.classes = given->second;
    if (fit_.model.classes.empty()) {
      TAILCOAT_TRY(data, run_.engine.load_columns(table.view()));
      TAILCOAT_TRY(found, levels_of(table, data, target, meter_.share(kShares.target / 2)));
      for (const FrequentLevel& level : found) fit_.model.classes.push_back(level.text);
    }
    const std::size_t classes = fit_.model.classes.size();
    if (classes >= 2) return {};
    return data_error(
        fmt::format("column {} has {} class frequent enough to be found at this budget; two are needed. Give them with "
                    "--classes a,b",
                    in_quotes(options_.target), classes));
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
    TAILCOAT_TRY(data, run_.engine.load(design_->view()));
    TAILCOAT_TRY(moment, second_moment(run_.engine, data, design_->radius(), meter_.share(kShares.curvature), outlet()));
    whitening_ = whitening_of(moment, design_->columns());
    const Eigen::MatrixXd matrix = whitening_.root_inverse();
    return design_->transform(run_.engine, {matrix.data(), static_cast<std::size_t>(matrix.size())});
  }

  struct Start {
    double margin, curvature;
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
    if (std::holds_alternative<LogisticLoss>(options_.loss)) return Start{std::log(p / (1 - p)), p * (1 - p)};
    return Start{p > 0.5 ? 1.0 : -1.0, 0.5};
  }

  // Rates: the label becomes count per exposure, and the exposure is in the weight.
  Result<Start> prepare_counts(Gdp cost) {
    std::vector<double>& labels = design_->labels();
    const double cap = std::max(target_sketch_->high(), 1.0);
    const Gdp half{cost.mu / std::numbers::sqrt2 * (1 - 1e-12)};
    const auto mean_of = [&](const std::vector<double>& values, double most) -> Result<double> {
      TAILCOAT_TRY(column, run_.engine.load(RowsOf<double>{values.data(), values.size(), 1, 1}));
      TAILCOAT_TRY(mean, clipped_mean(run_.engine, column, most, half, outlet()));
      return mean[0];
    };
    TAILCOAT_TRY(count, mean_of(labels, cap));
    TAILCOAT_TRY(weight, mean_of(design_->weights(), 1));
    const double floor = 1 / rows_;
    const double rate = std::max(count, floor) / std::max(weight, floor);
    if (!options_.exposure.empty()) {
      // The weight is leverage times exposure; the label must be per exposure alone.
      for (std::size_t i = 0; i < labels.size(); ++i) labels[i] /= exposures_[i];
    }
    return Start{std::log(rate), std::max(count, floor)};
  }

  Result<void> fit_part(std::size_t part, std::size_t parts, Stop& tick) {
    const double each = 1 / static_cast<double>(parts);
    const double target_left = kShares.target / 2;
    TAILCOAT_TRY(start, prepare_labels(part, parts, meter_.share(target_left * each)));
    const std::vector<double>& labels = is_classifier(options_.loss) ? labels_ : design_->labels();
    TAILCOAT_TRY(data, run_.engine.load(design_->view(), labels, design_->weights()));

    const auto d = static_cast<Eigen::Index>(design_->columns());
    Eigen::VectorXd origin = Eigen::VectorXd::Zero(d);
    origin[d - 1] = start.margin;
    const Eigen::VectorXd u0 = whitening_.root() * origin;
    const double spent = std::pow(meter_.receipt().gaussian_spent.mu / meter_.total().mu, 2);
    const double left = (1 - spent - (kShares.clips + kShares.errors + kShares.choice) * each *
                                        static_cast<double>(parts - part)) /
                        static_cast<double>(parts - part);
    const DescentBudget budget{.gradients = meter_.share(left), .clips = meter_.share(kShares.clips * each)};
    TAILCOAT_TRY(descent, descend(run_, outlet(), data, options_.loss, {u0.data(), u0.data() + d}, start.curvature,
                                  budget, rules_, [&] { return tick(); }));
    fit_.model.parts.push_back(in_file_units(descent));
    fit_.limits.clipped_share = std::max(fit_.limits.clipped_share, descent.clipped_share);
    return {};
  }

  LinearPart in_file_units(const Descent& descent) {
    const auto d = static_cast<Eigen::Index>(design_->columns());
    Eigen::VectorXd w = whitening_.root_inverse() * Eigen::Map<const Eigen::VectorXd>(descent.x.data(), d);
    Eigen::MatrixXd covariance = covariance_of(descent);
    drop_faint_tails(w, covariance);

    LinearPart part;
    part.coefficients.resize(fit_.model.features.size());
    const double unit = unit_.scale;
    Eigen::VectorXd to_intercept = Eigen::VectorXd::Zero(d);
    to_intercept[d - 1] = 1;
    for (std::size_t i = 0; i < fitted_.size(); ++i) {
      const Feature& feature = fit_.model.features[fitted_[i]];
      const auto k = static_cast<Eigen::Index>(i);
      part.coefficients[fitted_[i]] =
          estimate(unit * w[k] / feature.scale, unit * std::sqrt(std::max(covariance(k, k), 0.0)) / feature.scale);
      to_intercept[k] = -feature.centre / feature.scale;
    }
    const double centre = unit_.centre, variance = to_intercept.dot(covariance * to_intercept);
    part.intercept = estimate(centre + unit * to_intercept.dot(w), unit * std::sqrt(std::max(variance, 0.0)));
    return part;
  }

  [[nodiscard]] Estimate estimate(double value, double standard_error) const {
    const double z = 1.959963984540054;
    return {value, standard_error, value - z * standard_error, value + z * standard_error};
  }

  // Of the standardised coefficients: noise of the gradients, which is known, and sampling error.
  Eigen::MatrixXd covariance_of(const Descent& descent) {
    const auto d = static_cast<Eigen::Index>(design_->columns());
    const Eigen::VectorXd curvatures = whitening_.curvatures();
    const double per_coordinate = descent.mean_square / static_cast<double>(d) / rows_;
    Eigen::VectorXd variances(d);
    for (Eigen::Index j = 0; j < d; ++j) {
      double noise = 0, sum = 0;
      const std::vector<double> responses = gradient_responses(rules_, curvatures[j]);
      for (std::size_t t = 0; t < responses.size(); ++t) {
        noise += std::pow(responses[t] * descent.noise[t], 2);
        sum += responses[t];
      }
      variances[j] = (noise + sum * sum * per_coordinate) / (descent.curvature * descent.curvature * whitening_.floored[j]);
    }
    return whitening_.with(variances);
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
  double rows_ = 0;
  DescentRules rules_;
  Fit fit_;
  std::vector<std::size_t> fitted_;  // features with a coefficient
  std::optional<ColumnSketch> target_sketch_;
  Feature unit_;  // of the target
  std::optional<Design> design_;
  Whitening whitening_;
  std::vector<double> class_of_, labels_, exposures_;
};

}  // namespace

Result<Fit> fit(Table table, const FitOptions& options, RunContext run, const Progress& progress) {
  TAILCOAT_TRY(meter, PrivacyMeter::open(options.budget, reserved_events(table, options)));
  return Fitting(options, run, std::move(meter))(std::move(table), progress);
}

}  // namespace tailcoat
