#include "tailcoat/fit/fit_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tailcoat/algorithms/spending.hpp"
#include "tailcoat/estimators/fit_checks.hpp"
#include "tailcoat/estimators/fit_notes.hpp"
#include "tailcoat/estimators/target.hpp"
#include "tailcoat/fit/assemble.hpp"
#include "tailcoat/fit/budget_plan.hpp"
#include "tailcoat/fit/link.hpp"
#include "tailcoat/fit/mean_level.hpp"
#include "tailcoat/fit/terms.hpp"
#include "tailcoat/losses/traits.hpp"
#include "tailcoat/mechanisms/clipped_mean.hpp"

namespace tailcoat {
namespace {

constexpr double kLeverage = 1.5;      // rows longer than so many times a typical one weigh less
constexpr double kShareMargin = 1e-9;  // of the budget, for rounding
constexpr double kLevelVariance = 1, kLevelVarianceOfRates = 9;  // of the intercept, around where a fit starts
// Of a difference of two losses, in the units of the fit.
constexpr double kLargestDifference = 4, kLargestLinearDifference = 1;
constexpr double kSecondLook = 0.5;  // share for the target, where the first look showed nothing of it
constexpr double kProof = 3;  // deviations of noise from which a constant is better than a fit that is shrunk already

Result<void> check_no_diagnosis(const FitOptions& options) {
  if (!options.diagnose) return {};
  return usage_error("a fit by terms has no diagnosis; leave out diagnose, or the terms");
}

class Fitting {
 public:
  Fitting(const FitOptions& options, TermsKind kind, const Frame& frame, RunContext run, PrivacyMeter meter,
          const Progress& progress)
      : options_(options),
        traits_(traits_of(options.loss)),
        kind_(kind),
        frame_(frame),
        run_(run),
        meter_(std::move(meter)),
        progress_(progress) {}

  Result<Fit> operator()(Buffer* cells) {
    TAILCOAT_TRY(target, look_at_target());
    if (target.is_unseen()) return without_a_target(target);
    parts_ = target.parts();
    TAILCOAT_TRY(starts, starts_of(target));
    plan_ = plan(starts);
    TAILCOAT_TRY(choice, constant_only_
                             ? Result<FeatureChoice>(FeatureChoice{})
                             : choose_features(frame_, options_, plan_.columns, Tails::seen, run_, outlet()));
    terms_ = choose_terms(std::move(choice), kind_, plan_.bends && target.parts() == 1);
    describe(target);
    TAILCOAT_TRY(design, rows_in_shape());
    TAILCOAT_CHECK(design.keep(run_.engine, cells));
    for (std::size_t part = 0; part < parts_; ++part) TAILCOAT_CHECK(fit_part(target, design, starts[part]));
    finish();
    TAILCOAT_CHECK(check_finite(fit_.model));
    return std::move(fit_);
  }

 private:
  Outlet outlet() { return {meter_, run_.noise}; }

  [[nodiscard]] double rows() const { return static_cast<double>(frame_.rows()); }

  // Where nothing of it shows, half of the budget goes to a second look, for a constant.
  Result<Target> look_at_target() {
    std::vector<std::string>& notes = fit_.model.notes;
    const double signal = rows() * meter_.total().mu;
    target_share_ = target_share(options_.loss, signal);
    constant_only_ = features() == 0 || !tells_slopes(options_.loss, signal);
    if (constant_only_ && features() > 0)
      notes = {"constant model: rows and budget are too few to tell slopes from noise"};
    TAILCOAT_TRY(first, Target::look(frame_, options_, target_share_, run_, outlet(), notes));
    if (!first.is_unseen()) return std::move(first);
    notes = {"constant model: too little of the target is visible for slopes"};
    constant_only_ = true;
    return Target::look(frame_, options_, kSecondLook, run_, outlet(), notes);
  }

