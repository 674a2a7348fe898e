// What a fit finds: known coefficients, whatever the loss and the columns.
#include "tailcoat/estimators/fit.hpp"

#include <gtest/gtest.h>

#include <array>

#include "fitting.hpp"
#include "tailcoat/estimators/predict.hpp"

namespace tailcoat {
namespace {

using Truth = std::map<std::string, double>;

void expect_near(const Result<Fit>& fit, const Truth& truth, double tolerance) {
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_FALSE(fit->constant);
  const auto found = estimates(fit->model);
  for (const auto& [name, value] : truth) {
    ASSERT_TRUE(found.contains(name)) << name;
    EXPECT_NEAR(found.at(name).value, value, tolerance * std::max(1.0, std::abs(value))) << name;
    EXPECT_LE(found.at(name).low, found.at(name).value) << name;
    EXPECT_GE(found.at(name).high, found.at(name).value) << name;
  }
}

TEST(Fit, RecoversALinearModelUnderEveryRegressionLoss) {
  for (const char* loss : {"squared", "huber", "absolute", "quantile:0.5"}) {
    SCOPED_TRACE(loss);
    const FitOptions options{.target = "y", .loss = *parse_loss(loss), .budget = kGenerous};
    expect_near(fitted(linear_table(20000, 1), options), {{"(intercept)", 3}, {"a", 2}, {"b", -4}}, 0.06);
  }
}

TEST(Fit, AQuantileIsAboveTheMedian) {
  const FitOptions options{.target = "y", .loss = QuantileLoss{0.9}, .budget = kGenerous};
  // Noise of deviation 1: the quantile is 1.2816 above the mean.
  expect_near(fitted(linear_table(20000, 2), options), {{"(intercept)", 4.2816}, {"a", 2}, {"b", -4}}, 0.08);
}

// Cutting the long gradients, those of the few rows beyond the quantile, would pull it towards the median.
TEST(Fit, AQuantileHoldsItsShareOfTheRowsAtASmallBudget) {
  const auto column = [](Random& random) { return std::exp(0.5 * normal(random)); };
  const auto table = [&](std::uint64_t seed) {
    return simulated({{.name = "a"}, {.name = "b"}, {.name = "y"}}, 40000, seed, [&](Random& random) {
      const double a = normal(random), b = normal(random);
      return std::vector{a, b, 10 + a - b + 3 * column(random)};
    });
  };
  for (const double level : {0.1, 0.9}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto fit = fitted(table(seed), {.target = "y", .loss = QuantileLoss{level}, .budget = {0.1, 1e-6}}, seed);
      ASSERT_TRUE(fit.ok()) << fit.error().message;
      EXPECT_FALSE(fit->constant);
      auto found = estimates(fit->model);
      const Table fresh = table(100 + seed);
      const auto rows = std::get<RowsOf<double>>(fresh.view());
      double below = 0;
      for (std::size_t i = 0; i < rows.rows; ++i) {
        const auto row = rows.row(i);
        const double margin = found["(intercept)"].value + found["a"].value * row[0] + found["b"].value * row[1];
        below += row[2] < margin ? 1 : 0;
      }
      EXPECT_NEAR(below / static_cast<double>(rows.rows), level, 0.05) << level << ' ' << seed;
    }
  }
}

TEST(Fit, FewEventsGiveTheConstantRate) {
  const auto few = [](Random& random) {
    std::vector<double> row;
    for (int j = 0; j < 20; ++j) row.push_back(normal(random));
    row.push_back(uniform(random) < 0.05 ? 1 : 0);
    return row;
  };
  std::vector<Column> columns;
  for (int j = 0; j < 20; ++j) columns.push_back({.name = std::string(1, static_cast<char>('a' + j))});
  columns.push_back({.name = "y"});
  const auto fit =
      fitted(simulated(columns, 5000, 3, few), {.target = "y", .loss = PoissonLoss{}, .budget = {1, 1e-6}});
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_TRUE(fit->constant);  // n mu = 1183 would be enough for 20 columns of a target of even odds
  EXPECT_NEAR(std::exp(fit->model.parts[0].intercept.value), 0.05, 0.02);
}

// The long gradients are those of the rows with events: clips that cut them would halve the rate.
TEST(Fit, TheRateOfRareCountsIsKeptWhateverIsClipped) {
  std::vector<Column> columns;
  for (int j = 0; j < 12; ++j) columns.push_back({.name = std::string{'x', static_cast<char>('a' + j)}});
  columns.push_back({.name = "y"});
  int slopes = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Table table = simulated(columns, 5000, seed, [](Random& random) {
      std::vector<double> row(13);
      for (double& cell : row) cell = normal(random);
      row[12] = std::poisson_distribution<int>(0.15 * std::exp(0.3 * row[0] - 0.045))(random);
      return row;
    });
    const auto fit = fitted(std::move(table), {.target = "y", .loss = PoissonLoss{}, .budget = {1, 1e-6}}, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    slopes += fit->constant ? 0 : 1;
    // The mean rate of a log-linear model of independent standard normal columns.
    double margin = fit->model.parts[0].intercept.value;
    for (const Estimate& slope : fit->model.parts[0].coefficients)
      if (std::isfinite(slope.standard_error)) margin += slope.value * slope.value / 2;
    EXPECT_NEAR(margin, std::log(0.15), 0.35) << seed;
    EXPECT_GT(fit->model.receipt.gaussian_spent.mu, 0.97 * fit->model.receipt.gaussian_budget.mu) << "nothing is left";
  }
  EXPECT_GE(slopes, 1);
}

TEST(Fit, RobustLossesIgnoreWildTargets) {
  for (const char* loss : {"huber", "absolute"}) {
    SCOPED_TRACE(loss);
    Table table = simulated({{.name = "a"}, {.name = "y"}}, 20000, 3, [](Random& random) {
      const double a = normal(random), wild = uniform(random) < 0.02 ? 1e4 * normal(random) : 0;
      return std::vector{a, 1 + 2 * a + normal(random) + wild};
    });
    const FitOptions options{.target = "y", .loss = *parse_loss(loss), .budget = kGenerous};
    expect_near(fitted(std::move(table), options), {{"(intercept)", 1}, {"a", 2}}, 0.08);
  }
}

const std::vector<Column> kClassColumns = {
    {.name = "a"}, {.name = "b"}, {.name = "y", .kind = ColumnKind::text, .levels = {"yes", "no"}}};

// P(yes) = 1 / (1 + exp(-(0.5 + a - 2 b))), a and b standard normal.
Table class_table(std::size_t rows, std::uint64_t seed) {
  return simulated(kClassColumns, rows, seed, [](Random& random) {
    const double a = normal(random), b = normal(random);
    return std::vector{a, b, uniform(random) < 1 / (1 + std::exp(-(0.5 + a - 2 * b))) ? 0.0 : 1.0};
  });
}

TEST(Fit, RecoversALogisticModelGivenTheClassesOrNot) {
  for (const bool given : {true, false}) {
    FitOptions options{.target = "y", .loss = LogisticLoss{}, .budget = kGenerous};
    if (given) options.levels["y"] = {"no", "yes"};
    const auto fit = fitted(class_table(40000, 4), options);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    EXPECT_EQ(fit->model.classes, (std::vector<std::string>{"no", "yes"}));
    expect_near(fit, {{"(intercept)", 0.5}, {"a", 1}, {"b", -2}}, 0.08);
  }
}

double accuracy(const Fit& fit, const Table& table, const std::vector<std::string>& levels) {
  auto predictor = Predictor::create(fit.model, table.columns());
  if (!predictor) stop_at(predictor.error());
  const auto rows = std::get<RowsOf<double>>(table.view());
  double right = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const auto row = rows.row(i);
    const auto predicted = static_cast<std::size_t>(predictor->predict(row).value);
    right += fit.model.classes[predicted] == levels[static_cast<std::size_t>(row.back())] ? 1 : 0;
  }
  return right / static_cast<double>(rows.rows);
}

