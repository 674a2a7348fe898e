#include "tailcoat/fit/fit_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tailcoat/algorithms/spending.hpp"
#include "tailcoat/estimators/diagnosis.hpp"
#include "tailcoat/estimators/fit_checks.hpp"
#include "tailcoat/estimators/fit_notes.hpp"
#include "tailcoat/estimators/target.hpp"
#include "tailcoat/fit/assemble.hpp"
#include "tailcoat/fit/budget_plan.hpp"
#include "tailcoat/fit/link.hpp"
#include "tailcoat/fit/mean_level.hpp"
#include "tailcoat/fit/terms.hpp"
#include "tailcoat/mechanisms/clipped_mean.hpp"

namespace tailcoat {
namespace {

constexpr double kLeverage = 1.5;      // rows longer than so many times a typical one weigh less
constexpr double kShareMargin = 1e-9;  // of the budget, for rounding
constexpr double kLevelVariance = 1, kLevelVarianceOfRates = 9;  // of the intercept, around where a fit starts
// Of a difference of two losses, in the units of the fit.
constexpr double kLargestDifference = 4, kLargestLinearDifference = 1;
constexpr double kProof = 3;  // deviations of noise from which a constant is better than a fit that is shrunk already

bool is_squared(const Loss& loss) { return std::holds_alternative<SquaredLoss>(loss); }

class Fitting {
 public:
  Fitting(const FitOptions& options, TermsKind kind, const Frame& frame, RunContext run, PrivacyMeter meter,
          const Progress& progress)
      : options_(options), kind_(kind), frame_(frame), run_(run), meter_(std::move(meter)), progress_(progress) {}

  Result<Fit> operator()(Buffer* cells) {
    plan_ = plan();
    TAILCOAT_TRY(target, Target::look(frame_, options_, plan_.target, run_, outlet(), fit_.model.notes));
    TAILCOAT_TRY(choice, choose_features(frame_, options_, plan_.columns, Tails::seen, run_, outlet()));
    terms_ = choose_terms(std::move(choice), kind_, plan_.bends && target.parts() == 1);
    describe(target);
    TAILCOAT_TRY(design, rows_in_shape());
    TAILCOAT_CHECK(design.keep(run_.engine, cells));
    parts_ = target.parts();
    for (std::size_t part = 0; part < parts_; ++part) TAILCOAT_CHECK(fit_part(target, design, part));
    finish();
    TAILCOAT_CHECK(check_finite(fit_.model));
    return std::move(fit_);
  }

 private:
  Outlet outlet() { return {meter_, run_.noise}; }

  [[nodiscard]] BudgetPlan plan() const {
    PlanSetting setting{.loss = options_.loss,
                        .signal_to_noise = static_cast<double>(frame_.rows()) * meter_.total().mu,
                        .numbers = 0,
                        .texts = 0,
                        .additive = kind_ == TermsKind::additive,
                        .diagnose = options_.diagnose};
    for (const Column& column : frame_.columns)
      if (is_feature(options_, column)) ++(column.kind == ColumnKind::text ? setting.texts : setting.numbers);
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
    TAILCOAT_TRY(rows, Design::create(frame_, {terms_.features, terms_.fitted, options_.target, options_.exposure},
                                      kLeverage));
    if (terms_.empty()) {
      shape_ = constant_shape();
      return std::move(rows);
    }
    TAILCOAT_TRY(data, run_.engine.load(rows));
    TAILCOAT_TRY(shape, release_shape(run_.engine, data.features(), rows.radius(), is_exponential(options_.loss),
                                      meter_.share(plan_.moments), outlet(), "second-moment matrix"));
    shape_ = std::move(shape);
    const Eigen::MatrixXd lines = shape_.map.transpose();
    rows.set_matrix({lines.data(), static_cast<std::size_t>(lines.size())});
    return std::move(rows);
  }

  // Of a stage, in one of the parts.
  [[nodiscard]] Gdp cost(double share) const { return meter_.share(share / static_cast<double>(parts_)); }

  // What is left for this part besides what is planned for later.
  [[nodiscard]] double share_left(std::size_t part, double planned) const {
    const double spent = std::pow(meter_.receipt().gaussian_spent.mu / meter_.total().mu, 2);
    const double left = std::max(0.0, 1 - spent - kShareMargin - plan_.diagnosis);
    const auto parts = static_cast<double>(parts_ - part);
    return std::max((left - (parts - 1) * plan_.target / 2 / static_cast<double>(parts_)) / parts - planned, 0.0);
  }

