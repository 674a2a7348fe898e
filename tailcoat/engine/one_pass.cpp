#include "tailcoat/engine/one_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "tailcoat/base/option.hpp"
#include "tailcoat/base/rounding.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/float_environment.hpp"
#include "tailcoat/engine/kernels.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

constexpr NumberOption kStepOption{.name = "step", .meaning = "step size", .lowest = 0x1p-300, .highest = 0x1p300};
constexpr NumberOption kSteepestOption{.name = "steepest",
                                       .meaning = "largest Lipschitz constant of a sample that takes part",
                                       .lowest = 0,
                                       .open_below = true};

constexpr double kRoundoff = 0x1p-53;
constexpr double kSlopeError = 0x1p-34;  // relative to the clip, of a slope within it (one_pass.md)

double norm(std::span<const double> x) {
  double sum = 0;
  for (const double part : x) sum = add_up(sum, mul_up(part, part));
  return sqrt_up(sum);
}

// Every point of the domain is in the ball around its centre; no point has a norm above `size`.
struct Geometry {
  double radius, size, projection_error;

  Geometry(const Domain& domain, double move)
      : radius(domain.radius()),
        size(add_up(norm(domain.centre()), radius)),
        projection_error(domain.projection_error(move)) {}
};

// What one step on the machine may differ from the step in real numbers (one_pass.md, "Float errors").
double step_error(const OnePass& pass, const Geometry& geometry, std::size_t dimension) {
  const double move = pass.step * pass.clip;
  return 8 * (static_cast<double>(dimension) + 16) * kRoundoff * (geometry.size + move) + 2 * kSlopeError * move +
         geometry.projection_error;
}

// The Lipschitz extension is found by a search in which an error s of the user's step counts as its square root.
double extension_error(const OnePass& pass, const Geometry& geometry, double user_error) {
  const double move = pass.step * pass.clip;
  const double s = user_error + 64 * kRoundoff * (geometry.size + move);
  return std::sqrt(2 * move * s) + 2 * s + 0x1p-38 * move;
}

Result<void> check_pass(const Samples& samples, const Domain& domain, std::span<const double> start,
                        const OnePass& pass) {
  TAILCOAT_CHECK(check(kStepOption, pass.step));
  TAILCOAT_CHECK(check(kClipThresholdOption, pass.clip));
  if (pass.steepest != std::numeric_limits<double>::infinity()) TAILCOAT_CHECK(check(kSteepestOption, pass.steepest));
  if (samples.size() < 2)
    return usage_error(
        fmt::format("a pass over {} samples has no average to release; give at least 2", samples.size()));
  if (domain.dimension() != samples.dimension() || start.size() != samples.dimension())
    return usage_error(fmt::format("samples of dimension {}, a domain of {} and a start of {}; they must be the same",
                                   samples.dimension(), domain.dimension(), start.size()));
  if (!domain.contains(start, 1e-9 * domain.diameter()))
    return usage_error("the start of a pass is not in the domain; project it first");
  if (!std::isfinite(domain.projection_error(0)))
    return refusal("one-pass algorithms need a domain whose projection is exact: a ball, a box or a simplex");
  return {};
}

// Iterates, their sum, and the domain they stay in.
class Walk {
 public:
  Walk(const Domain& domain, std::span<const double> start)
      : domain_(domain), x_(padded_copy(start)), sum_(x_.size()), dimension_(start.size()) {}

  [[nodiscard]] std::span<double> x() { return {x_.data(), dimension_}; }
  [[nodiscard]] const double* padded_x() const { return x_.data(); }

  void stay() {
    for (std::size_t j = 0; j < dimension_; ++j) sum_[j] += x_[j];
  }

  // x += scale row, a move of length at most `length`.
  template <class T>
  void step(const T* row, double scale, double length) {
    add_and_step(row, scale, dimension_, x_.data(), sum_.data());
    return_to_domain(length);
  }