// Of the rule that knows the model, on the same rows.
double accuracy_of_the_truth(const Table& table) {
  const auto rows = std::get<RowsOf<double>>(table.view());
  double right = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const auto row = rows.row(i);
    right += (0.5 + row[0] - 2 * row[1] > 0) == (row[2] == 0) ? 1 : 0;
  }
  return right / static_cast<double>(rows.rows);
}

// The margin is m ~ N(0.5, 5): the best accuracy is the mean of 1 / (1 + exp(-|m|)).
double best_accuracy() {
  double sum = 0;
  constexpr double kStep = 0.001, kDeviation = 2.2360679775;
  for (double z = -8; z < 8; z += kStep)
    sum += kStep * std::exp(-z * z / 2) / std::sqrt(2 * M_PI) / (1 + std::exp(-std::abs(0.5 + kDeviation * z)));
  return sum;
}

// Coefficients that are off by 0.1 each move the margin by e, E|e| <= 0.1 sqrt(3). The sign of it is then another in at
// most 0.178 E|e| = 0.031 of the rows (0.178: the density of the margin at 0), where it says little: the accuracy is
// lower by 0.178 E e^2 / 4 = 0.0013 on average, with a deviation of sqrt(0.031 / 20000) = 0.0012. Four of them: 0.0063.
TEST(Fit, ClassesAreToldApartAsWellAsTheTruthDoes) {
  const Table test = class_table(20000, 6);
  const double best = accuracy_of_the_truth(test);
  EXPECT_NEAR(best, best_accuracy(), 4 * std::sqrt(0.25 / 20000)) << "this test's own data";
  double accuracies[2];
  for (const bool hinge : {false, true}) {
    FitOptions options{.target = "y", .loss = hinge ? Loss{HingeLoss{}} : Loss{LogisticLoss{}}, .budget = kGenerous};
    options.levels["y"] = {"no", "yes"};
    const auto fit = fitted(class_table(20000, 5), options);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    accuracies[hinge ? 1 : 0] = accuracy(*fit, test, {"yes", "no"});
    EXPECT_NEAR(accuracies[hinge ? 1 : 0], best, 0.0063) << (hinge ? "hinge" : "logistic");
  }
  RecordProperty("best", std::to_string(best));
  RecordProperty("logistic", std::to_string(accuracies[0]));
  RecordProperty("hinge", std::to_string(accuracies[1]));
}

