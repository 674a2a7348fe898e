#include "tailcoat/estimators/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <optional>

#include "tailcoat/algorithms/spending.hpp"
#include "tailcoat/estimators/bends.hpp"
#include "tailcoat/estimators/curve.hpp"
#include "tailcoat/estimators/diagnosis.hpp"
#include "tailcoat/estimators/fit_checks.hpp"
#include "tailcoat/estimators/fit_notes.hpp"
#include "tailcoat/estimators/fitted_features.hpp"
#include "tailcoat/estimators/level.hpp"
#include "tailcoat/estimators/settle.hpp"
#include "tailcoat/estimators/strength.hpp"
#include "tailcoat/estimators/target.hpp"
#include "tailcoat/mechanisms/clipped_mean.hpp"

namespace tailcoat {
namespace {

constexpr double kShareMargin = 1e-9, kLeverage = 1.5;
constexpr double kSecondLook = 0.5;   // share for the target, where the first look showed nothing of it
constexpr double kPassesBesides = 8;  // those of the descent
constexpr double kPassesOfCurve = 9;  // margins, second moments, norms and six gradients
constexpr std::size_t kMoreSteps = 24;
constexpr double kMostMarginError = 1, kMostMarginNoise = 0.25;  // variances of a margin, where e^margin is predicted
// Of two losses, in the units of the fit; where they grow linearly, a wild fit is told from a sane one by little.
constexpr double kLargestDifference = 4, kLargestLinearDifference = 1;
// Slopes of which more than so much is kept give way only to a constant that is better by so many deviations of noise.
constexpr double kClearlyKept = 0.5, kProof = 3, kLittleProof = 1;
constexpr double kShrinkage = 0.7, kExponentialShrinkage = 1;  // share of the size of errors that slopes lose
constexpr double kMeanDeviation = 1;  // of the mean of a target from where its bulk is, in units of that

class Fitting {
 public:
  Fitting(const FitOptions& options, double rows, RunContext run, PrivacyMeter meter, const Progress& progress)
      : options_(options),
        run_(run),
        meter_(std::move(meter)),
        progress_(progress),
        rows_(rows),
        strength_(options.loss, rows_, meter_.total()) {}

  // `cells`, if not null, is the memory of the frame's cells, which may be used.
  Result<Fit> operator()(const Frame& frame, Buffer* cells) {
    plan(frame);
    const auto notes = fit_.model.notes;
    TAILCOAT_TRY(target, Target::look(frame, options_, target_share_, run_, outlet(), fit_.model.notes));
    if (target.is_unseen()) {
      fit_.model.notes = notes;
      if (!fit_.constant) fit_.model.notes = {"constant model: too little of the target is visible for slopes"};
      fit_.constant = true;
      TAILCOAT_TRY(again, Target::look(frame, options_, kSecondLook, run_, outlet(), fit_.model.notes));
      target = std::move(again);
    }
    if (target.is_unseen()) return without_a_target(target, frame.rows());
    parts_ = target.parts();
    strength_.count_only(target.labelled());
    fit_.constant = fit_.constant || is_out_of_reach(strength_.lacks_for_columns(features_among(frame)));
    if (!fit_.constant) TAILCOAT_CHECK(take_features(frame, target));
    if (fit_.constant) shares_ = Shares();
    rules_.steps = shares_.steps;
    describe(target, frame.rows());
    TAILCOAT_TRY(design, whitened(frame));
    if (strength_.pays_more_steps(design.columns())) rules_.steps = kMoreSteps;
    rules_.follows = strength_.can_follow(design.columns());
    TAILCOAT_CHECK(design.keep(run_.engine, cells));
    for (std::size_t part = 0; part < parts_; ++part) TAILCOAT_CHECK(fit_part(target, design, part));
    fit_.model.features = features_.all();
    if (options_.diagnose) TAILCOAT_CHECK(diagnose(target, design));
    limit_effects(fit_.model);
    fit_.constant = fit_.constant || constant_parts_ == parts_;
    if (!fit_.constant) std::ranges::move(notes_on_features(fit_.model), std::back_inserter(fit_.model.notes));
    fit_.model.receipt = meter_.receipt();
    TAILCOAT_CHECK(check_finite(fit_.model));
    if (progress_) progress_(parts_ * rules_.steps, parts_ * rules_.steps);
    return std::move(fit_);
  }