  Result<Fit> without_a_target(const Target& target) {
    describe(target);
    fit_.constant = true;
    fit_.model.notes = {
        "constant model: nothing of the target is visible at this budget, and how far the model is off is not known; "
        "take more rows or a larger epsilon, or give the bounds of the target, if those are public"};
    fit_.model.parts.push_back({.intercept = {0, HUGE_VAL, -HUGE_VAL, HUGE_VAL}, .coefficients = {}});
    fit_.limits.privacy_noise = HUGE_VAL;
    fit_.model.receipt = meter_.receipt();
    return std::move(fit_);
  }

  // Where each part starts: all slopes 0.
  Result<std::vector<Start>> starts_of(const Target& target) {
    TAILCOAT_TRY(rows, Design::create(frame_, {{}, {}, options_.target, options_.exposure}, kLeverage));
    std::vector<Start> starts;
    for (std::size_t part = 0; part < parts_; ++part) {
      target.label(rows, part);
      const double share = constant_only_ && traits_.mean_start ? share_left() / static_cast<double>(parts_ - part)
                                                                : target_share_ / 2 / static_cast<double>(parts_);
      TAILCOAT_TRY(start, target.start(rows, part, meter_.share(share), run_, outlet()));
      starts.push_back(start);
    }
    return starts;
  }

  [[nodiscard]] std::size_t features() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(frame_.columns, [&](const Column& column) { return is_feature(options_, column); }));
  }

  [[nodiscard]] BudgetPlan plan(const std::vector<Start>& starts) const {
    double signal = HUGE_VAL;
    for (const Start& start : starts)
      signal = std::min(signal, signal_to_noise(start.labelled, meter_.total(), options_.loss, start.curvature));
    PlanSetting setting{.loss = options_.loss,
                        .signal_to_noise = signal,
                        .numbers = 0,
                        .texts = 0,
                        .target_share = target_share_,
                        .additive = kind_ == TermsKind::additive};
    for (const Column& column : frame_.columns)
      if (!constant_only_ && is_feature(options_, column))
        ++(column.kind == ColumnKind::text ? setting.texts : setting.numbers);
    return plan_budget(setting);
  }

  void describe(const Target& target) {
    Model& model = fit_.model;
    model.loss = options_.loss;
    model.target = options_.target;
    model.classes = target.classes();
    model.exposure = options_.exposure;
    model.confidence = options_.confidence;
    model.rows = frame_.rows();
    model.features = terms_.features;
    std::ranges::copy(terms_.notes, std::back_inserter(model.notes));
  }

  Result<Design> rows_in_shape() {
    TAILCOAT_TRY(
        rows, Design::create(frame_, {terms_.features, terms_.fitted, options_.target, options_.exposure}, kLeverage));
    if (terms_.empty()) {
      shape_ = constant_shape();
      return std::move(rows);
    }
    TAILCOAT_TRY(data, run_.engine.load(rows));
    TAILCOAT_TRY(shape, release_shape(run_.engine, data.features(), rows.radius(), traits_.exponential(),
                                      meter_.share(plan_.moments), outlet(), "second-moment matrix"));
    shape_ = std::move(shape);
    const Eigen::MatrixXd lines = shape_.map.transpose();
    rows.set_matrix({lines.data(), static_cast<std::size_t>(lines.size())});
    return std::move(rows);
  }

  // Of a stage, in one of the parts.
  [[nodiscard]] Gdp cost(double share) const { return meter_.share(share / static_cast<double>(parts_)); }

  // What is left of the budget.
  [[nodiscard]] double share_left() const {
    const double spent = std::pow(meter_.receipt().gaussian_spent.mu / meter_.total().mu, 2);
    return std::max(0.0, 1 - spent - kShareMargin);
  }

