#include "tailcoat/estimators/fit_notes.hpp"

#include <fmt/format.h>

#include "tailcoat/estimators/feature_choice.hpp"

namespace tailcoat {

std::vector<std::string> notes_on_features(const Model& model) {
  std::vector<std::string> faint, bent, notes;
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    const Feature& feature = model.features[j];
    if (feature.kind == FeatureKind::beyond && !is_fitted(model, j)) faint.push_back(feature_name(feature));
    if (feature.kind == FeatureKind::below) bent.push_back(feature.column);
  }
  if (!faint.empty()) notes.push_back(fmt::format("left out as too faint to tell from noise: {}", listed(faint)));
  if (!bent.empty())
    notes.push_back(fmt::format(
        "{} {}: which columns do is told from noisy numbers, and intervals take that as given; another run may bend "
        "others, and then slopes mean something else",
        listed(bent), bent.size() == 1 ? "bends" : "bend"));
  return notes;
}

}  // namespace tailcoat