 private:
  Outlet outlet() { return {meter_, run_.noise}; }

  // From public numbers: whether slopes are out of reach, and how the budget is shared.
  void plan(const Frame& frame) {
    const std::size_t columns = features_among(frame);
    fit_.constant = columns == 0 || is_out_of_reach(strength_.lacks_for_columns(columns));
    if (!fit_.constant) shares_ = strength_.shares(columns);
    if (options_.straight) shares_.curve = 0;
    target_share_ = strength_.target_share(fit_.constant);
  }

  [[nodiscard]] std::size_t features_among(const Frame& frame) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(frame.columns, [&](const Column& column) { return is_feature(options_, column); }));
  }

  Result<Fit> without_a_target(const Target& target, std::size_t rows) {
    describe(target, rows);
    fit_.constant = true;
    fit_.model.notes = {
        "constant model: nothing of the target is visible at this budget, and how far the model is off is not known; "
        "take more rows or a larger epsilon, or give the bounds of the target, if those are public"};
    fit_.model.parts.push_back({.intercept = estimate(0, 1, HUGE_VAL), .coefficients = {}});
    fit_.limits.privacy_noise = HUGE_VAL;
    fit_.model.receipt = meter_.receipt();
    return std::move(fit_);
  }

  // Notes why, if there is a reason.
  bool is_out_of_reach(const std::string& reason) {
    if (!reason.empty()) fit_.model.notes.push_back(reason);
    return !reason.empty();
  }

  Result<void> take_features(const Frame& frame, const Target& target) {
    const Tails tails = strength_.pays_suspicion(features_among(frame)) ? Tails::suspected : Tails::seen;
    TAILCOAT_TRY(choice, choose_features(frame, options_, shares_.columns, tails, run_, outlet()));
    // Tails that noise has made will be forgotten.
    const auto features = std::ranges::count_if(
        choice.fitted, [&](std::size_t j) { return choice.features[j].kind != FeatureKind::beyond; });
    fit_.constant = is_out_of_reach(strength_.lacks_for_features(static_cast<std::size_t>(features)));
    if (fit_.constant) return {};
    std::ranges::move(choice.notes, std::back_inserter(fit_.model.notes));
    const std::vector<Candidate> candidates = std::move(choice.candidates);
    features_ = FittedFeatures(std::move(choice));
    return bend_numbers(frame, target, candidates);
  }

  // Those whose slope is seen to change, as long as there is strength for one more.
  Result<void> bend_numbers(const Frame& frame, const Target& target, const std::vector<Candidate>& candidates) {
    if (options_.straight || candidates.empty() || parts_ > 1 || !strength_.pays_bends(features_.size() + 1)) return {};
    TAILCOAT_TRY(rows, rows_of_halves(frame, options_, candidates, kLeverage));
    target.label(rows, 0);
    TAILCOAT_TRY(start, target.start(rows, 0, meter_.share(target_share_ / 2), run_, outlet()));
    start_ = start;
    TAILCOAT_TRY(bends,
                 found_bends(rows, candidates, options_.loss, start, meter_.share(shares_.bends), run_, outlet()));
    while (!bends.empty() && !strength_.pays_bends(features_.size() + bends.size())) bends.pop_back();
    std::ranges::sort(bends, std::ranges::greater());
    for (const std::size_t k : bends) features_.bend(candidates[k]);
    return {};
  }

