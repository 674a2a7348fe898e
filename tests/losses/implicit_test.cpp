#include <gtest/gtest.h>

#include <array>

#include "reference.hpp"

namespace tailcoat {
namespace {

using reference::all_losses;
using reference::larger;
using reference::Slopes;
using reference::smaller;
using reference::Wide;

double derivative(const Loss& loss, double t, double y) {
  return std::visit([&](const auto& l) { return l.derivative(t, y); }, loss);
}
double implicit_slope(const Loss& loss, double t, double y, double kappa) {
  return std::visit([&](const auto& l) { return l.implicit_slope(t, y, kappa); }, loss);
}
double clip(double alpha, double limit) { return std::min(std::max(alpha, -limit), limit); }
Slopes clip(const Slopes& slopes, double limit) {
  const auto clipped = [&](const Wide& slope) { return larger(-Wide(limit), smaller(limit, slope)); };
  return {clipped(slopes.lower), clipped(slopes.upper)};
}

rc::Gen<double> step_size() {
  const auto positive = [](rc::Gen<double> gen) {
    return rc::gen::map(std::move(gen), [](double k) { return std::abs(k); });
  };
  return rc::gen::oneOf(positive(reference::log_uniform(-6, 6)), positive(reference::log_uniform(-320, 308.2)),
                        rc::gen::element(0.0, 5e-324, 1e-320, 1.0, 1e308, kLargestDouble));
}

struct Case {
  double t, y, kappa;
};

// Arguments on every scale, and the places where t - kappa alpha cancels.
Case any_case(const Loss& loss) {
  Case c{*reference::margin(), *reference::label(loss), *step_size()};
  const int special = *rc::gen::element(0, 1, 2, 3, 4, 5, 6, 7);
  const double part = *reference::log_uniform(-1, 0.1);
  if (special == 0) c.t = c.kappa * part;
  if (special == 1) c.t = c.y;
  if (special == 2 && std::holds_alternative<PoissonLoss>(loss) && c.y > 0) c.t = std::log(c.y) * (1 + 1e-3 * part);
  if (special == 3) c.t = -c.kappa * c.y * std::abs(part);
  c.t = saturate(c.t);
  return c;
}

// What rounding t and y alone would do to alpha, up to a factor.
Wide error_scale(const Loss& loss, const Case& c, double alpha) {
  Wide scale = abs(Wide(alpha));
  if (std::holds_alternative<PoissonLoss>(loss)) {
    const Wide mean = larger(Wide(alpha) + c.y, Wide(1e-300));
    scale += mean * (1 + abs(log(mean))) / (1 + Wide(c.kappa) * mean);
  }
  return scale;
}

// alpha - slope(t - kappa alpha) increases in alpha, so its signs at alpha -+ slack tell whether the exact solution is
// that near.
void expect_solution_within(const Loss& loss, const Case& c, double alpha, const Wide& slack, double limit) {
  const Wide below = Wide(alpha) - slack, above = Wide(alpha) + slack;
  RC_ASSERT(below <= clip(reference::slopes(loss, c.t - c.kappa * below, c.y), limit).upper);
  RC_ASSERT(above >= clip(reference::slopes(loss, c.t - c.kappa * above, c.y), limit).lower);
}

bool residual_overflows(const Loss& loss, const Case& c) {
  return !reference::is_classification(loss) && !std::isfinite(c.t - c.y);
}

TEST(ImplicitSlope, IsTheExactSolutionToFifteenDigits) {
  for (const Loss& loss : all_losses()) {
    EXPECT_TRUE(rc::check(loss_name(loss), [&] {
      const Case c = any_case(loss);
      RC_PRE(!residual_overflows(loss, c));
      const double alpha = implicit_slope(loss, c.t, c.y, c.kappa);
      RC_ASSERT(std::isfinite(alpha));
      expect_solution_within(loss, c, alpha, 1e-15 * error_scale(loss, c, alpha) + 1e-303, kLargestDouble);
    }));
  }
}

TEST(ImplicitSlope, ClippedIsThatOfTheHuberisedLoss) {
  for (const Loss& loss : all_losses()) {
    EXPECT_TRUE(rc::check(loss_name(loss), [&] {
      const Case c = any_case(loss);
      RC_PRE(!residual_overflows(loss, c));
      const double limit = std::abs(*reference::log_uniform(-6, 6));
      const double alpha = clip(implicit_slope(loss, c.t, c.y, c.kappa), limit);
      expect_solution_within(loss, c, alpha, 1e-15 * error_scale(loss, c, alpha) + 1e-303, limit);
    }));
  }
}

TEST(ImplicitSlope, WithoutAStepIsTheDerivative) {
  for (const Loss& loss : all_losses()) {
    EXPECT_TRUE(rc::check(loss_name(loss), [&] {
      const double y = *reference::label(loss), t = *reference::margin();
      const auto [lower, upper] = reference::slopes(loss, t, y);
      RC_PRE(lower == upper);  // at a kink either has its own subgradient
      const double slope = derivative(loss, t, y);
      RC_ASSERT(std::abs(implicit_slope(loss, t, y, 0) - slope) <= 1e-15 * (std::abs(slope) + std::abs(y)) + 1e-303);
    }));
  }
}

using Vector = std::array<double, 3>;

double inner(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double norm(const Vector& a) { return std::sqrt(inner(a, a)); }
Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

struct Sample {
  Vector row;
  double label;
};
struct Step {
  double eta, clip_threshold;
};

Vector move(const Vector& x, const Sample& s, const Step& step, double slope) {
  const double alpha = clip(slope, step.clip_threshold / norm(s.row));
  Vector moved = x;
  for (std::size_t i = 0; i < 3; ++i) moved[i] -= step.eta * alpha * s.row[i];
  return moved;
}
Vector implicit_step(const Loss& loss, const Vector& x, const Sample& s, const Step& step) {
  return move(x, s, step, implicit_slope(loss, inner(s.row, x), s.label, step.eta * inner(s.row, s.row)));
}
Vector explicit_step(const Loss& loss, const Vector& x, const Sample& s, const Step& step) {
  return move(x, s, step, derivative(loss, inner(s.row, x), s.label));
}

Vector any_vector(double size) {
  const auto entry = [&] { return size * *reference::log_uniform(-3, 0); };
  const double first = entry(), second = entry();
  return {first, second, entry()};
}

Step any_step() { return {std::abs(*reference::log_uniform(-3, 4)), std::abs(*reference::log_uniform(-2, 3))}; }

TEST(ImplicitStep, IsNonexpansiveForEveryStepSize) {
  for (const Loss& loss : all_losses()) {
    EXPECT_TRUE(rc::check(loss_name(loss), [&] {
      const Sample s{any_vector(30), *reference::label(loss)};
      const Step step = any_step();
      const Vector x = any_vector(10), other = any_vector(10);
      const Vector moved = implicit_step(loss, x, s, step), moved_other = implicit_step(loss, other, s, step);
      // Rounding is proportional to the points and to the steps, not to their difference.
      const double rounding = 1e-14 * (norm(x) + norm(other) + norm(moved) + norm(moved_other));
      RC_ASSERT(norm(minus(moved, moved_other)) <= norm(minus(x, other)) * (1 + 1e-12) + rounding);
    }));
  }
}

TEST(ImplicitStep, MovesByAtMostEtaTimesTheClipThreshold) {
  for (const Loss& loss : all_losses()) {
    EXPECT_TRUE(rc::check(loss_name(loss), [&] {
      const Sample s{any_vector(30), *reference::label(loss)};
      const Step step = any_step();
      const Vector x = any_vector(10);
      const double moved = norm(minus(implicit_step(loss, x, s, step), x));
      RC_ASSERT(moved <= step.eta * step.clip_threshold * (1 + 1e-14) + 1e-15 * norm(x));
    }));
  }
}

// The same step with the derivative at the old point pushes two near points apart: clipping does not make it safe.
TEST(ImplicitStep, IsNeededBecauseTheExplicitClippedStepExpands) {
  const Sample s{{10, 0, 0}, 1};
  const Step step{1, 100};
  for (const Loss& loss :
       {Loss{SquaredLoss{}}, Loss{LogisticLoss{}}, Loss{PoissonLoss{}}, Loss{HuberLoss{}}, Loss{AbsoluteLoss{}},
        Loss{QuantileLoss{}}, Loss{HingeLoss{}}, Loss{SmoothedHingeLoss{}}, Loss{SquaredHingeLoss{}}}) {
    const double kink = reference::is_classification(loss) && !std::holds_alternative<LogisticLoss>(loss) ? 0.1 : 0.0;
    const double centre = reference::is_classification(loss) || std::holds_alternative<PoissonLoss>(loss) ? kink : 0.1;
    const Vector x{centre - 0.01, 0, 0}, other{centre + 0.01, 0, 0};
    const double before = norm(minus(x, other));
    EXPECT_GT(norm(minus(explicit_step(loss, x, s, step), explicit_step(loss, other, s, step))), 10 * before)
        << loss_name(loss);
    EXPECT_LE(norm(minus(implicit_step(loss, x, s, step), implicit_step(loss, other, s, step))), before * (1 + 1e-12))
        << loss_name(loss);
  }
}

}  // namespace
}  // namespace tailcoat
