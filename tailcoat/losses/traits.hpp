// LossTraits: what a fit has to know of a loss beside its values, one row of a table (traits.cpp). Nothing above this
// folder asks which loss it has.
#pragma once

#include "tailcoat/losses/loss.hpp"

namespace tailcoat {

struct LossTraits {
  enum class Target { number, count, classes };
  enum class Link { identity, log, logit };  // from the margin to what is predicted
  // How the second derivative of the mean loss is known at a point: it is 1; it is the second moment of the gradients
  // at the truth of a likelihood; it is the density of residuals at a kink; it is the share of residuals within a
  // scale.
  enum class Curvature { one, likelihood, kink, scale };

  Target target = Target::number;
  Link link = Link::identity;
  Curvature curvature = Curvature::one;
  double kink_jump = 0;  // of the derivative
  // A smaller clip, times the norm of a typical row, would cut the long gradients on one side of the fit, those of a
  // rare class or beyond a quantile, and leave those on the other side.
  double least_clip = 0;
  bool bounded_slope = false;   // two losses differ by no more than the margins do
  bool zero_gradients = false;  // rows well on their side have none
  bool mean_start = false;      // where a fit starts is the best constant
  bool levelled = false;        // clipping moves the level, which a release of its own puts right

  // An error of the margin is a factor of what is predicted, or of the odds.
  [[nodiscard]] bool exponential() const { return link != Link::identity; }
  [[nodiscard]] bool sees_residuals() const { return curvature == Curvature::kink || curvature == Curvature::scale; }
};

LossTraits traits_of(const Loss&);

}  // namespace tailcoat