  void describe(const Target& target, std::size_t rows) {
    Model& model = fit_.model;
    model.loss = options_.loss;
    model.target = options_.target;
    model.classes = target.classes();
    model.exposure = options_.exposure;
    model.confidence = options_.confidence;
    model.rows = rows;
  }

  [[nodiscard]] Result<Design> standardised(const Frame& frame) const {
    return Design::create(frame, {features_.all(), features_.fitted(), options_.target, options_.exposure}, kLeverage);
  }

  Result<SecondMoment> moment_of_rows(const Design& rows) {
    TAILCOAT_TRY(data, run_.engine.load(rows));
    const Gdp cost = meter_.share(shares_.curvature);
    const MomentCut cut = is_exponential(options_.loss) ? MomentCut{rows.radius()}
                                                        : moment_cut(rows.columns(), rows.radius(), rows_, cost);
    TAILCOAT_TRY(moment, second_moment(run_.engine, data.features(), cut.radius, cost, outlet()));
    moment.noise_scale *= cut.factor;
    for (double& entry : moment.matrix) entry *= cut.factor;
    return std::move(moment);
  }

  // The design in coordinates whose curvature is about 1.
  Result<Design> whitened(const Frame& frame) {
    TAILCOAT_TRY(rows, standardised(frame));
    if (features_.empty()) {
      whitening_ = no_whitening(1);
      return std::move(rows);
    }
    TAILCOAT_TRY(moment, moment_of_rows(rows));
    if (features_.forget_unseen_tails(moment)) {
      TAILCOAT_TRY(others, standardised(frame));
      rows = std::move(others);
    }
    whitening_ = whitening_of(moment, rows.columns());
    const Eigen::MatrixXd matrix = whitening_.root_inverse();
    rows.set_matrix({matrix.data(), static_cast<std::size_t>(matrix.size())});
    return std::move(rows);
  }

  // For the parts, as a share of mu^2; at most what the meter would still accept.
  [[nodiscard]] double left_of_budget() const {
    const double spent = std::pow(meter_.receipt().gaussian_spent.mu / meter_.total().mu, 2);
    return std::max(0.0, 1 - spent - kShareMargin - (options_.diagnose ? shares_.diagnosis : 0));
  }

