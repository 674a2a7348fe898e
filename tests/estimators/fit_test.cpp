// What a fit finds: known coefficients, whatever the loss and the columns.
#include "tailcoat/estimators/fit.hpp"

#include <gtest/gtest.h>

#include <array>

#include "fitting.hpp"
#include "tailcoat/estimators/evaluate.hpp"
#include "tailcoat/estimators/predict.hpp"

namespace tailcoat {
namespace {

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

// Of the sizes some are far out, too few to be seen one bin at a time among 13 columns, and they tell most. By the
// histograms alone 1 of 12 fits had a slope for them; the second moments show them.
TEST(Fit, TailsThatHistogramsHideAreFoundBySecondMoments) {
  std::vector<Column> columns{{.name = "size"}};
  for (int j = 0; j < 12; ++j) columns.push_back({.name = std::string("x").append(std::to_string(j))});
  columns.push_back({.name = "y"});
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Table table = simulated(columns, 17000, seed, [](Random& random) {
      std::vector<double> row{1900 * std::exp(0.42 * normal(random))};
      for (int j = 0; j < 12; ++j) row.push_back(normal(random));
      row.push_back(row[0] / 1000 + 3 * std::max(row[0] - 5500, 0.0) / 1000 + 0.5 * normal(random));
      return row;
    });
    const auto fit = fitted(std::move(table), {.target = "y", .budget = {10, 1e-6}}, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    for (const auto& [name, estimate] : estimates(fit->model))
      found += name.starts_with("size beyond") && estimate.value > 0.002 ? 1 : 0;
  }
  EXPECT_GE(found, 10);
}

// Most are zeros, and the others reach far: gradients that are clipped say half of the mean, and without a step of the
// level fits were worse than a constant by up to 0.04.
TEST(Fit, OfASkewedTargetIsHardlyWorseThanItsMean) {
  for (const double epsilon : {1.0, 3.0}) {
    double worst = 1;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const auto rows = [](Random& random) {
        const double a = normal(random), b = normal(random);
        const double size = std::exp(0.3 * a + 1.2 * normal(random));
        return std::vector<double>{a, b, uniform(random) < 0.65 ? 0 : size};
      };
      const std::vector<Column> columns{{.name = "a"}, {.name = "b"}, {.name = "y"}};
      const auto fit = fitted(simulated(columns, 5000, seed, rows), {.target = "y", .budget = {epsilon, 1e-6}}, seed);
      ASSERT_TRUE(fit.ok()) << fit.error().message;
      const Table same = simulated(columns, 5000, seed, rows);
      const auto evaluation = evaluate(fit->model, *source_of(same));
      ASSERT_TRUE(evaluation.ok());
      worst = std::min(worst, std::ranges::find(evaluation->metrics, "r2", &Metric::name)->value);
    }
    EXPECT_GT(worst, -0.03) << epsilon;
  }
}

// Outliers that have nothing to do with the columns: in some the wide clip would cut the rows of rare levels more than
// others, or targets are missing where a is large.
TEST(Fit, OutliersStayOutliersWhateverTheColumnsAreLike) {
  for (const bool missing : {false, true}) {
    for (const double epsilon : {1.0, 10.0}) {
      SCOPED_TRACE(std::to_string(epsilon) + (missing ? ", missing targets" : ", rare ones"));
      std::vector<Column> columns{{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}, {.name = "y"}};
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        Table table = simulated(columns, 20000, seed, [&](Random& random) {
          std::vector<double> row;
          for (int j = 0; j < 4; ++j) row.push_back(missing ? normal(random) : uniform(random) < 0.03 ? 1 : 0);
          const double far = uniform(random) < 0.08 ? 1000 - 1000 * std::log(1 - uniform(random)) : 0;
          const bool gone = missing && uniform(random) < (row[0] > 0 ? 0.6 : 0.1);
          row.push_back(gone ? std::nan("") : 1 + row[0] + 0.5 * row[1] + normal(random) + far);
          return row;
        });
        const auto fit = fitted(std::move(table), {.target = "y", .budget = {epsilon, 1e-6}}, seed);
        ASSERT_TRUE(fit.ok()) << fit.error().message;
        // The mean is 160; the step of the level stops before it, and gradients do not go there.
        EXPECT_LT(std::abs(estimates(fit->model)["(intercept)"].value), 80) << seed;
      }
    }
  }
}

// One row of fifty lies on a line of slope 100: a fit of the mean has the slope 1 + 2, and is no constant.
TEST(Fit, FarRowsOnAnotherLineAreFollowed) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Table table = simulated({{.name = "a"}, {.name = "b"}, {.name = "y"}}, 20000, seed, [](Random& random) {
      const double a = normal(random), b = normal(random), far = uniform(random) < 0.02 ? 100 * a : 0;
      return std::vector{a, b, a + 0.5 * b + 0.5 * normal(random) + far};
    });
    expect_near(fitted(std::move(table), {.target = "y", .budget = {30, 1e-6}}, seed), {{"a", 3}}, 0.7);
  }
}

