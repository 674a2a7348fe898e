#include "tailcoat/estimators/fit_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tailcoat/data/text.hpp"
#include "tailcoat/mechanisms/frequent_levels.hpp"

namespace tailcoat {
namespace {

constexpr double kMostOdds = 8, kMostRate = 4;  // effect of one number on a margin in an exponent

Result<void> check_kind(const Frame& frame, const std::string& name, ColumnKind kind, const char* use) {
  TAILCOAT_TRY(position, frame.index_of(name));
  if (frame.columns[position].kind == kind) return {};
  return usage_error(fmt::format("column {} is read as {}, but {} must be {}", in_quotes(name),
                                 kind == ColumnKind::text ? "numbers" : "texts", use,
                                 kind == ColumnKind::text ? "texts" : "numbers"));
}

bool is_finite(const Estimate& estimate) { return std::isfinite(estimate.value); }
bool is_finite(const Curve& curve) {
  return std::isfinite(curve.knot) && std::isfinite(curve.below) && std::isfinite(curve.above);
}

}  // namespace

Result<void> check(const Frame& frame, const FitOptions& options) {
  TAILCOAT_CHECK(check(frame));
  TAILCOAT_CHECK(check_loss(options.loss));
  TAILCOAT_CHECK(check(kConfidenceOption, options.confidence));
  if (std::holds_alternative<LinearLoss>(options.loss)) return usage_error("loss linear has no best model");
  TAILCOAT_CHECK(check_kind(frame, options.target,
                            predicts_classes(options.loss) ? ColumnKind::text : ColumnKind::number,
                            "the target of this loss"));
  TAILCOAT_CHECK(check_apart(frame, options.target));
  if (options.diagnose && (is_count(options.loss) || std::holds_alternative<HingeLoss>(options.loss)))
    return usage_error(fmt::format("no diagnosis for {} loss; there is one for numbers and for logistic models",
                                   loss_name(options.loss)));
  if (!options.exposure.empty()) {
    TAILCOAT_CHECK(check_kind(frame, options.exposure, ColumnKind::number, "the exposure"));
    if (!is_count(options.loss) || options.exposure == options.target)
      return usage_error("an exposure is for poisson loss, and is not the target");
  }
  for (const auto& [name, levels] : options.levels) {
    TAILCOAT_CHECK(check_kind(frame, name, ColumnKind::text, "a column with levels"));
    if (std::set<std::string>(levels.begin(), levels.end()).size() != levels.size())
      return usage_error(fmt::format("a level of column {} is given twice", in_quotes(name)));
    if (name == options.target && levels.size() == 1)
      return usage_error(fmt::format("column {} has one class; a classifier needs two", in_quotes(name)));
  }
  for (const std::string& name : options.missing_indicators)
    TAILCOAT_CHECK(check_kind(frame, name, ColumnKind::number, "a column with a missing indicator"));
  for (const auto& [name, range] : options.bounds) {
    TAILCOAT_CHECK(check_kind(frame, name, ColumnKind::number, "a column with bounds"));
    const double width = range.high - range.low;
    if (!(width > 1e-150 && width < 1e150))
      return usage_error(fmt::format("bounds of {}: {} to {}; give two numbers, the smaller first", in_quotes(name),
                                     range.low, range.high));
  }
  for (const auto& [name, scale] : options.scales) {
    TAILCOAT_CHECK(check_kind(frame, name, ColumnKind::number, "a column with a scale"));
    if (!(scale.spread > 1e-150 && scale.spread < 1e150 && std::abs(scale.centre) < 1e150))
      return usage_error(fmt::format("scale of {}: centre {}, spread {}; give two numbers, the spread above 0",
                                     in_quotes(name), scale.centre, scale.spread));
  }
  for (const auto& [name, sketch] : options.sketches)
    TAILCOAT_CHECK(check_kind(frame, name, ColumnKind::number, "a column with a sketch"));
  if (frame.rows() >= 2) return {};
  return data_error(fmt::format("{} rows; a fit needs two at least", frame.rows()));
}

void limit_effects(Model& model) {
  if (!is_exponential(model.loss)) return;
  const double most = is_count(model.loss) ? kMostRate : kMostOdds;
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    Feature& feature = model.features[j];
    const bool beyond = feature.kind == FeatureKind::beyond;
    if (!is_slope(feature.kind) && !beyond) continue;
    const double low = beyond ? feature.knot_low : feature.centre, high = beyond ? feature.knot_high : feature.centre;
    for (const LinearPart& part : model.parts) {
      const double slope = std::abs(part.coefficients[j].value) * std::max(part.curve.below, part.curve.above);
      if (!(slope > 0)) continue;
      if (feature.kind != FeatureKind::above) feature.low = std::max(feature.low, low - most / slope);
      if (feature.kind != FeatureKind::below) feature.high = std::min(feature.high, high + most / slope);
    }
  }
}

Result<void> check_finite(const Model& model) {
  for (const LinearPart& part : model.parts)
    if (!is_finite(part.intercept) || !is_finite(part.curve) ||
        !std::ranges::all_of(part.coefficients, [](const Estimate& estimate) { return is_finite(estimate); }))
      return system_error("the fit did not stay finite, and there is no model");
  return {};
}

bool are_found(const FitOptions& options, const Column& column) {
  const auto given = options.levels.find(column.name);
  return column.kind == ColumnKind::text && (given == options.levels.end() || given->second.empty());
}

double delta_of_levels(const Frame& frame, const FitOptions& options) {
  const auto found = std::ranges::count_if(frame.columns, [&](const Column& c) { return are_found(options, c); });
  return std::min(0.01, 0.1 / std::max(1.0, static_cast<double>(found))) * options.budget.delta;
}

std::vector<Event> reserved_events(const Frame& frame, const FitOptions& options) {
  std::vector<Event> events;
  for (const Column& column : frame.columns)
    if (are_found(options, column)) events.push_back(levels_event(delta_of_levels(frame, options)));
  return events;
}

}  // namespace tailcoat
