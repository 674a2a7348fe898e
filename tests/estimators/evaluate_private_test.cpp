#include "tailcoat/estimators/evaluate_private.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "models.hpp"
#include "tailcoat/estimators/evaluate.hpp"

namespace tailcoat {
namespace {

constexpr ApproxDp kBudget{2, 1e-6};

// Predicts 1 + a.
Model model_with(const char* loss) {
  Model model = linear_model({1}, {{.column = "a"}});
  model.loss = *parse_loss(loss);
  return model;
}

Result<PrivateEvaluation> evaluated(const Model& model, const Table& table, std::uint64_t seed,
                                    ApproxDp budget = kBudget) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(seed);
  const auto source = source_of(table);
  return evaluate_private(model, *source, budget, {engine, noise});
}

std::map<std::string, PrivateMetric> by_name(const PrivateEvaluation& evaluation) {
  std::map<std::string, PrivateMetric> metrics;
  for (const PrivateMetric& metric : evaluation.metrics) metrics.emplace(metric.name, metric);
  return metrics;
}

// Each private metric within five standard errors and `bias` of the exact one; false alarms are below 1e-5.
void expect_near_exact(const Model& model, const Table& table, double bias) {
  const auto source = source_of(table);
  const auto exact = evaluate(model, *source);
  ASSERT_TRUE(exact.ok()) << exact.error().message;
  const auto found = evaluated(model, table, 5);
  ASSERT_TRUE(found.ok()) << found.error().message;
  const auto metrics = by_name(*found);
  EXPECT_EQ(found->rows, table.rows());
  for (const Metric& metric : exact->metrics) {
    if (!metrics.contains(metric.name)) continue;
    const PrivateMetric& released = metrics.at(metric.name);
    EXPECT_GT(released.standard_error, 0) << metric.name;
    EXPECT_NEAR(released.value, metric.value, 5 * released.standard_error + bias * std::abs(metric.value))
        << metric.name;
    const bool same_constant = !std::holds_alternative<QuantileLoss>(model.loss);  // private ones are mean and median
    if (released.constant && same_constant && metric.constant != 0) {
      EXPECT_NEAR(*released.constant / metric.constant, 1, 0.1 + bias) << metric.name;
    }
  }
}

Table numbers(std::size_t rows) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> cells;
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = 3 * normal(random);
    cells.insert(cells.end(), {a, 1 + a + normal(random)});
  }
  return table_of({{.name = "a"}, {.name = "y"}}, cells);
}

Table labels(std::size_t rows) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<double> cells;
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = 2 * normal(random);
    cells.insert(cells.end(), {a, uniform(random) < 1 / (1 + std::exp(-1 - a)) ? 1.0 : 0.0});
  }
  return table_of({{.name = "a"}, {.name = "y", .kind = ColumnKind::text, .levels = {"no", "yes"}}}, cells);
}

TEST(EvaluatePrivate, IsNearTheExactMetricsOfNumbers) {
  expect_near_exact(model_with("squared"), numbers(40000), 0.03);
  expect_near_exact(model_with("quantile:0.8"), numbers(40000), 0.03);
}

TEST(EvaluatePrivate, IsNearTheExactMetricsOfClasses) {
  Model model = model_with("logistic");
  model.classes = {"no", "yes"};
  expect_near_exact(model, labels(40000), 0.001);
  model.loss = HingeLoss{};
  expect_near_exact(model, labels(40000), 0.001);
}

TEST(EvaluatePrivate, IsNearTheExactDevianceOfCounts) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> cells;
  for (int i = 0; i < 40000; ++i) {
    const double a = 0.3 * normal(random), years = 0.5 + static_cast<double>(random() % 10) / 10;
    std::poisson_distribution<int> count(years * std::exp(1 + a));
    cells.insert(cells.end(), {a, static_cast<double>(count(random)), years});
  }
  Model model = model_with("poisson");
  model.exposure = "years";
  expect_near_exact(model, table_of({{.name = "a"}, {.name = "y"}, {.name = "years"}}, cells), 0.03);
}

TEST(EvaluatePrivate, SpendsNoMoreThanItsBudgetAndListsEveryRelease) {
  const auto found = evaluated(model_with("squared"), numbers(20000), 1);
  ASSERT_TRUE(found.ok());
  const Receipt& receipt = found->receipt;
  EXPECT_EQ(receipt.budget.epsilon, kBudget.epsilon);
  EXPECT_LE(receipt.gaussian_spent.mu, receipt.gaussian_budget.mu);
  EXPECT_GT(receipt.gaussian_spent.mu, 0.99 * receipt.gaussian_budget.mu);
  EXPECT_FALSE(receipt.secure) << "drawn from a seed";
  double squares = 0;
  for (const ReceiptLine& line : receipt.lines) squares += line.price.mu * line.price.mu;
  EXPECT_NEAR(std::sqrt(squares), receipt.gaussian_spent.mu, 1e-9);
}

TEST(EvaluatePrivate, HostileRowsCountAsOneRowAndNothingElse) {
  Table table = numbers(20000);
  for (const double bad : {1e308, -1e308, std::nan(""), 5e-324}) {
    ASSERT_TRUE(table.append(std::vector<double>{bad, 1e308}).ok());
    ASSERT_TRUE(table.append(std::vector<double>{1, bad}).ok());
  }
  const auto clean = evaluated(model_with("squared"), numbers(20000), 3),
             found = evaluated(model_with("squared"), table, 3);
  ASSERT_TRUE(clean.ok() && found.ok());
  for (const auto& [name, metric] : by_name(*found)) {
    EXPECT_TRUE(std::isfinite(metric.value) && std::isfinite(metric.standard_error)) << name;
    EXPECT_NEAR(metric.value, by_name(*clean).at(name).value, 0.1 * std::abs(metric.value)) << name;
  }
}