  Result<void> fit_part(const Target& target, Design& design, std::size_t part) {
    target.label(design, part);
    const bool start_is_all = terms_.empty() && (is_squared(options_.loss) || is_exponential(options_.loss));
    TAILCOAT_TRY(start, target.start(design, part, start_is_all ? meter_.share(share_left(part, 0)) : cost(plan_.target / 2), run_, outlet()));
    if (start_is_all) return take_constant(target, start);
    TAILCOAT_TRY(data, run_.engine.load(design));
    const double afterwards = plan_.errors + plan_.level + plan_.link + (terms_.empty() ? 0 : plan_.choice);
    Eigen::VectorXd from = Eigen::VectorXd::Zero(shape_.size());
    from[shape_.size() - 1] = start.margin;
    const EvidenceSetting setting{
        .start = shape_.inverse * from,
        .curvature = start.curvature,
        .labelled = start.labelled,
        .steps = plan_.steps,
        .looks = 3,
        .gradients = meter_.share(share_left(part, (afterwards + plan_.norms) / static_cast<double>(parts_))),
        .norms = cost(plan_.norms)};
    TAILCOAT_TRY(evidence, gather(run_, outlet(), data, options_.loss, shape_, setting, [&] { return tick(); }));
    TAILCOAT_TRY(moments, release_gradient_moments(run_, outlet(), data, evidence, shape_, cost(plan_.errors)));
    const double level = is_exponential(options_.loss) ? kLevelVarianceOfRates : kLevelVariance;
    Posterior posterior =
        infer(evidence, shape_, terms_, moments, static_cast<double>(frame_.rows()), start.margin, level);
    Predictor predictor{&data, &shape_, evidence.loss, posterior.mean};
    return settle(target, start, design, evidence, std::move(posterior), std::move(predictor));
  }

  // Link, level and choice.
  Result<void> settle(const Target& target, const Start& start, const Design& design, const Evidence& evidence,
                      Posterior posterior, Predictor predictor) {
    std::optional<Link> link;
    if (plan_.link > 0 && !terms_.empty()) {
      TAILCOAT_TRY(found, find_link(run_, outlet(), design, predictor,
                                    {options_.loss, start.labelled, cost(plan_.link)}));
      link = std::move(found);
    }
    if (link) predictor = {&*link->data, &link->shape, link->loss, link->values};
    const double mean_variance = shape_.mean_row.dot(posterior.covariance * shape_.mean_row);
    double constant = is_exponential(options_.loss) ? start.margin : predictor.of_mean_row();
    LevelStep level;
    if (is_squared(options_.loss) || is_exponential(options_.loss)) {
      const Gdp price = cost(plan_.level);
      TAILCOAT_TRY(step, release_level(run_, outlet(), predictor, start, target.best_residual(start, price),
                                       mean_variance, price));
      level = step;
      predictor.coefficients[predictor.coefficients.size() - 1] += level.shift;
      if (!is_exponential(options_.loss)) constant += level.shift;
    }
    if (!terms_.empty()) {
      TAILCOAT_TRY(worse, is_worse_than(predictor, constant));
      if (worse) return take_constant(target, {.margin = constant, .curvature = start.curvature, .labelled = start.labelled,
                                               .sampling = posterior.sampling_share * mean_variance,
                                               .noise = (1 - posterior.sampling_share) * mean_variance + level.variance});
    }
    Curve curve;
    if (link) curve = follow(*link, posterior, shape_);
    move(posterior, level);
    if (link) curve.knot += level.shift;
    last_ = predictor.point();
    link_ = std::move(link);
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
    const bool linear = looks_at_residuals(options_.loss) || std::holds_alternative<LogisticLoss>(options_.loss);
    const double largest = linear ? kLargestLinearDifference : kLargestDifference;
    const Gdp price = cost(plan_.choice);
    TAILCOAT_TRY(worse, clipped_mean(run_.engine, differences, largest, "choice between fit and constant", price, outlet()));
    const double noise = 2 * largest / (static_cast<double>(frame_.rows()) * price.mu);
    return worse[0] > (is_squared(options_.loss) ? kProof * noise : 0);
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
  TermsKind kind_;
  const Frame& frame_;
  RunContext run_;
  PrivacyMeter meter_;
  const Progress& progress_;
  BudgetPlan plan_;
  Terms terms_;
  Shape shape_;
  std::size_t parts_ = 1, constants_ = 0, steps_done_ = 0;
  Eigen::VectorXd last_;
  std::optional<Link> link_;
  Fit fit_;
};

}  // namespace

Result<Fit> fit_terms(const Frame& frame, const FitOptions& options, TermsKind kind, RunContext run,
                      const Progress& progress) {
  TAILCOAT_CHECK(check(frame, options));
  TAILCOAT_TRY(meter, PrivacyMeter::open(options.budget, reserved_events(frame, options)));
  const SpendingWatch watch(run.noise, options.budget);
  return watch.told(Fitting(options, kind, frame, run, std::move(meter), progress)(nullptr));
}

Result<Fit> fit_terms(Table table, const FitOptions& options, TermsKind kind, RunContext run,
                      const Progress& progress) {
  const Frame frame = frame_of(table);
  TAILCOAT_CHECK(check(frame, options));
  TAILCOAT_TRY(meter, PrivacyMeter::open(options.budget, reserved_events(frame, options)));
  Buffer cells = std::move(table).take_matrix();
  const SpendingWatch watch(run.noise, options.budget);
  return watch.told(Fitting(options, kind, frame, run, std::move(meter), progress)(&cells));
}

}  // namespace tailcoat
