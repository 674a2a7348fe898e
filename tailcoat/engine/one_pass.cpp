#include "tailcoat/engine/one_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "tailcoat/base/option.hpp"
#include "tailcoat/base/rounding.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/engine/float_environment.hpp"
#include "tailcoat/engine/walk.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

constexpr NumberOption kSteepestOption{.name = "steepest",
                                       .meaning = "largest Lipschitz constant of a sample that takes part",
                                       .lowest = 0,
                                       .open_below = true};

// Labels of up to 2^16 clip / |a| are let in by takes_part(), and cancel in the slope.
double slope_error(const Loss* loss) {
  return loss != nullptr && std::holds_alternative<PoissonLoss>(*loss) ? kPoissonSlopeError : kSlopeError;
}

// The Lipschitz extension is found by a search in which an error s of the user's step counts as its square root.
double extension_error(const Geometry& geometry, double user_error) {
  const double s = user_error + 64 * kRoundoff * (geometry.size + geometry.move);
  return std::sqrt(2 * geometry.move * s) + 2 * s + 0x1p-38 * geometry.move;
}

Result<void> check_pass(const Samples& samples, const Domain& domain, std::span<const double> start,
                        const OnePass& pass) {
  TAILCOAT_CHECK(check(kStepOption, pass.step));
  TAILCOAT_CHECK(check(kClipThresholdOption, pass.clip));
  if (pass.steepest != std::numeric_limits<double>::infinity()) TAILCOAT_CHECK(check(kSteepestOption, pass.steepest));
  return check_walk(samples, domain, start);
}

// The largest |phi'| over margins within `reach` of `margin`: phi' is nondecreasing.
template <class L>
double largest_slope(const L& loss, double margin, double reach, double label) {
  return std::max(std::abs(loss.derivative(margin - reach, label)), std::abs(loss.derivative(margin + reach, label)));
}

// Whether a record takes part: a rule on the record and public numbers alone.
template <class L>
bool takes_part(const L& loss, const OnePass& pass, double norm_squared, double label) {
  const double kappa = pass.step * norm_squared;
  if (!(kappa >= 0x1p-960 && kappa <= 0x1p960) || !std::isfinite(label)) return false;
  if (pass.rule == StepRule::clipped_gradient) return kappa * loss.curvature_bound() <= 1.999;
  if constexpr (std::same_as<L, PoissonLoss>) return std::sqrt(norm_squared) * std::abs(label) <= 0x1p16 * pass.clip;
  return true;
}

// The rows that take part, in order: what of a step does not depend on where the walk is.
template <class L, class T>
class Participants {
 public:
  struct Record {
    std::size_t index;
    const T* row = nullptr;
    double label = 0, kappa = 0, limit = 0, norm = 0;
  };

  Participants(const L& loss, const RowsOf<T>& rows, const double* labels, const double* inverse_norms,
               const OnePass& pass, const Domain& domain)
      : loss_(loss),
        rows_(rows),
        labels_(labels),
        inverse_norms_(inverse_norms),
        pass_(pass),
        shrunk_(shrunk_units(pass.clip, rows.columns, kClipSlack)),
        radius_(domain.radius()),
        centre_(padded_copy(domain.centre())) {}

  // The first at `index` or after it; its index is the number of rows if there is none.
  Record from(std::size_t index) const {
    for (; index < rows_.rows; ++index) {
      const T* row = rows_.data + index * rows_.stride;
      const double inverse = inverse_norms_[index], norm_squared = 1 / (inverse * inverse), label = labels_[index];
      if (inverse == 0 || !takes_part(loss_, pass_, norm_squared, label) || too_steep(row, label, 1 / inverse))
        continue;
      return {index, row, label, pass_.step * norm_squared, shrunk_ * inverse, 1 / inverse};
    }
    return {.index = rows_.rows};
  }

 private:
  bool too_steep(const T* row, double label, double norm) const {
    if (!std::isfinite(pass_.steepest)) return false;
    const double reach = radius_ * norm * (1 + 0x1p-20);
    const double slope = largest_slope(loss_, row_margin(row, centre_.data(), rows_.columns), reach, label);
    return !(slope * norm * (1 + 0x1p-20) <= pass_.steepest);
  }

  const L& loss_;
  const RowsOf<T>& rows_;
  const double *labels_, *inverse_norms_;
  const OnePass& pass_;
  double shrunk_, radius_;
  AlignedVector centre_;
};

// The slope of a step from where the row's margin is `margin`, within its limit; 0 where there is none.
template <class L, class Record>
double clipped_slope(const L& loss, StepRule rule, const Record& record, double margin) {
  const double slope = rule == StepRule::implicit ? loss.implicit_slope(margin, record.label, record.kappa)
                                                  : loss.derivative(margin, record.label);
  const double alpha = clamped(slope, -record.limit, record.limit);
  return alpha == alpha ? alpha : 0;
}

template <class L, class T>
void walk_rows(const L& loss, const RowsOf<T>& rows, const double* labels, const double* inverse_norms,
               const OnePass& pass, const Domain& domain, Walk& walk) {
  const Participants<L, T> participants(loss, rows, labels, inverse_norms, pass, domain);
  std::size_t counted = 0;  // iterates that are in the sum
  auto record = participants.from(0);
  double margin = record.row == nullptr ? 0 : row_margin(record.row, walk.padded_x(), rows.columns);
  while (record.index < rows.rows) {
    const auto next = participants.from(record.index + 1);
    const double alpha = clipped_slope(loss, pass.rule, record, margin);
    const Step<T> step{.row = record.row,
                       .scale = -pass.step * alpha,
                       .next = next.row == nullptr ? record.row : next.row,
                       .weight = static_cast<double>(record.index + 1 - counted)};
    margin = walk.step(step, pass.step * std::abs(alpha) * record.norm * (1 + 0x1p-20));
    counted = record.index + 1;
    record = next;
  }
  walk.stay(static_cast<double>(rows.rows - counted));
}

