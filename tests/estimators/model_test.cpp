#include "tailcoat/estimators/model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "models.hpp"

namespace tailcoat {
namespace {

using nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Model odd_model() {
  Model model = linear_model(
      {0.1, -1e-300, 7, 3, 2},
      {{.column = "a \"quoted\", \xc3\xa4\n"}, {.column = "b"}, {.column = "c"}, {.column = "c"}, {.column = "b"}});
  model.target = "y \t\\";
  model.features[0].low = -kInfinity;
  model.features[0].high = 1.7976931348623157e308;
  model.features[0].centre = -0.0;
  model.features[1] = {.column = "b", .kind = FeatureKind::level, .level = "", .centre = 1.0 / 3, .scale = 5e-324};
  model.features[2] = {.column = "c", .kind = FeatureKind::beyond, .knot_low = -1.0 / 7, .knot_high = 1e300};
  model.features[3] = {.column = "c", .kind = FeatureKind::nonzero, .centre = 0.3, .low = 0, .high = 1};
  model.features[4] = {.column = "b", .kind = FeatureKind::other, .centre = 0.7, .low = 0, .high = 1};
  model.parts[0].intercept = {.value = 2.0 / 3, .standard_error = kInfinity, .low = -kInfinity, .high = kInfinity};
  model.confidence = 0.9;
  model.rows = 123456789012345;
  model.notes = {"note one", "\xe2\x82\xac"};
  model.receipt.budget = {1, 1e-6};
  model.receipt.gaussian_budget = {0.2367};
  ReceiptLine line;
  line.release.what = "gradient";
  line.price.mu = 0.1;
  model.receipt.lines.push_back(line);
  return model;
}

void expect_refused(const std::string& text, const std::string& said) {
  const auto model = model_from_json(text);
  ASSERT_FALSE(model.ok()) << said;
  EXPECT_EQ(model.error().kind, ErrorKind::data);
  EXPECT_NE(model.error().message.find(said), std::string::npos) << model.error().message;
}

json written() { return json::parse(to_json(odd_model())); }

TEST(ModelFile, IsReadBackBitForBit) {
  const Model model = odd_model();
  const auto read = model_from_json(to_json(model));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(model));
  EXPECT_EQ(read->target, model.target);
  EXPECT_EQ(read->rows, model.rows);
  EXPECT_EQ(read->features[0].column, model.features[0].column);
  EXPECT_EQ(read->features[0].low, -kInfinity);
  EXPECT_EQ(read->features[0].high, model.features[0].high);
  EXPECT_TRUE(std::signbit(read->features[0].centre));
  EXPECT_EQ(read->features[1].kind, FeatureKind::level);
  EXPECT_EQ(read->features[1].high, kInfinity);
  EXPECT_EQ(read->features[1].centre, 1.0 / 3);
  EXPECT_EQ(read->features[1].scale, 5e-324);
  EXPECT_EQ(read->features[2].kind, FeatureKind::beyond);
  EXPECT_EQ(read->features[2].knot_low, -1.0 / 7);
  EXPECT_EQ(read->features[2].knot_high, 1e300);
  EXPECT_EQ(read->features[3].kind, FeatureKind::nonzero);
  EXPECT_EQ(read->features[3].centre, 0.3);
  EXPECT_EQ(read->features[4].kind, FeatureKind::other);
  EXPECT_EQ(read->features[4].centre, 0.7);
  EXPECT_EQ(read->parts[0].intercept.value, 2.0 / 3);
  EXPECT_EQ(read->parts[0].intercept.standard_error, kInfinity);
  EXPECT_EQ(read->parts[0].intercept.low, -kInfinity);
  EXPECT_EQ(read->parts[0].coefficients[1].value, -1e-300);
  EXPECT_EQ(read->notes, model.notes);
  EXPECT_EQ(read->receipt.json(), model.receipt.json());
}

TEST(ModelFile, HasBothSidesOfABend) {
  const Model model = linear_model(
      {-1, 2}, {{.column = "a", .kind = FeatureKind::below, .centre = 3.5, .scale = 0.5, .low = 1, .high = 1.0 / 3 + 4},
                {.column = "a", .kind = FeatureKind::above, .centre = 5, .scale = 0.7, .low = 1.0 / 3 + 4, .high = 9}});
  const auto read = model_from_json(to_json(model));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(model));
  EXPECT_EQ(read->features[0].kind, FeatureKind::below);
  EXPECT_EQ(read->features[1].kind, FeatureKind::above);
  EXPECT_EQ(feature_name(read->features[0]), "a below 4.333");
  EXPECT_EQ(feature_name(read->features[1]), "a above 4.333");
  EXPECT_EQ(read->features[0].high, read->features[1].low);
  EXPECT_EQ(json::parse(to_json(model))["features"][0]["kind"], "below");
  EXPECT_EQ(json::parse(to_json(model))["features"][1]["kind"], "above");
}