// y = 2 x with x over three orders of magnitude. The descent came to a slope of -0.4 beyond the bulk, with an interval
// of 0.1: gradients of far rows are bounded, and 16 steps that suit the others are a small part of the way.
TEST(Fit, SlopesOfHeavyTailsAreFound) {
  for (const Loss& loss : {Loss(SquaredLoss{}), Loss(AbsoluteLoss{}), Loss(HuberLoss{1.345})}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Table table = simulated({{.name = "x"}, {.name = "z"}, {.name = "y"}}, 20000, seed, [](Random& random) {
        const double x = std::exp(1.5 * normal(random)), z = normal(random);
        return std::vector{x, z, 2 * x + z + normal(random)};
      });
      const auto fit = fitted(std::move(table), {.target = "y", .loss = loss, .budget = {10, 1e-6}}, seed);
      ASSERT_TRUE(fit.ok()) << fit.error().message;
      ASSERT_EQ(fit->model.features[1].kind, FeatureKind::beyond);
      for (const std::size_t j : {0, 1}) EXPECT_NEAR(fit->model.parts[0].coefficients[j].value, 2, 0.2) << j << seed;
    }
  }
}

// The slope is 1000 beyond the bulk and 0 within: no 24 steps get there, and the fit says so.
TEST(Fit, SaysWhereASlopeHasNotBeenReached) {
  Table table = simulated({{.name = "x"}, {.name = "z"}, {.name = "y"}}, 20000, 1, [](Random& random) {
    const double x = std::exp(2 * normal(random)), z = normal(random);
    return std::vector{x, z, 1000 * std::max(x - 30, 0.0) + z};
  });
  const auto fit = fitted(std::move(table), {.target = "y", .loss = AbsoluteLoss{}, .budget = {10, 1e-6}});
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_TRUE(std::ranges::any_of(fit->model.notes, [](const std::string& note) {
    return note.starts_with("the fit ended on the way to the slope of x");
  }));
}

