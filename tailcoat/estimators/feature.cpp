#include "tailcoat/estimators/feature.hpp"

#include <fmt/format.h>

namespace tailcoat {

std::string feature_name(const Feature& feature) {
  switch (feature.kind) {
    case FeatureKind::number:
      return feature.column;
    case FeatureKind::level:
      return fmt::format("{}={}", feature.column, feature.level);
    case FeatureKind::missing:
      return fmt::format("{} is missing", feature.column);
  }
  return feature.column;
}

}  // namespace tailcoat