TEST(Fit, ThreeClassesAreToldApart) {
  const std::vector<std::string> levels{"left", "right", "top"};
  const auto table = [&](std::uint64_t seed) {
    return simulated({{.name = "a"}, {.name = "b"}, {.name = "y", .kind = ColumnKind::text, .levels = levels}}, 15000,
                     seed, [](Random& random) {
                       const auto which = static_cast<double>(random() % 3);
                       return std::vector{3 * (which - 0.5) * (which < 2 ? 1 : 0) + normal(random),
                                          (which == 2 ? 3 : 0) + normal(random), which};
                     });
  };
  for (const char* loss : {"logistic", "hinge"}) {
    for (const bool given : {true, false}) {
      FitOptions options{.target = "y", .loss = *parse_loss(loss), .budget = {3, 1e-6}};
      if (given) options.levels["y"] = levels;
      const auto fit = fitted(table(7), options);
      ASSERT_TRUE(fit.ok()) << fit.error().message;
      EXPECT_EQ(fit->model.parts.size(), 3u);
      EXPECT_GT(accuracy(*fit, table(8), levels), 0.85) << loss;
    }
  }
}

// What a part begins with is kept for it while parts before it share the rest.
TEST(Fit, ManyClassesLeaveEachOtherTheirShares) {
  std::vector<std::string> names;
  for (int k = 0; k < 200; ++k) names.push_back(std::to_string(k));
  const std::vector<Column> columns{{.name = "x"}, {.name = "y", .kind = ColumnKind::text, .levels = names}};
  Table table = simulated(columns, 600, 5, [](Random& random) {
    return std::vector{normal(random), std::floor(200 * uniform(random))};
  });
  const auto fit =
      fitted(std::move(table), {.target = "y", .loss = LogisticLoss{}, .budget = {1, 1e-6}, .levels = {{"y", names}}});
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_EQ(fit->model.parts.size(), 200u);
  EXPECT_LE(fit->model.receipt.gaussian_spent.mu, fit->model.receipt.gaussian_budget.mu);
}