  Result<void> fit_part(Target& target, Design& design, std::size_t part) {
    const double each = 1 / static_cast<double>(parts_), parts_left = static_cast<double>(parts_ - part);
    const double each_start = target_share_ / 2 * each;
    // Of what is left, without what later parts begin with.
    const auto share_left = [&] { return (left_of_budget() - (parts_left - 1) * each_start) / parts_left; };
    // A constant class, count or mean is all in where the descent would start: then that gets the budget.
    const bool squared = std::holds_alternative<SquaredLoss>(options_.loss);
    const bool start_is_all = features_.empty() && (squared || is_exponential(options_.loss));
    const double for_start = start_is_all ? left_of_budget() / parts_left : each_start;
    target.label(design, part);
    TAILCOAT_TRY(start, start_ ? *start_ : target.start(design, part, meter_.share(for_start), run_, outlet()));
    if (part == 0 && predicts_classes(options_.loss) && start.labelled < rows_)
      fit_.model.notes.push_back(note_on_absent(start.labelled / rows_, "have another class, or none,"));
    // How many rows have a class is known only now.
    const double of_a_class = predicts_classes(options_.loss) ? start.labelled / rows_ : 1;
    if (start_is_all || strength_.is_too_rare(start.curvature * of_a_class, features_.size())) {
      if (!start_is_all) {
        note_constant();
        TAILCOAT_TRY(better, target.start(design, part, meter_.share(share_left()), run_, outlet()));
        start = better;
      }
      if (start.cut > 0 && !options_.bounds.contains(options_.target))
        fit_.model.notes.push_back(note_on_cut(start, target.unit()));
      const Coefficients constant = constant_at(start.margin, start.variance());
      add_part(target, constant, constant_at(0, 0).covariance);
      report_limits(target, start.noise, start.sampling, start.clipped_share, kPassesBesides);
      return {};
    }
    TAILCOAT_TRY(data, run_.engine.load(design));
    const double clips = shares_.clips * (looks_at_residuals(options_.loss) ? 2 : 1) * each;
    const double levels = shares_.level + shares_.level_of_constant;
    const double curve = features_.empty() ? 0 : shares_.curve;
    const double afterwards = clips + (shares_.errors + shares_.choice + levels + curve) * each;
    const DescentBudget budget{.gradients = meter_.share(share_left() - afterwards), .clips = meter_.share(clips)};
    const auto d = static_cast<Eigen::Index>(design.columns());
    Eigen::VectorXd origin = Eigen::VectorXd::Zero(d);
    origin[d - 1] = start.margin;
    const Eigen::VectorXd u0 = whitening_.root() * origin;
    const Eigen::VectorXd mean = whitening_.root_inverse() * mean_row(whitening_);
    DescentStart from{.x = {u0.data(), u0.data() + d},
                      .curvature = start.curvature,
                      .labelled = start.labelled,
                      .spread = whitening_.curvatures().sum(),
                      .mean_row = {mean.data(), mean.data() + d},
                      .tails = features_.tail_directions(whitening_)};
    TAILCOAT_TRY(descent,
                 descend(run_, outlet(), data, options_.loss, std::move(from), budget, rules_, [&] { return tick(); }));
    TAILCOAT_TRY(settled, settle(descent, whitening_, data, meter_.share(shares_.errors * each), run_, outlet()));
    auto& errors = settled.errors;
    Coefficients found{settled.values, errors.noise + errors.sampling};
    const auto [moves, straight] = drop_faint(found, features_.turns());
    errors.move(moves);
    if (!features_.empty()) {
      TAILCOAT_CHECK(shrink_or_drop(found, errors, target, start, descent, design, data));
    } else if (!predicts_classes(options_.loss)) {
      set_constant(found, errors, mean_of(found, errors, start));
    }
    add_part(target, found, errors.unlearned, straight);
    report_limits(target, of_a_row(errors.noise), of_a_row(errors.sampling), descent.clipped_share,
                  static_cast<double>(rules_.steps) + (shares_.level > 0 ? 1 : 0) +
                      (shares_.level_of_constant > 0 ? 1 : 0) + kPassesBesides);
    return {};
  }

  // The variance that errors of the coefficients give the margin of a row, on average over the rows.
  [[nodiscard]] double of_a_row(const Eigen::MatrixXd& covariance) const {
    const Eigen::VectorXd mean = mean_row(whitening_);
    const double of_mean = variance_of(mean, covariance);
    return features_.empty() ? of_mean
                             : of_mean + margin_error({Eigen::VectorXd::Zero(mean.size()), covariance}, whitening_);
  }

  bool tick() { return !progress_ || progress_(steps_done_++, parts_ * rules_.steps); }

  void note_unfinished(const Descent& descent) {
    const std::vector<std::size_t> places = features_.far_reaching();
    std::vector<std::string> names;
    for (const std::size_t k : descent.unfinished) names.push_back(feature_name(features_[places[k]]));
    if (!names.empty())
      fit_.model.notes.push_back(fmt::format(
          "the fit ended on the way to the slope of {}: it is further off than its interval says", listed(names)));
  }