  Result<void> fit_part(const Target& target, Design& design, const Start& start) {
    const std::size_t part = fit_.model.parts.size();
    target.label(design, part);
    if (terms_.empty() && traits_.mean_start) return take_constant(target, start);
    TAILCOAT_TRY(data, run_.engine.load(design));
    const double afterwards = plan_.errors + plan_.level + plan_.link + (terms_.empty() ? 0 : plan_.choice);
    Eigen::VectorXd from = Eigen::VectorXd::Zero(shape_.size());
    from[shape_.size() - 1] = start.margin;
    const EvidenceSetting setting{.start = shape_.inverse * from,
                                  .curvature = start.curvature,
                                  .labelled = start.labelled,
                                  .steps = plan_.steps,
                                  .looks = 3,
                                  .gradients = meter_.share(share_left() / static_cast<double>(parts_ - part) -
                                                            (afterwards + plan_.norms) / static_cast<double>(parts_)),
                                  .norms = cost(plan_.norms)};
    TAILCOAT_TRY(evidence, gather(run_, outlet(), data, options_.loss, shape_, setting, [&] { return tick(); }));
    TAILCOAT_TRY(moments, release_gradient_moments(run_, outlet(), data, evidence, shape_, cost(plan_.errors)));
    const double level = traits_.exponential() ? kLevelVarianceOfRates : kLevelVariance;
    Posterior posterior = infer(evidence, shape_, terms_, moments, rows(), start.margin, level);
    Predictor predictor{&data, &shape_, evidence.loss, posterior.mean};
    return settle(target, start, design, evidence, std::move(posterior), std::move(predictor));
  }

  // Link, level and choice.
  Result<void> settle(const Target& target, const Start& start, const Design& design, const Evidence& evidence,
                      Posterior posterior, Predictor predictor) {
    std::optional<Link> link;
    const double errors = (shape_.moment * posterior.covariance).trace();
    if (plan_.link > 0 && shape_.margin_variance(posterior.mean) > errors) {
      TAILCOAT_TRY(found,
                   find_link(run_, outlet(), design, predictor, {options_.loss, start.labelled, cost(plan_.link)}));
      link = std::move(found);
    }
    if (link) predictor = {&*link->data, &link->shape, link->loss, link->values};
    const double mean_variance = shape_.mean_row.dot(posterior.covariance * shape_.mean_row);
    double constant = traits_.exponential() ? start.margin : predictor.of_mean_row();
    LevelStep level;
    if (plan_.level > 0) {
      const Gdp price = cost(plan_.level);
      const LevelSetting setting{.start = start,
                                 .largest_residual = target.best_residual(start, price),
                                 .curvature = evidence.curvature,
                                 .uncertainty = mean_variance};
      TAILCOAT_TRY(step, release_level(run_, outlet(), predictor, setting, price));
      level = step;
      predictor.coefficients[predictor.coefficients.size() - 1] += level.shift;
      if (!traits_.exponential()) constant += level.shift;
    }
    if (!terms_.empty()) {
      TAILCOAT_TRY(worse, is_worse_than(predictor, constant));
      if (worse)
        return take_constant(target, {.margin = constant,
                                      .curvature = start.curvature,
                                      .labelled = start.labelled,
                                      .sampling = posterior.sampling_share * mean_variance,
                                      .noise = (1 - posterior.sampling_share) * mean_variance + level.variance});
    }
    Curve curve;
    if (link) curve = follow(*link, posterior, shape_);
    move(posterior, level);
    if (link) curve.knot += level.shift;
    return add(target, posterior, curve, evidence.clipped_share);
  }

  // The intercept takes the step; of the errors of the mean row so much is gone.
  void move(Posterior& posterior, const LevelStep& level) const {
    const Eigen::Index last = shape_.size() - 1;
    Eigen::MatrixXd moves = Eigen::MatrixXd::Identity(last + 1, last + 1);
    moves.row(last) -= level.length * shape_.mean_row.transpose();
    const double sampling = posterior.sampling_share * shape_.mean_row.dot(posterior.covariance * shape_.mean_row);
    posterior.covariance = (moves * posterior.covariance * moves.transpose()).eval();
    posterior.covariance(last, last) +=
        level.length * level.length * level.variance + level.length * (2 - level.length) * sampling;
    posterior.mean[last] += level.shift;
  }