TEST(Fit, RecoversRatesPerExposure) {
  for (const bool exposure : {true, false}) {
    std::vector<Column> columns{{.name = "a"}, {.name = "y"}};
    if (exposure) columns.push_back({.name = "years"});
    Table table = simulated(columns, 40000, 9, [&](Random& random) {
      const double a = normal(random), years = exposure ? 0.5 + 2 * uniform(random) : 1;
      std::poisson_distribution<int> count(years * std::exp(-0.5 + 0.6 * a));
      std::vector<double> row{a, static_cast<double>(count(random))};
      if (exposure) row.push_back(years);
      return row;
    });
    FitOptions options{.target = "y", .loss = PoissonLoss{}, .budget = kGenerous};
    if (exposure) options.exposure = "years";
    SCOPED_TRACE(exposure);
    expect_near(fitted(std::move(table), options), {{"(intercept)", -0.5}, {"a", 0.6}}, 0.06);
  }
}

// A number moves the margin of a probability or of a rate by 4 at most, counted from the centre, or from its knots
// beyond the bulk. Here slopes would take it far further: one in twenty rows is far out, and the others alone reach 5
// units.
TEST(Fit, NoNumberMovesAnExponentialMarginFar) {
  for (const bool counts : {false, true}) {
    SCOPED_TRACE(counts ? "poisson" : "logistic");
    const double most = counts ? 4 : 8, slope = counts ? 1.5 : 3;
    std::vector<Column> columns{{.name = "a"}, {.name = "b"}, {.name = "y"}};
    if (!counts) columns[2] = {.name = "y", .kind = ColumnKind::text, .levels = {"yes", "no"}};
    Table table = simulated(columns, 40000, 18, [&](Random& random) {
      const double a = normal(random), far = uniform(random) < 0.05 ? 20 + 10 * uniform(random) : normal(random);
      const double margin = slope * a + (far > 10 ? 0.5 * (far - 20) : 0);
      const double y = counts ? std::poisson_distribution<int>(std::exp(margin - 1))(random)
                              : (uniform(random) < 1 / (1 + std::exp(-2 * margin)) ? 0 : 1);
      return std::vector{a, far, y};
    });
    FitOptions options{.target = "y", .loss = counts ? Loss{PoissonLoss{}} : Loss{LogisticLoss{}}, .budget = kGenerous};
    if (!counts) options.levels["y"] = {"no", "yes"};
    const auto fit = fitted(std::move(table), options);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    std::map<FeatureKind, double> furthest;
    for (std::size_t j = 0; j < fit->model.features.size(); ++j) {
      const Feature& f = fit->model.features[j];
      const bool beyond = f.kind == FeatureKind::beyond;
      const double up = f.high - (beyond ? f.knot_high : f.centre), down = (beyond ? f.knot_low : f.centre) - f.low;
      const double effect = std::abs(fit->model.parts[0].coefficients[j].value) * std::max(up, down);
      EXPECT_LE(effect, most * (1 + 1e-12)) << feature_name(f);
      furthest[f.kind] = std::max(furthest[f.kind], effect);
    }
    EXPECT_NEAR(furthest[FeatureKind::number], most, 1e-9) << "limits are drawn in no further than needed";
    if (!counts) {
      EXPECT_NEAR(furthest[FeatureKind::beyond], most, 1e-9);
    }
  }
  // A linear margin may go as far as the column does.
  const auto linear = fitted(linear_table(20000, 1), {.target = "y", .budget = kGenerous});
  ASSERT_TRUE(linear.ok());
  const Feature& a = linear->model.features[0];
  EXPECT_GT(linear->model.parts[0].coefficients[0].value * (a.high - a.centre), 12);
}

