// The GLM losses. A loss is a convex function phi of the margin t = <a, x> and the label y; the sample loss is
// f(x; (a, y)) = phi(<a, x>; y). Each loss is a small value type with the four functions of GlmLoss. They are total:
// finite for all finite arguments, saturating instead of overflowing. NaN gives NaN. Formulas and proofs: losses.md.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <variant>

#include "tailcoat/base/result.hpp"
#include "tailcoat/losses/absolute.hpp"
#include "tailcoat/losses/hinge.hpp"
#include "tailcoat/losses/huber.hpp"
#include "tailcoat/losses/linear.hpp"
#include "tailcoat/losses/logistic.hpp"
#include "tailcoat/losses/poisson.hpp"
#include "tailcoat/losses/quantile.hpp"
#include "tailcoat/losses/smoothed_hinge.hpp"
#include "tailcoat/losses/squared.hpp"
#include "tailcoat/losses/squared_hinge.hpp"

namespace tailcoat {

template <class L>
concept GlmLoss = requires(const L& loss, double t, double y, double kappa) {
  { loss.value(t, y) } -> std::same_as<double>;
  { loss.derivative(t, y) } -> std::same_as<double>;   // a subgradient where phi has a kink
  { loss.curvature_bound() } -> std::same_as<double>;  // sup phi'', infinity if there is none
  // The alpha with alpha in dphi(t - kappa alpha), 0 <= kappa < infinity. With kappa = eta |a|^2, x - eta alpha a is
  // the implicit (proximal) step of size eta from x; with alpha clipped to +-C/|a| it is that of the loss clipped to
  // norm C.
  { loss.implicit_slope(t, y, kappa) } -> std::same_as<double>;
};

using Loss = std::variant<SquaredLoss, LogisticLoss, PoissonLoss, HuberLoss, AbsoluteLoss, QuantileLoss, HingeLoss,
                          SmoothedHingeLoss, SquaredHingeLoss, LinearLoss>;

// "squared", "huber:1.5", "quantile:0.9", ...; the error lists what there is.
Result<Loss> parse_loss(std::string_view text);
// What parse_loss reads back as the same loss.
std::string loss_name(const Loss&);
// Refuses a parameter out of range, which only a loss put together by hand can have.
Result<void> check_loss(const Loss&);

}  // namespace tailcoat
