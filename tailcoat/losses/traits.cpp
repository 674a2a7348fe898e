#include "tailcoat/losses/traits.hpp"

#include <algorithm>

namespace tailcoat {
namespace {

using enum LossTraits::Target;
using enum LossTraits::Link;
using enum LossTraits::Curvature;

LossTraits row(const SquaredLoss&) { return {.mean_start = true, .levelled = true}; }
LossTraits row(const HuberLoss&) { return {.curvature = scale, .bounded_slope = true}; }
LossTraits row(const AbsoluteLoss&) {
  return {.curvature = kink, .kink_jump = 2, .least_clip = 1, .bounded_slope = true};
}
LossTraits row(const QuantileLoss& loss) {
  return {.curvature = kink,
          .kink_jump = 1,
          .least_clip = std::max(loss.level, 1 - loss.level),
          .bounded_slope = true,
          .levelled = true};
}
LossTraits row(const LogisticLoss&) {
  return {.target = classes,
          .link = logit,
          .curvature = likelihood,
          .least_clip = 0.4,
          .bounded_slope = true,
          .mean_start = true,
          .levelled = true};
}
LossTraits row(const PoissonLoss&) {
  return {.target = count, .link = log, .curvature = likelihood, .least_clip = 1, .mean_start = true, .levelled = true};
}
LossTraits row(const HingeLoss&) {
  return {.target = classes, .curvature = kink, .kink_jump = 1, .bounded_slope = true, .zero_gradients = true};
}
LossTraits row(const SmoothedHingeLoss&) { return {.target = classes, .bounded_slope = true, .zero_gradients = true}; }
LossTraits row(const SquaredHingeLoss&) { return {.target = classes, .zero_gradients = true}; }
LossTraits row(const LinearLoss&) { return {.bounded_slope = true}; }

}  // namespace

LossTraits traits_of(const Loss& loss) {
  return std::visit([](const auto& each) { return row(each); }, loss);
}

}  // namespace tailcoat
