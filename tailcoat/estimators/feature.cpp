#include "tailcoat/estimators/feature.hpp"

#include <fmt/format.h>

#include "tailcoat/data/text.hpp"

namespace tailcoat {

const char* kind_name(FeatureKind kind) {
  switch (kind) {
    case FeatureKind::number:
      return "number";
    case FeatureKind::below:
      return "below";
    case FeatureKind::above:
      return "above";
    case FeatureKind::beyond:
      return "beyond";
    case FeatureKind::level:
      return "level";
    case FeatureKind::other:
      return "other";
    case FeatureKind::nonzero:
      return "nonzero";
    case FeatureKind::missing:
      return "missing";
  }
  return "";
}

std::string feature_name(const Feature& feature) {
  switch (feature.kind) {
    case FeatureKind::number:
      return feature.column;
    case FeatureKind::below:
      return fmt::format("{} below {:.4g}", feature.column, feature.high);
    case FeatureKind::above:
      return fmt::format("{} above {:.4g}", feature.column, feature.low);
    case FeatureKind::beyond:
      if (!has_both_ends(feature)) return fmt::format("{} beyond {:.4g}", feature.column, only_end(feature));
      return fmt::format("{} beyond {:.4g} to {:.4g}", feature.column, feature.knot_low, feature.knot_high);
    case FeatureKind::level:
      return fmt::format("{}={}", feature.column, feature.level);
    case FeatureKind::other:
      return fmt::format("{} is other", feature.column);
    case FeatureKind::nonzero:
      return fmt::format("{} is not 0", feature.column);
    case FeatureKind::missing:
      return fmt::format("{} is missing", feature.column);
  }
  return feature.column;
}

Result<void> check_feature(const Feature& feature) {
  const std::string name = in_quotes(feature_name(feature));
  if (feature.column.empty()) return usage_error("a feature has no column; name the one that it is made from");
  if (!std::isfinite(feature.centre))
    return usage_error(fmt::format("feature {}: the centre is {}; it must be finite", name, feature.centre));
  if (!(feature.scale > 0 && std::isfinite(feature.scale)))
    return usage_error(fmt::format("feature {}: the scale is {}; it must be positive", name, feature.scale));
  if (!(feature.low <= feature.high)) {
    return usage_error(fmt::format("feature {}: the limits are {} and {}; the first must not be above the second", name,
                                   feature.low, feature.high));
  }
  const bool knots = std::isfinite(feature.knot_low) && std::isfinite(feature.knot_high);
  if (!(knots && feature.knot_low <= feature.knot_high)) {
    return usage_error(fmt::format("feature {}: the knots are {} and {}; they must be finite and in order", name,
                                   feature.knot_low, feature.knot_high));
  }
  return {};
}

}  // namespace tailcoat