double distance(std::span<const double> x, std::span<const double> y) {
  double squares = 0;
  for (std::size_t j = 0; j < x.size(); ++j) squares += (x[j] - y[j]) * (x[j] - y[j]);
  return std::sqrt(squares);
}

// The proximal step of the Lipschitz extension of f (one_pass.md): with u(e) the implicit step of size e, u(step) if it
// is within step clip of x, else x - (step / e) (x - u(e)) for the e >= step with |x - u(e)| = e clip.
class ExtensionStep {
 public:
  ExtensionStep(const SampleStep& implicit_step, const OnePass& pass, const Domain& domain)
      : implicit_step_(implicit_step), pass_(pass), domain_(domain), u_(domain.dimension()) {}

  // False if the user's step is not finite: the sample is then left out.
  bool operator()(std::size_t row, std::span<const double> x, std::span<double> y) {
    double low = pass_.step;
    double away = move_by(row, x, low);
    if (!(away <= std::numeric_limits<double>::max())) return false;
    double e = low, high = low;
    if (away > low * pass_.clip) {
      do high *= 2;
      while (move_by(row, x, high) > high * pass_.clip && high < 0x1p1000);
      while (high - low > 0x1p-45 * high) {
        e = low + (high - low) / 2;
        (move_by(row, x, e) > e * pass_.clip ? low : high) = e;
      }
      e = high;
      away = move_by(row, x, e);
      if (!(away <= std::numeric_limits<double>::max())) return false;
    }
    const double ratio = pass_.step / e, longest = pass_.step * pass_.clip;
    const double shrink = ratio * away > longest ? longest / (ratio * away) : 1;
    for (std::size_t j = 0; j < x.size(); ++j) y[j] = x[j] - shrink * ratio * (x[j] - u_[j]);
    return true;
  }

 private:
  double move_by(std::size_t row, std::span<const double> x, double e) {
    std::ranges::fill(u_, 0.0);
    implicit_step_(row, x, e, u_);
    const DefaultFloatEnvironment environment;  // a callback may have changed it
    for (const double part : u_)
      if (!std::isfinite(part)) return std::numeric_limits<double>::infinity();
    static_cast<void>(domain_.project(u_).ok());
    return distance(x, u_);
  }

  const SampleStep& implicit_step_;
  const OnePass& pass_;
  const Domain& domain_;
  std::vector<double> u_;
};

}  // namespace

Result<SensitiveSum> Engine::one_pass_average(const Samples& samples, const Domain& domain,
                                              std::span<const double> start, const OnePass& pass, Gdp cost) try {
  TAILCOAT_CHECK(check_pass(samples, domain, start, pass));
  TAILCOAT_CHECK(check_unweighted(samples, "a one-pass average"));
  const auto n = static_cast<double>(samples.size());
  const Geometry geometry(domain, pass.step * pass.clip);
  double error = geometry.step_error(samples.dimension(), slope_error(samples.glm_loss()));
  Walk walk(domain, start, geometry);
  const DefaultFloatEnvironment environment;
  if (const Loss* any_loss = samples.glm_loss()) {
    TAILCOAT_CHECK(check_loss(*any_loss));
    const double curvature = std::visit([](const auto& loss) { return loss.curvature_bound(); }, *any_loss);
    if (pass.rule == StepRule::clipped_gradient && !std::isfinite(curvature))
      return refusal(
          fmt::format("clipped gradient steps need a smooth loss: {} has no curvature bound; use implicit "
                      "steps",
                      loss_name(*any_loss)));
    const auto& contents = SensitiveKey::open(samples.data_->features_.contents_);
    const double* labels = SensitiveKey::open(samples.data_->labels_).data() + samples.first_;
    const double* norms = contents.inverse_norms.data() + samples.first_;
    std::visit(
        [&]<class T>(const auto& loss, const RowsOf<T>& all_rows) {
          const RowsOf<T> rows{all_rows.data + samples.first_ * all_rows.stride, samples.size(), all_rows.columns,
                               all_rows.stride};
          walk_rows(loss, rows, labels, norms, pass, domain, walk);
        },
        *any_loss, contents.features);
  } else {
    const SampleFunctions& functions = *samples.functions();
    if (pass.rule != StepRule::implicit)
      return refusal("clipped gradient steps expand for losses that are no GLM (Appendix B of the paper)");
    if (!functions.implicit_step)
      return usage_error("this algorithm needs the implicit_step of a sample; give SampleFunctions one");
    if (std::isfinite(pass.steepest)) return usage_error("samples are left out by their slope for GLMs only");
    if (!(functions.step_error >= 0)) return usage_error("step_error must not be negative");
    error += extension_error(geometry, functions.step_error);
    ExtensionStep extension(functions.implicit_step, pass, domain);
    std::vector<double> y(samples.dimension());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const bool moved = extension(samples.first_ + i, walk.x(), y);
      moved ? walk.move_to(y) : walk.stay();
    }
  }
  // Replace-one: two walks split by at most 2 step clip, at one step; the average has n - 1 iterates after it at most.
  const double sensitivity = add_up(mul_up(mul_up(2, mul_up(pass.step, pass.clip)), sub_up(1, div_down(1, n))),
                                    2 * (n * error + geometry.summation_error(n)));
  const double furthest = std::min(2 * geometry.radius, n * pass.step * pass.clip) + sensitivity;
  return point_on_lattice(walk.average(samples.size()), start, sensitivity, furthest, cost);
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace tailcoat
