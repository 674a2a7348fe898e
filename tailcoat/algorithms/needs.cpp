#include "tailcoat/algorithms/needs.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tailcoat {
namespace {

Result<void> check_own_loss(OwnLoss needed, std::string_view algorithm, const Setting& setting) {
  const bool smooth = std::isfinite(setting.smoothness);
  if (needed == OwnLoss::none)
    return refusal(
        fmt::format("{} is for generalised linear models, and this loss is none; use implicit, localized or another "
                    "algorithm for any convex loss",
                    algorithm));
  if (needed == OwnLoss::implicit_step && !setting.given.implicit_step && !(setting.given.gradient && smooth))
    return refusal(
        fmt::format("{} needs the implicit_step of a sample and its step-error, or its gradient and a finite "
                    "smoothness, and neither is given",
                    algorithm));
  if (needed == OwnLoss::implicit_step) return {};
  if (!setting.given.gradient)
    return refusal(fmt::format("{} needs the gradient of a sample, which is an empty function", algorithm));
  if (needed == OwnLoss::smooth_gradient && !smooth)
    return refusal(
        fmt::format("{} needs the smoothness of a loss that is no generalised linear model, and smoothness = inf; give "
                    "one, or use localized, which needs none",
                    algorithm));
  return {};
}

}  // namespace

Result<void> check(const Needs& needs, std::string_view algorithm, const Setting& setting) {
  if (!setting.generalised_linear) return check_own_loss(needs.own_loss, algorithm, setting);
  if (needs.strongly_convex_samples && setting.strong_convexity > 0)
    return refusal(
        fmt::format("{} needs every sample loss to be strongly convex, and strong-convexity = {} cannot hold for that "
                    "of a generalised linear model: it is a function of one margin; leave it out, or use localized, "
                    "which needs it of the mean alone",
                    algorithm, setting.strong_convexity));
  return {};
}

}  // namespace tailcoat