// Nothing is said of how far the 0 of a term that was left out is off.
TEST(ModelFile, TermsLeftOutHaveNoUncertainty) {
  Model model = odd_model();
  model.parts[0].coefficients[1] = left_out();
  const json file = json::parse(to_json(model));
  const json& term = file["parts"][0]["coefficients"][1];
  EXPECT_EQ(term["value"], 0);
  for (const char* field : {"standard_error", "low", "high"}) EXPECT_TRUE(term[field].is_null()) << field;
  const auto read = model_from_json(file.dump());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(is_left_out(read->parts[0].coefficients[1]));
  EXPECT_FALSE(is_left_out(read->parts[0].coefficients[0]));
  EXPECT_EQ(to_json(*read), to_json(model));
  for (const char* field : {"value", "low"}) {
    json changed = file;
    changed["parts"][0]["coefficients"][1][field] = 0.5;
    expect_refused(changed.dump(), "must be a number");
  }
}

TEST(ModelFile, HasEveryLoss) {
  for (const char* name : {"squared", "logistic", "poisson", "huber:1.345", "absolute", "quantile:0.1", "hinge",
                           "smoothed-hinge:0.3", "squared-hinge"}) {
    Model model = odd_model();
    model.loss = *parse_loss(name);
    if (predicts_classes(model.loss)) model.classes = {"no", "yes"};
    if (std::string(name) == "poisson") model.exposure = "years";
    const auto read = model_from_json(to_json(model));
    ASSERT_TRUE(read.ok()) << name << ": " << read.error().message;
    EXPECT_EQ(loss_name(read->loss), name);
    EXPECT_EQ(read->classes, model.classes);
    EXPECT_EQ(read->exposure, model.exposure);
  }
}

TEST(ModelFile, HasAPartForEachOfManyClasses) {
  Model model = odd_model();
  model.loss = LogisticLoss{};
  model.classes = {"a", "b", "c"};
  expect_refused(to_json(model), "field 'parts' has 1 of them for 3 classes");
  model.parts.resize(3, model.parts[0]);
  const auto read = model_from_json(to_json(model));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->parts.size(), 3u);
}

TEST(ModelFile, RefusesForeignAndNewerOnes) {
  expect_refused("", "not JSON");
  expect_refused("{\"schema\": \"tailcoat-model/1\", ", "not JSON");
  expect_refused("[1, 2]", "no tailcoat model");
  expect_refused("{}", "no tailcoat model");
  expect_refused("{\"schema\": 1}", "no tailcoat model");
  expect_refused("{\"schema\": \"tailcoat-receipt/1\"}", "its schema is 'tailcoat-receipt/1'");
  expect_refused("{\"schema\": \"tailcoat-model/3\"}", "this tailcoat reads 'tailcoat-model/1' and 'tailcoat-model/2'");
  expect_refused(std::string(100000, '['), "not JSON");
}