  // The slopes as far as they stand out of their errors; or the constant model, if nothing of them does, or if that is
  // better on the rows as far as can be told.
  Result<void> shrink_or_drop(Coefficients& found, Errors& errors, const Target& target, const Start& start,
                              const Descent& descent, const Design& design, const LabelledData& data) {
    const Gdp cost = meter_.share(shares_.choice / static_cast<double>(parts_));
    const bool counts = is_count(options_.loss), exponential = is_exponential(options_.loss);
    const bool hopeless = counts && (margin_error(found, whitening_) > kMostMarginError ||
                                     margin_error({found.values, errors.noise}, whitening_) > kMostMarginNoise);
    const double kept = hopeless ? 0 : shrink(found, whitening_, exponential ? kExponentialShrinkage : kShrinkage);
    Start alone = exponential ? start : mean_of(found, errors, start);
    Coefficients constant = constant_at(alone.margin, alone.variance());
    const auto level = [&](Coefficients& of, const Descent& by, const Whitening& whitening, const LabelledData& rows,
                           double share, double tolerated) -> Result<void> {
      if (share == 0) return {};
      const Gdp price = meter_.share(share / static_cast<double>(parts_));
      const double largest = target.largest_residual(start, price);
      return move_level(of, {by, whitening, rows, start, largest, alone.sampling, tolerated}, price, run_, outlet());
    };
    // The constant of numbers is the fit's mean row, or has the level's release to itself.
    const bool shares_level = shares_.level > 0 && !exponential && shares_.level_of_constant == 0;
    const double for_constant = shares_level && kept == 0 ? shares_.level : shares_.level_of_constant;
    TAILCOAT_CHECK(level(constant, descent, whitening_, data, for_constant, 0));
    alone.noise = constant.covariance.diagonal().tail(1)[0] - alone.sampling;
    if (kept > 0) {
      if (shares_.curve > 0) {
        TAILCOAT_TRY(curved, look_for_curve(design, found, whitening_, options_.loss, start,
                                            meter_.share(shares_.curve), run_, outlet()));
        curved_ = std::move(curved);
        fit_.work.passes += kPassesOfCurve;
      }
      const bool bends = curved_.rows != nullptr;
      const Whitening& whitening = bends ? curved_.rows->whitening() : whitening_;
      const LabelledData& rows = bends ? *curved_.data : data;
      Coefficients& last = bends ? curved_.found : found;
      const Descent& by = bends ? curved_.descent : descent;
      const Eigen::VectorXd row = mean_row(whitening);
      TAILCOAT_CHECK(level(last, by, whitening, rows, shares_.level, target.tolerated_level()));
      if (shares_level) constant.values.tail(1)[0] = row.dot(last.values);
      if (shares_level) alone.noise = std::max(variance_of(row, last.covariance) - alone.sampling, 0.0);
      const Eigen::VectorXd x = whitening.root() * last.values;
      const Eigen::VectorXd y = whitening.root().rightCols(1) * constant.values.tail(1);
      TAILCOAT_TRY(differences, run_.engine.loss_differences(Samples(rows, descent.loss), view(x), view(y)));
      // Far rows that the fit has followed count like others.
      const bool linear = looks_at_residuals(options_.loss) || std::holds_alternative<LogisticLoss>(options_.loss);
      const double largest = linear ? kLargestLinearDifference : kLargestDifference * std::pow(descent.widened, 2);
      TAILCOAT_TRY(worse,
                   clipped_mean(run_.engine, differences, largest, "choice between fit and constant", cost, outlet()));
      const double noise = 2 * largest / (rows_ * cost.mu);
      const bool wary = counts || (looks_at_residuals(options_.loss) && !predicts_classes(options_.loss));
      if (worse[0] <= (kept > kClearlyKept ? (wary ? kLittleProof : kProof) * noise : 0)) {
        if (bends) curve_ = follow(curved_, found, errors, whitening_);
        note_unfinished(descent);
        return {};
      }
      curved_.rows.reset();
    }
    alone.margin = constant.values.tail(1)[0];
    set_constant(found, errors, alone);
    note_constant();
    return {};
  }

  // Those that the model is linear on: with a curve, rows of the margins.
  [[nodiscard]] const RowMaker& rows_of(const Design& design) const {
    return curved_.rows ? static_cast<const RowMaker&>(*curved_.rows) : design;
  }

