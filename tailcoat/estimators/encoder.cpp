#include "tailcoat/estimators/encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "tailcoat/data/frame.hpp"
#include "tailcoat/data/text.hpp"

namespace tailcoat {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<void> check_distinct(std::span<const Feature> features) {
  std::set<std::tuple<std::string_view, FeatureKind, std::string_view>> seen;
  for (const Feature& feature : features) {
    if (seen.emplace(feature.column, feature.kind, feature.level).second) continue;
    return usage_error(fmt::format("feature {} appears twice; name it once", in_quotes(feature_name(feature))));
  }
  return {};
}

Result<void> check_kind(const Feature& feature, const Column& column) {
  const bool needs_numbers =
      is_slope(feature.kind) || feature.kind == FeatureKind::beyond || feature.kind == FeatureKind::nonzero;
  if (needs_numbers && column.kind == ColumnKind::text) {
    return usage_error(fmt::format("column {} holds texts, but feature {} needs numbers; read it as numbers",
                                   in_quotes(column.name), in_quotes(feature_name(feature))));
  }
  if (is_of_text(feature.kind) && column.kind == ColumnKind::number) {
    return usage_error(fmt::format("column {} holds numbers, but feature {} needs texts; read it as texts",
                                   in_quotes(column.name), in_quotes(feature_name(feature))));
  }
  return {};
}

}  // namespace

NeededColumns needed_columns(std::span<const Feature> features) {
  NeededColumns needed;
  for (const Feature& feature : features) {
    if (!contains(needed.all, feature.column)) needed.all.push_back(feature.column);
    if (is_of_text(feature.kind) && !contains(needed.texts, feature.column)) needed.texts.push_back(feature.column);
  }
  return needed;
}

Result<RowEncoder> RowEncoder::create(std::span<const Feature> features, std::span<const Column> columns) {
  TAILCOAT_CHECK(check_distinct(features));
  RowEncoder encoder(columns, features.size());
  for (std::size_t j = 0; j < features.size(); ++j) TAILCOAT_CHECK(encoder.add(features[j], j));
  return encoder;
}

Result<void> RowEncoder::add(const Feature& feature, std::size_t place) {
  TAILCOAT_CHECK(check_feature(feature));
  TAILCOAT_TRY(column, find_column(columns_, feature.column));
  TAILCOAT_CHECK(check_kind(feature, columns_[column]));
  if (is_slope(feature.kind)) {
    numbers_.push_back({column, place, feature.centre, feature.low, feature.high});
    return {};
  }
  if (feature.kind == FeatureKind::beyond) {
    beyond_.push_back({column, place, feature});
    return {};
  }
  if (feature.kind == FeatureKind::nonzero) {
    nonzero_.push_back({column, place, feature.centre});
    return {};
  }
  if (feature.kind == FeatureKind::missing) {
    missing_.push_back({column, place});
    return {};
  }
  auto texts = std::find_if(texts_.begin(), texts_.end(), [&](const Texts& of) { return of.column == column; });
  if (texts == texts_.end()) texts = texts_.insert(texts_.end(), Texts{column, {}, {}, {}, kUnknown});
  const auto here = static_cast<std::uint32_t>(texts->levels.size());
  if (feature.kind == FeatureKind::other)
    texts->none = here;
  else
    texts->known.emplace(feature.level, here);
  texts->levels.push_back({place, feature.centre});
  return {};
}

std::uint32_t RowEncoder::place(Texts& texts, double cell) const {
  const std::vector<std::string>& levels = columns_[texts.column].levels;
  const std::size_t index = level_of(cell, levels.size());
  if (index == levels.size()) return texts.none;
  if (index >= texts.place_of.size()) {
    for (std::size_t i = texts.place_of.size(); i < levels.size(); ++i) {
      const auto found = texts.known.find(levels[i]);
      texts.place_of.push_back(found == texts.known.end() ? texts.none : found->second);
    }
  }
  return texts.place_of[index];
}

void RowEncoder::encode_text(Texts& texts, std::span<const double> cells, std::span<double> values) const {
  const std::uint32_t here = place(texts, cells[texts.column]);
  if (here == kUnknown) {
    for (const Level& level : texts.levels) values[level.feature] = level.centre;
    return;
  }
  for (const Level& level : texts.levels) values[level.feature] = 0;
  values[texts.levels[here].feature] = 1;
}

}  // namespace tailcoat