TEST(ModelFile, ACurveHasASchemaOfItsOwn) {
  Model model = odd_model();
  EXPECT_EQ(json::parse(to_json(model))["schema"], "tailcoat-model/1");
  model.parts[0].curve = {.knot = 0.1, .below = 0, .above = 2};
  json file = json::parse(to_json(model));
  EXPECT_EQ(file["schema"], "tailcoat-model/2");
  const auto read = model_from_json(file.dump());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->parts[0].curve.knot, 0.1);
  EXPECT_EQ(read->parts[0].curve.below, 0);
  EXPECT_EQ(read->parts[0].curve.above, 2);
  file["parts"][0]["curve"]["below"] = -1e-300;
  expect_refused(file.dump(), "field 'curve' has a slope that is not from 0 to 2");
  file["parts"][0]["curve"]["below"] = 1e300;
  expect_refused(file.dump(), "field 'curve' has a slope that is not from 0 to 2");
  file["parts"][0]["curve"]["below"] = nullptr;
  expect_refused(file.dump(), "'below'");
  file["parts"][0]["curve"] = 3;
  expect_refused(file.dump(), "damaged");
  file = json::parse(to_json(model));
  file["schema"] = "tailcoat-model/1";
  expect_refused(file.dump(), "field 'curve' is for models of schema tailcoat-model/2");
}

TEST(ModelFile, IgnoresFieldsItDoesNotKnow) {
  json model = written();
  model["colour"] = "blue";
  EXPECT_TRUE(model_from_json(model.dump()).ok());
}

TEST(ModelFile, EveryMissingFieldIsNamed) {
  const json whole = written();
  for (const auto& [name, value] : whole.items()) {
    if (name == "schema") continue;
    json without = whole;
    without.erase(name);
    expect_refused(without.dump(), "field '" + name + "' is missing");
    json wrong = whole;
    wrong[name] = json::object({{"a", true}});
    EXPECT_FALSE(model_from_json(wrong.dump()).ok()) << name;
  }
}

TEST(ModelFile, RefusesDamage) {
  const auto damaged = [](const char* pointer, const json& value, const std::string& said) {
    json model = written();
    model[json::json_pointer(pointer)] = value;
    expect_refused(model.dump(), said);
  };
  damaged("/loss", "cubic", "unknown loss 'cubic'");
  damaged("/target", "", "field 'target' is empty");
  damaged("/classes", {"a", "b"}, "field 'classes' has 2 of them, with loss squared");
  damaged("/exposure", "years", "Poisson models only");
  damaged("/confidence", 1, "field 'confidence' must be between 0 and 1");
  damaged("/rows", -3, "field 'rows'");
  damaged("/features/0/kind", "colour", "field 'kind' is 'colour'");
  damaged("/features/0/scale", 0, "the scale is 0");
  damaged("/features/0/low", "infinite", "field 'low' must be a number");
  damaged("/features/1", written()["features"][0], "twice");
  damaged("/parts", json::array(), "field 'parts' has 0 of them");
  damaged("/parts/0/coefficients", json::array(), "field 'coefficients' has 0 of them for 5 features");
  damaged("/parts/0/intercept/value", "inf", "field 'value' must be a number");
  damaged("/receipt/schema", "other", "the receipt is damaged");
}

TEST(ModelFile, RefusesNumbersThatAreNone) {
  const double nan = std::nan("");
  Model model = odd_model();
  model.parts[0].coefficients[0].value = nan;
  expect_refused(to_json(model), "field 'value' must be a number");
  model = odd_model();
  model.parts[0].coefficients[0].low = nan;
  expect_refused(to_json(model), "field 'low' must be a number");
  model = odd_model();
  model.features[0].centre = nan;
  expect_refused(to_json(model), "field 'centre' must be a number");
}

TEST(Response, IsWhatTheMarginStandsFor) {
  Model model = linear_model({1}, {{.column = "a"}});
  EXPECT_EQ(response(model, -3), -3);
  model.loss = PoissonLoss{};
  EXPECT_NEAR(response(model, std::log(3), 2), 6, 1e-12);
  EXPECT_TRUE(std::isfinite(response(model, 1e300, 1)));
  model.loss = LogisticLoss{};
  EXPECT_EQ(response(model, 0), 0.5);
  EXPECT_NEAR(response(model, std::log(3)), 0.75, 1e-15);
  EXPECT_GE(response(model, -1e300), 0);
  EXPECT_LE(response(model, 1e300), 1);
  model.loss = HingeLoss{};
  EXPECT_EQ(response(model, -3), -3);
}

}  // namespace
}  // namespace tailcoat
