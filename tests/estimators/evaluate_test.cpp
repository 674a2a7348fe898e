#include "tailcoat/estimators/evaluate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "models.hpp"

namespace tailcoat {
namespace {

const double kMissing = std::nan("");

struct Found {
  Evaluation evaluation;
  std::map<std::string, double> metrics{}, constant{};
};

Found found(const Model& model, const Table& table) {
  const auto source = source_of(table);
  auto evaluation = evaluate(model, *source);
  if (!evaluation) stop_at(evaluation.error());
  Found all{*evaluation};
  for (const Metric& metric : evaluation->metrics) {
    all.metrics[metric.name] = metric.value;
    all.constant[metric.name] = metric.constant;
  }
  return all;
}

void expect_error(const Model& model, const Table& table, const std::string& said) {
  const auto source = source_of(table);
  const auto evaluation = evaluate(model, *source);
  ASSERT_FALSE(evaluation.ok());
  EXPECT_NE(evaluation.error().message.find(said), std::string::npos) << evaluation.error().message;
}

// Predicts 1 + a.
Model model_with(const char* loss) {
  Model model = linear_model({1}, {{.column = "a"}});
  model.loss = *parse_loss(loss);
  return model;
}

TEST(Evaluate, NumbersBesideTheConstant) {
  const Table table = table_of({{.name = "a"}, {.name = "y"}}, {0, 2, 1, 2, 2, 7, 3, kMissing, 3, 5});
  const Found squared = found(model_with("squared"), table);  // errors 1, 0, 4, 1
  EXPECT_EQ(squared.evaluation.rows, 4u);
  EXPECT_EQ(squared.evaluation.left_out, 1u);
  EXPECT_EQ(squared.evaluation.constant, "4");
  EXPECT_EQ(squared.metrics.at("mse"), 4.5);
  EXPECT_EQ(squared.metrics.at("mae"), 1.5);
  EXPECT_EQ(squared.metrics.at("median_absolute_error"), 1);
  EXPECT_EQ(squared.constant.at("mse"), 4.5);
  EXPECT_EQ(squared.metrics.at("r2"), 0);
  EXPECT_EQ(squared.constant.at("r2"), 0);
  EXPECT_FALSE(squared.metrics.contains("pinball_loss"));
  const Found absolute = found(model_with("absolute"), table);
  EXPECT_EQ(absolute.evaluation.constant, "3.5");
  EXPECT_EQ(absolute.constant.at("mae"), 2);
  const Found quantile = found(model_with("quantile:0.75"), table);  // actual - predicted: 1, 0, 4, 1
  EXPECT_EQ(quantile.evaluation.constant, "6");
  EXPECT_EQ(quantile.metrics.at("pinball_loss"), 0.75 * 6 / 4);
  EXPECT_EQ(quantile.constant.at("pinball_loss"), (0.25 * (4 + 4 + 1) + 0.75) / 4);
}

TEST(Evaluate, CountsByExposure) {
  Model model = model_with("poisson");
  model.exposure = "years";
  const double a = std::log(2) - 1;  // a rate of 2
  const Table table =
      table_of({{.name = "a"}, {.name = "y"}, {.name = "years"}}, {a, 2, 1, a, 0, 3, a, 5, kMissing, a, 5, 0});
  const Found counts = found(model, table);
  EXPECT_EQ(counts.evaluation.left_out, 2u);
  EXPECT_NEAR(counts.metrics.at("deviance"), 12.0 / 4, 1e-12);  // 0 and 2 * 6, over 4 years
  const double rate = 0.5, constant = 2 * (2 * std::log(2 / rate) - 2 + rate) + 2 * 3 * rate;
  EXPECT_NEAR(counts.constant.at("deviance"), constant / 4, 1e-12);
  expect_error(model, table_of({{.name = "a"}, {.name = "y"}, {.name = "years"}}, {0, -1, 1}), "negative");
}

std::vector<Column> labelled() {
  return {{.name = "a"}, {.name = "y", .kind = ColumnKind::text, .levels = {"yes", "no", "maybe"}}};
}

TEST(Evaluate, ClassesByName) {
  Model model = model_with("logistic");
  model.classes = {"no", "yes"};
  const Table table = table_of(labelled(), {-1, 0, 1, 0, -3, 1, 0, 1, 5, kMissing});
  const Found classes = found(model, table);  // margins 0, 2 (yes), -2, 1 (no)
  EXPECT_EQ(classes.evaluation.left_out, 1u);
  EXPECT_EQ(classes.metrics.at("accuracy"), 0.5);
  EXPECT_EQ(classes.metrics.at("auc"), 0.75);
  const auto sigmoid = [](double t) { return 1 / (1 + std::exp(-t)); };
  const double log_loss = -(std::log(0.5) + 2 * std::log(sigmoid(2)) + std::log(sigmoid(-1))) / 4;
  EXPECT_NEAR(classes.metrics.at("log_loss"), log_loss, 1e-12);
  EXPECT_NEAR(classes.metrics.at("brier"), (0.25 + 2 * std::pow(sigmoid(-2), 2) + std::pow(sigmoid(1), 2)) / 4, 1e-12);
  EXPECT_NEAR(classes.constant.at("log_loss"), std::log(2), 1e-12);
  EXPECT_NEAR(classes.constant.at("brier"), 0.25, 1e-12);
  expect_error(model, table_of(labelled(), {0, 2}), "label 'maybe' in column 'y' is no class of the model");
  model.loss = HingeLoss{};
  EXPECT_FALSE(found(model, table).metrics.contains("log_loss"));
}

TEST(Evaluate, ManyClasses) {
  Model model = model_with("logistic");
  model.classes = {"no", "yes", "maybe"};
  model.parts.resize(3, model.parts[0]);
  const Found classes = found(model, table_of(labelled(), {0, 0, 0, 1, 0, 1, 0, 2}));
  EXPECT_NEAR(classes.metrics.at("log_loss"), std::log(3), 1e-12);
  EXPECT_NEAR(classes.metrics.at("brier"), 4.0 / 9 + 2.0 / 9, 1e-12);
  EXPECT_NEAR(classes.constant.at("brier"), 1 - 0.25 - 2.0 / 16, 1e-12);
  EXPECT_FALSE(classes.metrics.contains("auc"));
  EXPECT_EQ(classes.evaluation.constant, "no");
}

TEST(Evaluate, RefusesFilesWithoutTarget) {
  expect_error(model_with("squared"), table_of({{.name = "a"}, {.name = "y"}}, {1, kMissing}), "none of 1 rows");
  expect_error(model_with("squared"), table_of({{.name = "a"}, {.name = "z"}}, {1, 2}), "'y'");
  expect_error(model_with("squared"), table_of(labelled(), {1, 0}), "must be read as numbers");
}

TEST(Evaluate, SaysWhichColumnsToRead) {
  Model model = model_with("logistic");
  model.classes = {"no", "yes"};
  const ReadOptions options = columns_to_evaluate(model);
  EXPECT_EQ(options.columns, (std::vector<std::string>{"a", "y"}));
  EXPECT_EQ(options.text_columns, (std::vector<std::string>{"y"}));
}

}  // namespace
}  // namespace tailcoat