  void set_constant(Coefficients& found, Errors& errors, const Start& alone) const {
    found = constant_at(alone.margin, alone.variance());
    const Coefficients noise = constant_at(0, alone.noise), sampling = constant_at(0, alone.sampling);
    errors = {noise.covariance, sampling.covariance, constant_at(0, 0).covariance};
  }

  // The margin of the mean row; where its error is larger than a mean is off, rather where the target's bulk is.
  [[nodiscard]] Start mean_of(const Coefficients& found, const Errors& errors, const Start& start) const {
    const Eigen::VectorXd row = mean_row(whitening_);
    const double noise = variance_of(row, errors.noise), sampling = variance_of(row, errors.sampling);
    const double margin = row.dot(found.values), known = kMeanDeviation * kMeanDeviation;
    const double kept = known / (noise + sampling + known);
    return {.margin = start.margin + std::clamp(kept * (margin - start.margin), -kMeanDeviation, kMeanDeviation),
            .curvature = start.curvature,
            .labelled = start.labelled,
            .sampling = kept * sampling,
            .noise = kept * noise};
  }

  [[nodiscard]] Coefficients constant_at(double margin, double variance) const {
    const auto d = static_cast<Eigen::Index>(features_.size() + 1);
    Coefficients constant{Eigen::VectorXd::Zero(d), Eigen::MatrixXd::Zero(d, d)};
    constant.values[d - 1] = margin;
    constant.covariance(d - 1, d - 1) = variance;
    return constant;
  }

  void note_constant() {
    ++constant_parts_;
    fit_.model.notes.push_back(fmt::format("{}the constant model was chosen: at this budget slopes are no better",
                                           parts_ > 1 ? fit_.model.classes[fit_.model.parts.size()] + ": " : ""));
  }

  // Of the only part, in the coordinates of the descent.
  Result<void> diagnose(const Target& target, Design& design) {
    if (parts_ > 1) {
      fit_.model.notes.push_back("no diagnosis: there is none for more than two classes");
      return {};
    }
    const Eigen::VectorXd x = curved_.rows ? curved_.rows->whitening().root() * curved_.found.values
                                           : Eigen::VectorXd(whitening_.root() * last_);
    const Gdp cost = meter_.share(shares_.diagnosis);
    const bool classes = predicts_classes(options_.loss);
    if (classes) design.set_labels(target.class_labels(1, kClassOffset));
    TAILCOAT_TRY(diagnosis,
                 classes ? diagnose_chances(design, view(x), cost, run_, outlet())
                         : diagnose_numbers(rows_of(design), view(x), target.unit().scale, cost, run_, outlet()));
    fit_.diagnosis = std::move(diagnosis);
    return {};
  }

  // Variances of the margin of a row, clipped share and passes of a part. Of several parts the mean counts.
  void report_limits(const Target& target, double noise_of_part, double sampling_of_part, double clipped,
                     double passes) {
    const double each = 1 / static_cast<double>(parts_), unit = target.unit().scale;
    noise_ += each * noise_of_part;
    sampling_ += each * sampling_of_part;
    fit_.limits = {unit * std::sqrt(sampling_), unit * std::sqrt(noise_), fit_.limits.clipped_share + each * clipped};
    fit_.work.passes += passes;
    fit_.work.wanted_passes = fit_.work.passes;
    fit_.work.sample_gradients = fit_.work.passes * rows_;
    fit_.error_against_epsilon.clear();
    for (const double factor : {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0}) {
      const ApproxDp other{factor * options_.budget.epsilon, options_.budget.delta};
      const auto mu = gaussian_budget(other);
      if (!mu) continue;
      const double ratio = std::pow(meter_.total().mu / mu->mu, 2);
      fit_.error_against_epsilon.emplace_back(other.epsilon,
                                              std::sqrt((noise_ * ratio + sampling_) / (noise_ + sampling_)));
    }
  }