// What a column does beyond its bulk is one term more, and is left out where the target does not change there: then the
// model claims no error for it. The reference level is 0 by definition.
// Forty slopes from 1500 rows have errors that are those of any such fit: no reason to give the constant model.
TEST(Fit, ErrorsOfSamplingAreNoReasonForAConstantClass) {
  std::vector<Column> columns;
  for (int j = 0; j < 40; ++j) columns.push_back({.name = std::string("x").append(std::to_string(j))});
  columns.push_back({.name = "y", .kind = ColumnKind::text, .levels = {"no", "yes"}});
  Table table = simulated(columns, 1500, 31, [](Random& random) {
    std::vector<double> row;
    for (int j = 0; j < 40; ++j) row.push_back(normal(random));
    row.push_back(uniform(random) < 1 / (1 + std::exp(-2 * row[0] + 2 * row[1])) ? 1 : 0);
    return row;
  });
  FitOptions options{.target = "y", .loss = LogisticLoss{}, .budget = kGenerous};
  options.levels["y"] = {"no", "yes"};
  const auto fit = fitted(std::move(table), options);
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_FALSE(fit->constant);
  EXPECT_GT(fit->model.parts[0].coefficients[0].value, 1);
  EXPECT_LT(fit->model.parts[0].coefficients[1].value, -1);
}

TEST(Fit, TailsThatDoNotShowAreLeftOut) {
  for (const double far_effect : {0.0, 3.0}) {
    SCOPED_TRACE(far_effect);
    Table table = simulated({{.name = "a"}, {.name = "b"}, {.name = "y"}}, 40000, 18, [&](Random& random) {
      const double a = normal(random), b = uniform(random) < 0.05 ? 20 + 10 * uniform(random) : normal(random);
      return std::vector{a, b, 2 * a + (b > 10 ? far_effect : 0) + normal(random)};
    });
    const auto fit = fitted(std::move(table), {.target = "y", .budget = {5, 1e-6}});
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    int tails = 0;
    for (std::size_t j = 0; j < fit->model.features.size(); ++j) {
      const Estimate& found = fit->model.parts[0].coefficients[j];
      const Feature& feature = fit->model.features[j];
      if (feature.kind != FeatureKind::beyond) {
        EXPECT_GT(found.standard_error, 0) << feature_name(feature);
        continue;
      }
      ++tails;
      EXPECT_EQ(is_left_out(found), far_effect == 0) << feature_name(feature) << ' ' << found.value;
      EXPECT_EQ(std::isnan(found.low), far_effect == 0);
    }
    EXPECT_EQ(tails, 1);
  }
}

// y = 1 + 2 [Graz] - 3 [Linz] + a; Wien is the most frequent and so the reference.
// Noise makes some columns look longer than they are. A tail without rows has a slope of noise alone.
TEST(Fit, NormalColumnsHaveNoTails) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Table table =
        simulated({{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "y"}}, 20000, seed, [](Random& random) {
          const double a = normal(random), b = normal(random), c = normal(random);
          return std::vector{a, b, c, a - 2 * b + 0.5 * c + normal(random)};
        });
    const auto fit = fitted(std::move(table), {.target = "y", .budget = {1, 1e-6}}, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    for (const auto& [name, estimate] : estimates(fit->model))
      EXPECT_TRUE(name.find("beyond") == std::string::npos || std::isnan(estimate.standard_error)) << seed << name;
  }
}