  Result<bool> is_worse_than(const Predictor& predictor, double constant) {
    const Eigen::VectorXd x = predictor.point(), y = predictor.of_intercept(constant);
    TAILCOAT_TRY(differences, run_.engine.loss_differences(Samples(*predictor.data, predictor.loss), view(x), view(y)));
    const double largest = traits_.bounded_slope ? kLargestLinearDifference : kLargestDifference;
    const Gdp price = cost(plan_.choice);
    TAILCOAT_TRY(worse,
                 clipped_mean(run_.engine, differences, largest, "choice between fit and constant", price, outlet()));
    const double noise = 2 * largest / (rows() * price.mu);
    return worse[0] > (traits_.curvature == LossTraits::Curvature::one ? kProof * noise : 0);
  }

  Result<void> take_constant(const Target& target, const Start& start) {
    const Eigen::Index d = shape_.size();
    Posterior constant{Eigen::VectorXd::Zero(d), Eigen::MatrixXd::Zero(d, d), 0};
    constant.mean[d - 1] = start.margin;
    constant.covariance(d - 1, d - 1) = start.variance();
    constant.sampling_share = start.variance() > 0 ? start.sampling / start.variance() : 0;
    ++constants_;
    if (!terms_.empty())
      fit_.model.notes.push_back(fmt::format("{}the constant model was chosen: at this budget slopes are no better",
                                             parts_ > 1 ? fit_.model.classes[fit_.model.parts.size()] + ": " : ""));
    return add(target, constant, {}, start.clipped_share);
  }

  Result<void> add(const Target& target, const Posterior& posterior, const Curve& curve, double clipped_share) {
    fit_.model.parts.push_back(assemble(posterior, terms_, target.unit(), curve, options_.confidence));
    report_limits(fit_, posterior, shape_, target.unit().scale, clipped_share, 1 / static_cast<double>(parts_));
    return {};
  }

  void finish() {
    limit_effects(fit_.model);
    fit_.constant = constants_ == parts_;
    if (!fit_.constant) std::ranges::move(notes_on_features(fit_.model), std::back_inserter(fit_.model.notes));
    fit_.model.receipt = meter_.receipt();
    if (progress_) progress_(parts_ * plan_.steps, parts_ * plan_.steps);
  }

  bool tick() { return !progress_ || progress_(steps_done_++, parts_ * plan_.steps); }

  const FitOptions& options_;
  LossTraits traits_;
  TermsKind kind_;
  const Frame& frame_;
  RunContext run_;
  PrivacyMeter meter_;
  const Progress& progress_;
  BudgetPlan plan_;
  Terms terms_;
  Shape shape_;
  double target_share_ = 0;
  bool constant_only_ = false;
  std::size_t parts_ = 1, constants_ = 0, steps_done_ = 0;
  Fit fit_;
};

}  // namespace

Result<Fit> fit_terms(const Frame& frame, const FitOptions& options, TermsKind kind, RunContext run,
                      const Progress& progress) {
  TAILCOAT_CHECK(check(frame, options));
  TAILCOAT_CHECK(check_no_diagnosis(options));
  TAILCOAT_TRY(meter, PrivacyMeter::open(options.budget, reserved_events(frame, options)));
  const SpendingWatch watch(run.noise, options.budget);
  return watch.told(Fitting(options, kind, frame, run, std::move(meter), progress)(nullptr));
}

Result<Fit> fit_terms(Table table, const FitOptions& options, TermsKind kind, RunContext run,
                      const Progress& progress) {
  const Frame frame = frame_of(table);
  TAILCOAT_CHECK(check(frame, options));
  TAILCOAT_CHECK(check_no_diagnosis(options));
  TAILCOAT_TRY(meter, PrivacyMeter::open(options.budget, reserved_events(frame, options)));
  Buffer cells = std::move(table).take_matrix();
  const SpendingWatch watch(run.noise, options.budget);
  return watch.told(Fitting(options, kind, frame, run, std::move(meter), progress)(&cells));
}

}  // namespace tailcoat
