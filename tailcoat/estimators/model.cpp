#include "tailcoat/estimators/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <tuple>

#include "tailcoat/base/json_fields.hpp"
#include "tailcoat/data/text.hpp"
#include "tailcoat/losses/exp.hpp"
#include "tailcoat/privacy/receipt_reader.hpp"

namespace tailcoat {
namespace {

using Json = nlohmann::ordered_json;
namespace fields = json_fields;

constexpr std::string_view kFamily = "tailcoat-model/";
constexpr const char* kSchema = "tailcoat-model/1";
constexpr const char* kCurvedSchema = "tailcoat-model/2";  // which a reader of the first would get wrong

Json extended(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json estimate_json(const Estimate& estimate) {
  return {{"value", estimate.value},
          {"standard_error", extended(estimate.standard_error)},
          {"low", extended(estimate.low)},
          {"high", extended(estimate.high)}};
}

Json feature_json(const Feature& feature) {
  Json json{{"column", feature.column}, {"kind", kind_name(feature.kind)}};
  if (feature.kind == FeatureKind::level) json["level"] = feature.level;
  json["centre"] = feature.centre;
  json["scale"] = feature.scale;
  json["low"] = extended(feature.low);
  json["high"] = extended(feature.high);
  if (feature.kind == FeatureKind::beyond) {
    json["knot_low"] = feature.knot_low;
    json["knot_high"] = feature.knot_high;
  }
  return json;
}

Json part_json(const LinearPart& part) {
  Json json{{"intercept", estimate_json(part.intercept)}, {"coefficients", Json::array()}};
  for (const Estimate& estimate : part.coefficients) json["coefficients"].push_back(estimate_json(estimate));
  const auto& [knot, below, above] = part.curve;
  if (!part.curve.is_straight()) json["curve"] = {{"knot", knot}, {"below", below}, {"above", above}};
  return json;
}

bool is_null(const fields::Json& json, const char* name) { return fields::field(json, name).is_null(); }

Estimate estimate_of(const fields::Json& json) {
  const bool unknown = is_null(json, "standard_error") && is_null(json, "low") && is_null(json, "high");
  if (unknown && fields::number(json, "value") == 0) return left_out();
  return {.value = fields::number(json, "value"),
          .standard_error = fields::extended(json, "standard_error"),
          .low = fields::extended(json, "low"),
          .high = fields::extended(json, "high")};
}

FeatureKind kind_of(const std::string& name) {
  for (const FeatureKind kind : {FeatureKind::number, FeatureKind::below, FeatureKind::above, FeatureKind::beyond,
                                 FeatureKind::level, FeatureKind::other, FeatureKind::nonzero, FeatureKind::missing})
    if (name == kind_name(kind)) return kind;
  fields::wrong("kind", fmt::format("is {}; it must be number, below, above, beyond, level, other, nonzero or missing",
                                    in_quotes(name)));
}

template <class T>
T or_throw(Result<T> result) {
  if (!result) throw result.error();
  return std::move(*result);
}
void or_throw(const Result<void>& result) {
  if (!result) throw result.error();
}

Feature feature_of(const fields::Json& json) {
  Feature feature{.column = fields::text(json, "column"), .kind = kind_of(fields::text(json, "kind"))};
  if (feature.kind == FeatureKind::level) feature.level = fields::text(json, "level");
  feature.centre = fields::number(json, "centre");
  feature.scale = fields::number(json, "scale");
  feature.low = fields::extended(json, "low");
  feature.high = fields::extended(json, "high");
  if (feature.kind == FeatureKind::beyond) {
    feature.knot_low = fields::number(json, "knot_low");
    feature.knot_high = fields::number(json, "knot_high");
  }
  or_throw(check_feature(feature));
  return feature;
}

Curve curve_of(const fields::Json& json) {
  const Curve curve{fields::number(json, "knot"), fields::number(json, "below"), fields::number(json, "above")};
  const auto is_slope = [](double slope) { return slope >= 0 && slope <= 2; };
  if (!is_slope(curve.below) || !is_slope(curve.above)) fields::wrong("curve", "has a slope that is not from 0 to 2");
  return curve;
}

LinearPart part_of(const fields::Json& json, std::size_t features, bool may_curve) {
  LinearPart part{.intercept = estimate_of(fields::field(json, "intercept")), .coefficients = {}};
  for (const fields::Json& estimate : fields::list(json, "coefficients"))
    part.coefficients.push_back(estimate_of(estimate));
  if (part.coefficients.size() != features)
    fields::wrong("coefficients", fmt::format("has {} of them for {} features", part.coefficients.size(), features));
  if (!json.contains("curve")) return part;
  if (!may_curve) fields::wrong("curve", fmt::format("is for models of schema {}", kCurvedSchema));
  part.curve = curve_of(fields::field(json, "curve"));
  return part;
}

void check_features(const std::vector<Feature>& features) {
  std::set<std::tuple<std::string_view, FeatureKind, std::string_view>> seen;
  for (const Feature& feature : features)
    if (!seen.emplace(feature.column, feature.kind, feature.level).second)
      fields::wrong("features", fmt::format("has {} twice", in_quotes(feature_name(feature))));
}

void check_target(const Model& model) {
  if (model.target.empty()) fields::wrong("target", "is empty");
  const std::set<std::string> distinct(model.classes.begin(), model.classes.end());
  if (distinct.size() != model.classes.size()) fields::wrong("classes", "has a class twice");
  if (predicts_classes(model.loss) ? model.classes.size() < 2 : !model.classes.empty()) {
    fields::wrong("classes", fmt::format("has {} of them, with loss {}", model.classes.size(), loss_name(model.loss)));
  }
  if (!model.exposure.empty() && !std::holds_alternative<PoissonLoss>(model.loss))
    fields::wrong("exposure", "is for Poisson models only");
}

Model model_of(const fields::Json& json) {
  Model model{.loss = or_throw(parse_loss(fields::text(json, "loss"))),
              .target = fields::text(json, "target"),
              .classes = fields::texts(json, "classes"),
              .exposure = fields::text(json, "exposure"),
              .features = {},
              .parts = {},
              .confidence = fields::number(json, "confidence"),
              .rows = fields::count(json, "rows"),
              .receipt = or_throw(receipt_from_json(fields::field(json, "receipt").dump())),
              .notes = fields::texts(json, "notes")};
  check_target(model);
  for (const fields::Json& feature : fields::list(json, "features")) model.features.push_back(feature_of(feature));
  check_features(model.features);
  for (const fields::Json& part : fields::list(json, "parts"))
    model.parts.push_back(part_of(part, model.features.size(), fields::text(json, "schema") == kCurvedSchema));
  if (model.parts.size() != parts_for(model.classes.size()))
    fields::wrong("parts", fmt::format("has {} of them for {} classes", model.parts.size(), model.classes.size()));
  if (!(model.confidence > 0 && model.confidence < 1)) fields::wrong("confidence", "must be between 0 and 1");
  return model;
}

Result<void> check_schema(const fields::Json& json) {
  const auto schema = json.is_object() ? json.find("schema") : json.end();
  if (!json.is_object() || schema == json.end() || !schema->is_string())
    return data_error("this is no tailcoat model: it is not a JSON object with the field 'schema'");
  const auto name = schema->get<std::string>();
  if (name == kSchema || name == kCurvedSchema) return {};
  if (!name.starts_with(kFamily)) {
    return data_error(
        fmt::format("this is no tailcoat model: its schema is {}, that of a model is '{}'", in_quotes(name), kSchema));
  }
  return data_error(
      fmt::format("the model has schema {}, and this tailcoat reads '{}' and '{}'; use the version that wrote it",
                  in_quotes(name), kSchema, kCurvedSchema));
}

}  // namespace

bool is_fitted(const Model& model, std::size_t feature) {
  return std::ranges::any_of(model.parts, [&](const LinearPart& part) {
    if (feature >= part.coefficients.size()) return false;
    const Estimate& estimate = part.coefficients[feature];
    return !is_left_out(estimate) && (estimate.value != 0 || estimate.standard_error != 0);
  });
}

std::size_t fitted_features(const Model& model) {
  std::size_t count = 0;
  for (std::size_t j = 0; j < model.features.size(); ++j) count += is_fitted(model, j) ? 1 : 0;
  return count;
}

bool predicts_classes(const Loss& loss) {
  return std::holds_alternative<LogisticLoss>(loss) || std::holds_alternative<HingeLoss>(loss) ||
         std::holds_alternative<SmoothedHingeLoss>(loss) || std::holds_alternative<SquaredHingeLoss>(loss);
}

double response(const Model& model, double margin, double exposure) {
  if (std::holds_alternative<PoissonLoss>(model.loss)) return exposure * saturating_exp(margin);
  if (std::holds_alternative<LogisticLoss>(model.loss)) return 1 / (1 + saturating_exp(-margin));
  return margin;
}

std::string to_json(const Model& model) {
  const bool curved = !std::ranges::all_of(model.parts, &Curve::is_straight, &LinearPart::curve);
  Json json{{"schema", curved ? kCurvedSchema : kSchema},
            {"loss", loss_name(model.loss)},
            {"target", model.target},
            {"classes", model.classes},
            {"exposure", model.exposure},
            {"rows", model.rows},
            {"confidence", model.confidence}};
  json["features"] = Json::array();
  for (const Feature& feature : model.features) json["features"].push_back(feature_json(feature));
  json["parts"] = Json::array();
  for (const LinearPart& part : model.parts) json["parts"].push_back(part_json(part));
  json["notes"] = model.notes;
  json["receipt"] = Json::parse(model.receipt.json());
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Model> model_from_json(const std::string& text) {
  const fields::Json json = fields::Json::parse(text, nullptr, false);
  if (json.is_discarded()) return data_error("this is no tailcoat model: it is not JSON, or not all of it");
  TAILCOAT_CHECK(check_schema(json));
  try {
    return model_of(json);
  } catch (const Error& error) {
    return data_error("the model is damaged: " + error.message);
  }
}

}  // namespace tailcoat