TEST(Fit, RecoversLevelsGivenOrFound) {
  const std::vector<std::string> levels{"Graz", "Linz", "Wien"};
  for (const bool given : {true, false}) {
    Table table =
        simulated({{.name = "city", .kind = ColumnKind::text, .levels = levels}, {.name = "a"}, {.name = "y"}}, 20000,
                  10, [](Random& random) {
                    const double u = uniform(random), a = normal(random);
                    const double city = u < 0.2 ? 0 : (u < 0.5 ? 1 : 2);
                    const double effect = city == 0 ? 2 : (city == 1 ? -3 : 0);
                    return std::vector{city, a, 1 + effect + a + 0.5 * normal(random)};
                  });
    FitOptions options{.target = "y", .budget = kGenerous};
    if (given) options.levels["city"] = levels;
    const auto fit = fitted(std::move(table), options);
    expect_near(fit, {{"(intercept)", 1}, {"city=Graz", 2}, {"city=Linz", -3}, {"city=Wien", 0}, {"a", 1}}, 0.05);
    EXPECT_EQ(estimates(fit->model).at("city=Wien").standard_error, 0);
  }
}

// Cells are missing at random, and where b is missing y is 5 higher.
TEST(Fit, MissingCellsAreMarkedOrCentred) {
  Table table = simulated({{.name = "a"}, {.name = "b"}, {.name = "y"}}, 30000, 11, [](Random& random) {
    const double a = 4 + normal(random), b = 7 + normal(random);
    const bool hidden = uniform(random) < 0.2;
    return std::vector{a, hidden ? kMissing : b, 1 + a + (hidden ? 5 : 0.5 * (b - 7)) + 0.5 * normal(random)};
  });
  const FitOptions options{.target = "y", .budget = kGenerous, .missing_indicators = {"b"}};
  expect_near(fitted(std::move(table), options), {{"a", 1}, {"b", 0.5}, {"b is missing", 5}}, 0.06);
}

TEST(Fit, RowsWithoutATargetAreLeftOut) {
  Table table = simulated({{.name = "a"}, {.name = "y"}}, 20000, 12, [](Random& random) {
    const double a = normal(random);
    return std::vector{a, uniform(random) < 0.3 ? kMissing : 2 + a + 0.5 * normal(random)};
  });
  const FitOptions options{.target = "y", .budget = kGenerous};
  expect_near(fitted(std::move(table), options), {{"(intercept)", 2}, {"a", 1}}, 0.05);
}

TEST(Fit, ConstantAndDuplicateColumnsDoNoHarm) {
  Table table =
      simulated({{.name = "a"}, {.name = "same"}, {.name = "seven"}, {.name = "zero"}, {.name = "none"}, {.name = "y"}},
                20000, 13, [](Random& random) {
                  const double a = normal(random);
                  return std::vector{a, a, 7.0, 0.0, kMissing, 1 + 2 * a + 0.5 * normal(random)};
                });
  const Table test = simulated(table.columns(), 1000, 14, [](Random& random) {
    const double a = normal(random);
    return std::vector{a, a, 7.0, 0.0, kMissing, 1 + 2 * a};
  });
  for (const double epsilon : {2.0, 1000.0}) {
    Table copy = table_of(table.columns(), [&] {
      const auto rows = std::get<RowsOf<double>>(table.view());
      return std::vector<double>(rows.data, rows.data + rows.rows * rows.columns);
    }());
    const auto fit = fitted(std::move(copy), {.target = "y", .budget = {epsilon, 1e-6}});
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    auto predictor = Predictor::create(fit->model, test.columns());
    ASSERT_TRUE(predictor.ok());
    const auto rows = std::get<RowsOf<double>>(test.view());
    double squares = 0;
    for (std::size_t i = 0; i < rows.rows; ++i)
      squares += std::pow(predictor->predict(rows.row(i)).value - rows.row(i)[5], 2) / static_cast<double>(rows.rows);
    EXPECT_LT(std::sqrt(squares), epsilon > 100 ? 0.1 : 0.4) << epsilon;
    const auto found = estimates(fit->model);
    EXPECT_NEAR(found.at("a").value + found.at("same").value, 2, epsilon > 100 ? 0.1 : 0.4) << epsilon;
  }
}

TEST(Fit, KnownBoundsReplaceTheSketch) {
  const FitOptions options{.target = "y", .budget = kGenerous, .bounds = {{"a", {0, 20}}, {"b", {-4, 2}}}};
  const auto fit = fitted(linear_table(20000, 15), options);
  expect_near(fit, {{"(intercept)", 3}, {"a", 2}, {"b", -4}}, 0.06);
  EXPECT_EQ(fit->model.features[0].high, 20);
}