// Ten columns and 1000 rows, epsilon = 1: a strength of 16 for each. It took 15 for each and five more to try slopes.
TEST(Fit, FewRowsGiveSlopesToo) {
  double sum = 0;
  int bad = 0;
  constexpr int kFits = 20;
  for (std::uint64_t seed = 1; seed <= kFits; ++seed) {
    std::vector<Column> columns;
    for (int j = 0; j < 10; ++j) columns.push_back({.name = std::string("x").append(std::to_string(j))});
    columns.push_back({.name = "y"});
    const auto row = [](Random& random) {
      std::vector<double> cells;
      const double common = normal(random);
      for (int j = 0; j < 10; ++j) cells.push_back(50 + 5 * (common + normal(random)));
      cells.push_back(1000 + 20 * common + 10 * normal(random));
      return cells;
    };
    const auto fit = fitted(simulated(columns, 1000, seed, row), {.target = "y", .budget = {1, 1e-6}}, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    Random random(seed + 100);
    double squares = 0, around = 0;
    for (int i = 0; i < 2000; ++i) {
      const std::vector<double> cells = row(random);
      double value = fit->model.parts[0].intercept.value;
      for (std::size_t j = 0; j < fit->model.features.size(); ++j) {
        const Feature& feature = fit->model.features[j];
        value += fit->model.parts[0].coefficients[j].value *
                 feature.of_number(cells[static_cast<std::size_t>(feature.column[1] - '0')]);
      }
      squares += std::pow(cells.back() - value, 2);
      around += std::pow(cells.back() - 1000, 2);
    }
    sum += 1 - squares / around;
    bad += squares > 1.05 * around ? 1 : 0;
    EXPECT_LE(fit->model.receipt.gaussian_spent.mu, fit->model.receipt.gaussian_budget.mu);
  }
  EXPECT_GT(sum / kFits, 0.4) << "of 0.73 that all rows would give";
  EXPECT_LE(bad, 2) << "much worse than the mean of all rows";
}

// y = 1 + 2 [Graz] - 3 [Linz] + a; Wien is the most frequent and so the reference.
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

// Half of the rows are of Wien; the others are of thousands of villages, or of none, which adds 3 to y. Levels given or
// found, the villages are one.
TEST(Fit, RareTextsAreALevelTogether) {
  std::vector<std::string> levels{"Wien", "Graz"};
  for (int i = 0; i < 9000; ++i) levels.push_back(std::string("village ").append(std::to_string(i)));
  for (const bool given : {true, false}) {
    Table table =
        simulated({{.name = "city", .kind = ColumnKind::text, .levels = levels}, {.name = "a"}, {.name = "y"}}, 20000,
                  14, [](Random& random) {
                    const double u = uniform(random), a = normal(random);
                    const double village = 2 + std::floor(9000 * uniform(random));
                    const double city = u < 0.5 ? 0 : (u < 0.7 ? 1 : (u < 0.75 ? kMissing : village));
                    return std::vector{city, a, 1 + (u < 0.5 ? 0 : (u < 0.7 ? 2 : 3)) + a + 0.5 * normal(random)};
                  });
    FitOptions options{.target = "y", .budget = kGenerous};
    if (given) options.levels["city"] = {"Wien", "Graz"};
    const auto fit = fitted(std::move(table), options);
    expect_near(fit, {{"(intercept)", 1}, {"city=Graz", 2}, {"city=Wien", 0}, {"city is other", 3}, {"a", 1}}, 0.05);
    ASSERT_EQ(fit->model.notes.size(), 1u);
    EXPECT_NE(fit->model.notes[0].find("or none: \"city is other\""), std::string::npos) << fit->model.notes[0];
    const std::vector<Column> columns{{.name = "city", .kind = ColumnKind::text, .levels = {"Linz"}}, {.name = "a"}};
    auto encoder = RowEncoder::create(fit->model.features, columns);
    ASSERT_TRUE(encoder.ok());
    std::vector<double> values(encoder->features());
    encoder->encode(std::vector<double>{0, 0}, values);
    double prediction = fit->model.parts[0].intercept.value;
    for (std::size_t j = 0; j < values.size(); ++j) prediction += values[j] * fit->model.parts[0].coefficients[j].value;
    EXPECT_NEAR(prediction, 4, 0.1) << "a town that no row has";
  }
}

// Levels that no row has, and columns without cells, would have coefficients of noise alone.
TEST(Fit, WhatIsNotThereHasNoCoefficient) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Table table = simulated(
        {{.name = "city", .kind = ColumnKind::text, .levels = {"Wien", "Graz"}}, {.name = "void"}, {.name = "y"}}, 5000,
        seed, [](Random& random) {
          const double city = uniform(random) < 0.4 ? 1 : 0;
          return std::vector{city, kMissing, 2 * city + normal(random)};
        });
    FitOptions options{.target = "y", .budget = {1, 1e-6}};
    options.levels["city"] = {"Wien", "Graz", "Atlantis"};
    const auto fit = fitted(std::move(table), options, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    const auto found = estimates(fit->model);
    EXPECT_FALSE(found.contains("city=Atlantis"));
    EXPECT_EQ(found.at("void").value, 0);
    EXPECT_TRUE(std::isnan(found.at("void").standard_error));
    ASSERT_EQ(fit->model.notes.size(), 2u);
    EXPECT_EQ(fit->model.notes[0], "city: too few rows hold 'Atlantis' to tell it from others");
    EXPECT_EQ(fit->model.notes[1], "void: next to no cell is there, so there is no coefficient");
  }
}

// The one level that shows tells the rest of the column by itself.
TEST(Fit, ALevelTooRareToBeFoundIsNotLost) {
  Table table = simulated({{.name = "smoker", .kind = ColumnKind::text, .levels = {"no", "yes"}}, {.name = "y"}}, 3000,
                          15, [](Random& random) {
                            const double smoker = uniform(random) < 0.023 ? 1 : 0;
                            return std::vector{smoker, 10 * smoker + normal(random)};
                          });
  const auto fit = fitted(std::move(table), {.target = "y", .budget = {1, 1e-6}});
  ASSERT_TRUE(fit.ok());
  EXPECT_FALSE(fit->constant);
  expect_near(fit, {{"smoker is other", 10}}, 3);
}

// Amounts are 0 in six rows of ten; any other adds 4, and 0.5 for each unit. Without a feature for that, the slope
// would have to tell both.
TEST(Fit, ZerosAreToldFromOtherNumbers) {
  Table table = simulated({{.name = "a"}, {.name = "b"}, {.name = "y"}}, 30000, 13, [](Random& random) {
    const double a = normal(random), b = uniform(random) < 0.6 ? 0 : 1 + 7 * uniform(random);
    return std::vector{a, b, 1 + a + (b != 0 ? 4 : 0) + 0.5 * b + 0.5 * normal(random)};
  });
  const FitOptions options{.target = "y", .budget = kGenerous};
  expect_near(fitted(std::move(table), options), {{"(intercept)", 1}, {"a", 1}, {"b", 0.5}, {"b is not 0", 4}}, 0.05);
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
