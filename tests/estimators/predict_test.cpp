#include "tailcoat/estimators/predict.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "models.hpp"

namespace tailcoat {
namespace {

const double kMissing = std::nan("");

std::vector<double> values(const Model& model, const Table& table) {
  std::vector<double> found;
  const auto source = source_of(table);
  const auto rows = predict_rows(model, *source, [&](std::span<const double>, const Prediction& prediction) {
    found.push_back(prediction.value);
    return true;
  });
  EXPECT_TRUE(rows.ok());
  EXPECT_EQ(*rows, table.rows());
  return found;
}

TEST(Predict, AddsCoefficientsTimesFeatures) {
  const Model model = linear_model({2, 10, -1, 100}, {{.column = "b", .centre = 7, .high = 9},
                                                      {.column = "city", .kind = FeatureKind::level, .level = "Graz"},
                                                      {.column = "city", .kind = FeatureKind::level, .level = "Linz"},
                                                      {.column = "b", .kind = FeatureKind::missing}});
  const Table table = table_of(
      {{.name = "city", .kind = ColumnKind::text, .levels = {"Linz", "Graz", "Wien"}}, {.name = "a"}, {.name = "b"}},
      {0, 5, 3, 1, 5, 1000, 2, 5, kMissing, kMissing, 5, 0});
  EXPECT_EQ(values(model, table), (std::vector<double>{1 + 6 - 1, 1 + 18 + 10, 1 + 14 + 100, 1}));
}

TEST(Predict, MultipliesRatesByTheExposure) {
  Model model = linear_model({1}, {{.column = "a"}});
  model.loss = PoissonLoss{};
  model.exposure = "years";
  const Table table = table_of({{.name = "a"}, {.name = "years"}}, {0, 2, 1, 0.5, 0, kMissing, 0, -1, 0, 0});
  const std::vector<double> found = values(model, table);
  EXPECT_NEAR(found[0], 2 * std::exp(1), 1e-12);
  EXPECT_NEAR(found[1], 0.5 * std::exp(2), 1e-12);
  EXPECT_TRUE(std::isnan(found[2]));
  EXPECT_TRUE(std::isnan(found[3]));
  EXPECT_EQ(found[4], 0);
}

TEST(Predict, TwoClassesHaveComplementaryProbabilities) {
  Model model = linear_model({1}, {{.column = "a"}});
  model.loss = LogisticLoss{};
  model.classes = {"no", "yes"};
  const std::vector<Column> columns{{.name = "a"}};
  auto predictor = Predictor::create(model, columns);
  ASSERT_TRUE(predictor.ok());
  for (const double a : {-3.0, -1.0, -0.9, 5.0, 1e300, -1e300}) {
    const Prediction prediction = predictor->predict(std::vector{a});
    EXPECT_EQ(prediction.value, a > -1 ? 1 : 0);
    ASSERT_EQ(prediction.probabilities.size(), 2u);
    EXPECT_NEAR(prediction.probabilities[1], 1 / (1 + std::exp(-1 - a)), 1e-15);
    EXPECT_NEAR(prediction.probabilities[0] + prediction.probabilities[1], 1, 1e-15);
  }
}

TEST(Predict, TheLargestMarginDecidesAmongManyClasses) {
  Model model = linear_model({1}, {{.column = "a"}});
  model.loss = LogisticLoss{};
  model.classes = {"low", "middle", "high"};
  model.parts.resize(3, model.parts[0]);
  model.parts[0].coefficients[0].value = -1;
  model.parts[1].coefficients[0].value = 0;
  model.parts[1].intercept.value = 1.5;
  const std::vector<Column> columns{{.name = "a"}};
  auto predictor = Predictor::create(model, columns);
  ASSERT_TRUE(predictor.ok());
  for (const auto& [a, expected] : {std::pair{-4.0, 0.0}, {0.0, 1.0}, {4.0, 2.0}}) {
    const Prediction prediction = predictor->predict(std::vector{a});
    EXPECT_EQ(prediction.value, expected);
    const auto& p = prediction.probabilities;
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-15);
    EXPECT_EQ(std::max_element(p.begin(), p.end()) - p.begin(), static_cast<std::ptrdiff_t>(expected));
  }
  model.loss = HingeLoss{};
  EXPECT_TRUE(Predictor::create(model, columns)->predict(std::vector{0.0}).probabilities.empty());
}

TEST(Predict, SaysWhatAFileMustHave) {
  Model model = linear_model({1, 2}, {{.column = "a"}, {.column = "c", .kind = FeatureKind::level, .level = "x"}});
  model.loss = PoissonLoss{};
  model.exposure = "years";
  const ReadOptions needed = columns_to_predict(model);
  EXPECT_EQ(needed.columns, (std::vector<std::string>{"a", "c", "years"}));
  EXPECT_EQ(needed.text_columns, (std::vector<std::string>{"c"}));
  const std::vector<Column> columns{{.name = "a"}, {.name = "c", .kind = ColumnKind::text}};
  const auto predictor = Predictor::create(model, columns);
  ASSERT_FALSE(predictor.ok());
  EXPECT_NE(predictor.error().message.find("years"), std::string::npos);
}

TEST(Predict, StopsWhenAsked) {
  const Model model = linear_model({1}, {{.column = "a"}});
  const Table table = table_of({{.name = "a"}}, {1, 2, 3});
  const auto source = source_of(table);
  int seen = 0;
  const auto rows =
      predict_rows(model, *source, [&](std::span<const double>, const Prediction&) { return ++seen < 2; });
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(seen, 2);
}

}  // namespace
}  // namespace tailcoat