  // In the units of the file. Bends that are none go: with as much slope on both sides of a knot, a row has that slope
  // times (the number + the knot).
  void add_part(const Target& target, const Coefficients& found, const Eigen::MatrixXd& unlearned,
                const std::vector<Turn>& straight = {}) {
    const auto& w = found.values;
    const Eigen::MatrixXd covariance = found.covariance + unlearned;
    last_ = w;
    LinearPart part;
    for (const Feature& feature : features_.all())  // some have none: reference levels, empty columns
      part.coefficients.push_back(is_of_text(feature.kind) ? Estimate{} : left_out());
    const double unit = target.unit().scale;
    Eigen::VectorXd to_intercept = Eigen::VectorXd::Unit(w.size(), w.size() - 1);
    for (std::size_t i = 0; i < features_.size(); ++i) {
      const Feature& feature = features_[i];
      const auto k = static_cast<Eigen::Index>(i);
      const bool dropped = w[k] == 0 && found.covariance(k, k) == 0;
      part.coefficients[features_.fitted()[i]] =
          dropped ? left_out() : estimate(unit * w[k] / feature.scale, unit / feature.scale, covariance(k, k));
      to_intercept[k] = -feature.centre / feature.scale;
    }
    for (const Turn& bend : straight) {
      const Feature& below = features_[static_cast<std::size_t>(bend.before)];
      to_intercept[bend.before] += below.high / below.scale;
    }
    part.intercept =
        estimate(target.unit().centre + unit * to_intercept.dot(w), unit, to_intercept.dot(covariance * to_intercept));
    part.curve = {target.unit().centre + unit * curve_.knot, curve_.below, curve_.above};
    features_.straighten(straight, part.coefficients);
    fit_.model.parts.push_back(std::move(part));
  }

  [[nodiscard]] Estimate estimate(double value, double unit, double variance) const {
    const double standard_error = unit * std::sqrt(std::max(variance, 0.0));
    const double z = boost::math::quantile(complement(boost::math::normal(), (1 - options_.confidence) / 2));
    return {value, standard_error, value - z * standard_error, value + z * standard_error};
  }

  const FitOptions& options_;
  RunContext run_;
  PrivacyMeter meter_;
  const Progress& progress_;
  double rows_;
  Strength strength_;
  Shares shares_;
  double target_share_ = 0, noise_ = 0, sampling_ = 0;
  std::size_t parts_ = 1, constant_parts_ = 0, steps_done_ = 0;
  DescentRules rules_;
  Fit fit_;
  FittedFeatures features_;
  std::optional<Start> start_;  // of the only part, if that was needed before
  Whitening whitening_;
  CurvedFit curved_;  // of the only part, if it has a curve
  Curve curve_;
  Eigen::VectorXd last_;  // coefficients of the part that was added last
};

}  // namespace

Result<Fit> fit(const Frame& frame, const FitOptions& options, RunContext run, const Progress& progress) {
  TAILCOAT_CHECK(check(frame, options));
  TAILCOAT_TRY(meter, PrivacyMeter::open(options.budget, reserved_events(frame, options)));
  const SpendingWatch watch(run.noise, options.budget);
  return watch.told(
      Fitting(options, static_cast<double>(frame.rows()), run, std::move(meter), progress)(frame, nullptr));
}

Result<Fit> fit(Table table, const FitOptions& options, RunContext run, const Progress& progress) {
  const Frame frame = frame_of(table);
  TAILCOAT_CHECK(check(frame, options));
  TAILCOAT_TRY(meter, PrivacyMeter::open(options.budget, reserved_events(frame, options)));
  Buffer cells = std::move(table).take_matrix();
  const SpendingWatch watch(run.noise, options.budget);
  return watch.told(
      Fitting(options, static_cast<double>(frame.rows()), run, std::move(meter), progress)(frame, &cells));
}

}  // namespace tailcoat