bool has_note(const PrivateEvaluation& evaluation, const std::string& text) {
  return std::ranges::any_of(evaluation.notes, [&](const std::string& n) { return n.find(text) != std::string::npos; });
}

// As fit() leaves them out. They counted as the worst before, and with 5 % of them a good model looked worse than none.
TEST(EvaluatePrivate, RowsWithoutATargetAreLeftOut) {
  for (const char* loss : {"squared", "quantile:0.8", "poisson"}) {
    const Table whole = numbers(20000);
    const auto rows = std::get<RowsOf<double>>(whole.view());
    std::vector<double> cells;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      cells.insert(cells.end(), rows.row(i).begin(), rows.row(i).end());
      if (i % 4 == 0) cells.insert(cells.end(), {rows.row(i)[0], std::nan("")});
    }
    const auto clean = evaluated(model_with(loss), whole, 3),
               found = evaluated(model_with(loss), table_of({{.name = "a"}, {.name = "y"}}, cells), 4);
    ASSERT_TRUE(clean.ok() && found.ok()) << loss;
    for (const auto& [name, metric] : by_name(*found)) {
      const PrivateMetric& other = by_name(*clean).at(name);
      EXPECT_NEAR(metric.value, other.value, 5 * std::hypot(metric.standard_error, other.standard_error))
          << loss << name;
    }
    EXPECT_TRUE(has_note(*found, "about 20 % of the rows")) << loss;
    EXPECT_FALSE(has_note(*clean, "are left out")) << loss;
  }
}

TEST(EvaluatePrivate, UnknownAndMissingLabelsAreLeftOut) {
  Model model = model_with("logistic");
  model.classes = {"no", "yes"};
  std::vector<double> known, mixed;
  for (int i = 0; i < 20000; ++i) {
    known.insert(known.end(), {-1 + 3.0 * (i % 3), 1.0 * (i % 2)});
    mixed.insert(mixed.end(), {-1 + 3.0 * (i % 3), i % 5 == 0 ? (i % 2 == 0 ? 2.0 : std::nan("")) : i % 2});
  }
  const std::vector<Column> columns{{.name = "a"},
                                    {.name = "y", .kind = ColumnKind::text, .levels = {"no", "yes", "perhaps"}}};
  const auto clean = evaluated(model, table_of(columns, known), 1),
             found = evaluated(model, table_of(columns, mixed), 2);
  ASSERT_TRUE(clean.ok() && found.ok());
  for (const auto& [name, metric] : by_name(*found)) {
    const PrivateMetric& other = by_name(*clean).at(name);
    EXPECT_NEAR(metric.value, other.value, 5 * std::hypot(metric.standard_error, other.standard_error)) << name;
  }
  EXPECT_TRUE(has_note(*found, "about 20 % of the rows"));
}

// A tenth of the rows has a loss of 21 and counts 7: no fewer rows may be said to be there.
TEST(EvaluatePrivate, SaysHowManyRowsAreAtTheCapAndThatErrorsLeaveItOut) {
  Model model = model_with("logistic");
  model.classes = {"no", "yes"};
  std::vector<double> cells;
  for (int i = 0; i < 20000; ++i) cells.insert(cells.end(), {i % 10 == 0 ? 20.0 : -1, i % 10 == 0 ? 0.0 : i % 2});
  const auto found = evaluated(
      model, table_of({{.name = "a"}, {.name = "y", .kind = ColumnKind::text, .levels = {"no", "yes"}}}, cells), 1);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_TRUE(has_note(*found, "at most 11 % of the rows are there")) << found->notes[0];
  for (const char* loss : {"squared", "quantile:0.8"}) {
    const auto numeric = evaluated(model_with(loss), numbers(20000), 1);
    ASSERT_TRUE(numeric.ok()) << loss;
    EXPECT_TRUE(has_note(*numeric, "; about 0.")) << numeric->notes[0];
    EXPECT_TRUE(has_note(*numeric, "errors look too small and, as a rule, r2 too high; standard errors leave")) << loss;
  }
  EXPECT_TRUE(has_note(*found, "makes log_loss too small; standard errors leave that out"));
}

TEST(EvaluatePrivate, RefusesWhereNoRowHasATarget) {
  std::vector<double> cells;
  for (int i = 0; i < 5000; ++i) cells.insert(cells.end(), {1, std::nan("")});
  const Table table = table_of({{.name = "a"}, {.name = "y"}}, cells);
  const auto found = evaluated(model_with("squared"), table, 1);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().kind, ErrorKind::refused);
  EXPECT_NE(found.error().message.find("too few rows have a target"), std::string::npos) << found.error().message;
  const auto perfect = evaluated(model_with("squared"),
                                 table_of({{.name = "a"}, {.name = "y"}},
                                          [] {
                                            std::vector<double> exact;
                                            for (int i = 0; i < 5000; ++i)
                                              exact.insert(exact.end(), {1.0 * i, 1.0 + i});
                                            return exact;
                                          }()),
                                 1);
  ASSERT_TRUE(perfect.ok()) << perfect.error().message;
  EXPECT_FALSE(has_note(*perfect, "these metrics say nothing")) << perfect->notes[0];
}

TEST(EvaluatePrivate, RefusesTooFewRows) {
  const auto few = evaluated(model_with("squared"), numbers(200), 1, {0.5, 1e-6});
  ASSERT_FALSE(few.ok());
  EXPECT_EQ(few.error().kind, ErrorKind::refused);
  EXPECT_NE(few.error().message.find("200 rows are too few"), std::string::npos) << few.error().message;
  EXPECT_FALSE(evaluated(model_with("squared"), numbers(0), 1).ok());
}

}  // namespace
}  // namespace tailcoat