// Slopes of a and b by least squares, from the second moments of the rows about their means.
std::pair<double, double> least_squares(const Table& table) {
  const auto rows = std::get<RowsOf<double>>(table.view());
  std::array<double, 3> mean{};
  std::array<std::array<double, 3>, 3> moment{};
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < 3; ++j) mean[j] += rows.row(i)[j] / static_cast<double>(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) moment[j][k] += (rows.row(i)[j] - mean[j]) * (rows.row(i)[k] - mean[k]);
  const double determinant = moment[0][0] * moment[1][1] - moment[0][1] * moment[0][1];
  return {(moment[0][2] * moment[1][1] - moment[1][2] * moment[0][1]) / determinant,
          (moment[1][2] * moment[0][0] - moment[0][2] * moment[0][1]) / determinant};
}

// Root mean squares, over 20 sources of noise, of how far the slopes are from those without privacy and from the truth,
// in their own sizes.
std::pair<double, double> errors_at(double epsilon) {
  double from_free = 0, from_truth = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Table table = linear_table(20000, 16);
    const auto [a, b] = least_squares(table);
    const auto fit = fitted(std::move(table), {.target = "y", .budget = {epsilon, 1e-6}}, seed);
    if (!fit) stop_at(fit.error());
    const auto found = estimates(fit->model);
    const double at_a = found.at("a").value, at_b = found.at("b").value;
    from_free += (std::pow((at_a - a) / 2, 2) + std::pow((at_b - b) / 4, 2)) / 20;
    from_truth += (std::pow((at_a - 2) / 2, 2) + std::pow((at_b + 4) / 4, 2)) / 20;
  }
  return {std::sqrt(from_free), std::sqrt(from_truth)};
}

TEST(Fit, MoreBudgetGivesTheNonPrivateFit) {
  const double low = errors_at(0.3).first, middle = errors_at(3).first;
  const auto [high, high_truth] = errors_at(300);
  EXPECT_LT(middle, 0.5 * low);
  EXPECT_LT(high, 0.5 * middle);
  EXPECT_LT(high_truth, 0.01);  // the sampling error of the slopes is 0.004 of them
  RecordProperty("errors", std::to_string(low) + ", " + std::to_string(middle) + ", " + std::to_string(high));
}

// With nothing to find, predictions stay near the mean.
TEST(Fit, ANoiseTargetIsNotWorseThanTheConstant) {
  double excess = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Table table =
        simulated({{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "y"}}, 5000, 17 + seed, [](Random& random) {
          return std::vector{normal(random), normal(random), normal(random), 5 + normal(random)};
        });
    const auto fit = fitted(std::move(table), {.target = "y", .budget = {1, 1e-6}}, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    const auto found = estimates(fit->model);
    double intercept = found.at("(intercept)").value, square = 0;
    for (const char* name : {"a", "b", "c"}) square += std::pow(found.at(name).value, 2);
    excess += (square + std::pow(intercept - 5, 2)) / 10;  // over the variance 1 of the target
  }
  EXPECT_LT(excess, 0.01);
}

// The differences of losses that choose between fit and constant are cut to +-4, those of linear losses to +-1.
TEST(Fit, TheChoiceIsCheapWhereLossesGrowLinearly) {
  for (const auto& [loss, sensitivity] : {std::pair{"squared", 8.0}, {"absolute", 2.0}, {"huber", 2.0}}) {
    const auto fit = fitted(linear_table(2000, 1), {.target = "y", .loss = *parse_loss(loss), .budget = kGenerous});
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    const auto& lines = fit->model.receipt.lines;
    const auto choice =
        std::ranges::find(lines, "choice between fit and constant", [](const auto& line) { return line.release.what; });
    ASSERT_NE(choice, lines.end()) << loss;
    EXPECT_NEAR(choice->release.sensitivity, sensitivity, 1e-3) << loss;
  }
}

}  // namespace
}  // namespace tailcoat
