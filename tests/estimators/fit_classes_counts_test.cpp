// What a fit finds of classes and of counts: chances and rates, whose curvature changes with them.
#include <gtest/gtest.h>

#include "fitting.hpp"
#include "tailcoat/estimators/fit.hpp"
#include "tailcoat/estimators/predict.hpp"

namespace tailcoat {
namespace {

TEST(FitOfClassesAndCounts, FewEventsGiveTheConstantRate) {
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

TEST(FitOfClassesAndCounts, AFewNegativeCountsAreZerosAndManyAreNoCounts) {
  const auto table_with = [](double in_place_of_some_zeros, double share) {
    return simulated({{.name = "a"}, {.name = "y"}}, 3000, 5, [=](Random& random) {
      const double a = normal(random);
      const int count = std::poisson_distribution<int>(std::exp(0.4 * a))(random);
      const bool other = uniform(random) < share;
      return std::vector<double>{a, count == 0 && other ? in_place_of_some_zeros : count};
    });
  };
  const FitOptions options{.target = "y", .loss = PoissonLoss{}, .budget = {3, 1e-6}};
  // About 4 rows, too few to show.
  const auto few = fitted(table_with(-1, 0.004), options), none = fitted(table_with(0, 0.004), options);
  ASSERT_TRUE(few.ok() && none.ok());
  EXPECT_NEAR(few->model.parts[0].coefficients[0].value, none->model.parts[0].coefficients[0].value, 0.02);
  const auto many = fitted(table_with(-1, 0.5), options);
  ASSERT_FALSE(many.ok());
  EXPECT_NE(many.error().message.find("below 0, and Poisson loss is for counts"), std::string::npos)
      << many.error().message;
}

// The long gradients are those of the rows with events: clips that cut them would halve the rate.
TEST(FitOfClassesAndCounts, TheRateOfRareCountsIsKeptWhateverIsClipped) {
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

// Clips cut the gradients of a rare class more than those of the other. Without a step of the level, fits like these
// gave the rare class 0.6 of its chance in the mean; the others need noise to be so far off.
TEST(FitOfClassesAndCounts, ARareClassHasItsChanceInTheMean) {
  std::vector<Column> columns;
  for (int j = 0; j < 12; ++j) columns.push_back({.name = std::string{'x', static_cast<char>('a' + j)}});
  columns.push_back({.name = "y", .kind = ColumnKind::text, .levels = {"no", "yes"}});
  double ratios = 0;
  constexpr int kFits = 12;
  for (std::uint64_t seed = 1; seed <= kFits; ++seed) {
    double yes = 0, chance = 0;
    const Table table = simulated(columns, 8000, seed, [&](Random& random) {
      std::vector<double> row(13);
      for (double& cell : row) cell = normal(random);
      row[12] = uniform(random) < 1 / (1 + std::exp(3.5 - row[0] - row[1])) ? 1 : 0;
      yes += row[12];
      return row;
    });
    FitOptions options{.target = "y", .loss = LogisticLoss{}, .budget = {1, 1e-6}};
    options.levels["y"] = {"no", "yes"};
    Engine engine(1);
    BitSource noise = BitSource::insecure_seeded(seed);
    const auto fit = tailcoat::fit(frame_of(table), options, {engine, noise});
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    auto predictor = Predictor::create(fit->model, table.columns());
    ASSERT_TRUE(predictor.ok()) << predictor.error().message;
    const auto rows = std::get<RowsOf<double>>(table.view());
    for (std::size_t i = 0; i < rows.rows; ++i) chance += predictor->predict(rows.row(i)).probabilities[1];
    ratios += chance / yes / kFits;
  }
  EXPECT_NEAR(ratios, 1, 0.2);
}

// Counts above 1 are too few to be seen here. They were cut to 1, and the mean came out a quarter too small.
TEST(FitOfClassesAndCounts, CountsTooRareToBeSeenAreCounted) {
  double ratios = 0;
  constexpr int kFits = 20;
  for (std::uint64_t seed = 1; seed <= kFits; ++seed) {
    double sum = 0;
    Table table = simulated({{.name = "y"}}, 4000, seed, [&](Random& random) {
      const double y = uniform(random) < 0.2 ? 1 + std::geometric_distribution<int>(0.6)(random) : 0;
      sum += y;
      return std::vector{y};
    });
    const auto fit = fitted(std::move(table), {.target = "y", .loss = PoissonLoss{}, .budget = {0.1, 1e-6}}, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    ratios += std::exp(fit->model.parts[0].intercept.value) * 4000 / sum / kFits;
  }
  EXPECT_NEAR(ratios, 1, 0.12);
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

TEST(FitOfClassesAndCounts, RecoversALogisticModelGivenTheClassesOrNot) {
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
TEST(FitOfClassesAndCounts, ClassesAreToldApartAsWellAsTheTruthDoes) {
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

// Along a strong slope chances are near 0 or 1, and the loss has less curvature than elsewhere. Of 40 intervals of 95 %
// fewer than 33 hold the slope with a probability of 2e-4. (With one curvature for all directions, 28 did.)
TEST(FitOfClassesAndCounts, IntervalsHoldAStrongSlope) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Table table = simulated(
        {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "y", .kind = ColumnKind::text, .levels = {"no", "yes"}}},
        10000, seed, [](Random& random) {
          const double a = normal(random), b = normal(random), c = normal(random);
          return std::vector{a, b, c, uniform(random) < 1 / (1 + std::exp(0.5 - 2 * a - 0.5 * b)) ? 1.0 : 0.0};
        });
    FitOptions options{.target = "y", .loss = LogisticLoss{}, .budget = {3, 1e-6}, .straight = true};
    options.levels["y"] = {"no", "yes"};
    const auto fit = fitted(std::move(table), options, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    const Estimate a = estimates(fit->model).at("a");
    held += a.low <= 2 && 2 <= a.high ? 1 : 0;
  }
  EXPECT_GE(held, 33);
}

TEST(FitOfClassesAndCounts, ThreeClassesAreToldApart) {
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
TEST(FitOfClassesAndCounts, ManyClassesLeaveEachOtherTheirShares) {
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

TEST(FitOfClassesAndCounts, RecoversRatesPerExposure) {
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
TEST(FitOfClassesAndCounts, NoNumberMovesAnExponentialMarginFar) {
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
    options.straight = true;
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
TEST(FitOfClassesAndCounts, ErrorsOfSamplingAreNoReasonForAConstantClass) {
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

}  // namespace
}  // namespace tailcoat