  void move_to(std::span<const double> y) {
    stay();
    std::ranges::copy(y, x_.begin());
  }

  [[nodiscard]] std::vector<double> average(std::size_t count) const {
    std::vector<double> result(sum_.begin(), sum_.begin() + static_cast<std::ptrdiff_t>(dimension_));
    for (double& part : result) part /= static_cast<double>(count);
    return result;
  }

 private:
  // In a ball the distance to the boundary is known after a projection, and shrinks by no more than the moves: most
  // steps need not look.
  void return_to_domain(double length) {
    if (room_ >= length) {
      room_ -= length;
      return;
    }
    static_cast<void>(domain_.project(x()).ok());  // finite, of the right dimension: cannot fail
    if (const Ball* ball = domain_.as_ball()) {
      double squares = 0;
      for (std::size_t j = 0; j < dimension_; ++j) {
        const double away = x_[j] - ball->centre()[j];
        squares += away * away;
      }
      room_ = std::max(0.0, ball->radius() - std::sqrt(squares)) * 0.999;
    }
  }

  const Domain& domain_;
  AlignedVector x_, sum_;
  std::size_t dimension_;
  double room_ = 0;  // how far x may move and certainly stay in the domain
};

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

template <class L, class T>
void walk_rows(const L& loss, const RowsOf<T>& rows, const double* labels, const double* inverse_norms,
               const OnePass& pass, const Domain& domain, Walk& walk) {
  const std::size_t d = rows.columns;
  const double shrunk = shrunk_units(pass.clip, d, kClipSlack);
  const AlignedVector centre = padded_copy(domain.centre());
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const T* row = rows.data + i * rows.stride;
    const double inverse = inverse_norms[i], norm_squared = 1 / (inverse * inverse);
    if (inverse == 0 || !takes_part(loss, pass, norm_squared, labels[i])) {
      walk.stay();
      continue;
    }
    if (std::isfinite(pass.steepest)) {
      const double reach = domain.radius() / inverse * (1 + 0x1p-20);
      const double slope = largest_slope(loss, row_margin(row, centre.data(), d), reach, labels[i]);
      if (!(slope / inverse * (1 + 0x1p-20) <= pass.steepest)) {
        walk.stay();
        continue;
      }
    }
    const double margin = row_margin(row, walk.padded_x(), d);
    const double slope = pass.rule == StepRule::implicit
                             ? loss.implicit_slope(margin, labels[i], pass.step * norm_squared)
                             : loss.derivative(margin, labels[i]);
    const double limit = shrunk * inverse, alpha = clamped(slope, -limit, limit);
    if (alpha == alpha)
      walk.step(row, -pass.step * alpha, pass.step * std::abs(alpha) / inverse * (1 + 0x1p-20));
    else
      walk.stay();
  }
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
  const auto n = static_cast<double>(samples.size());
  const Geometry geometry(domain, pass.step * pass.clip);
  double error = step_error(pass, geometry, samples.dimension());
  Walk walk(domain, start);
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
    error += extension_error(pass, geometry, functions.step_error);
    ExtensionStep extension(functions.implicit_step, pass, domain);
    std::vector<double> y(samples.dimension());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const bool moved = extension(samples.first_ + i, walk.x(), y);
      moved ? walk.move_to(y) : walk.stay();
    }
  }
  // Replace-one: two walks split by at most 2 step clip, at one step; the average has n - 1 iterates after it at most.
  const double summation = 4 * (n + 16) * kRoundoff * geometry.size;
  const double sensitivity =
      add_up(mul_up(mul_up(2, mul_up(pass.step, pass.clip)), sub_up(1, div_down(1, n))), 2 * (n * error + summation));
  const double furthest = std::min(2 * geometry.radius, n * pass.step * pass.clip) + sensitivity;
  return point_on_lattice(walk.average(samples.size()), start, sensitivity, furthest, cost);
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace tailcoat
