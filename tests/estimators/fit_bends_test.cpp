// Fits of numbers that bend, and of numbers that do not.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>

#include "fitting.hpp"
#include "tailcoat/estimators/predict.hpp"
#include "tailcoat/estimators/public_rows.hpp"

namespace tailcoat {
namespace {

constexpr ApproxDp kBudget{1, 1e-6};
const FitOptions kPlain{.target = "y", .budget = kBudget};

using Cells = std::function<double(Random&)>;

// y = what is said of x, plus noise.
Table xy(std::size_t rows, std::uint64_t seed, const Cells& x, const std::function<double(double)>& y,
         double noise = 0.5) {
  return simulated({{.name = "x"}, {.name = "y"}}, rows, seed, [&](Random& random) {
    const double cell = x(random);
    return std::vector{cell, y(cell) + noise * normal(random)};
  });
}

double near_five(Random& random) { return 5 + normal(random); }
double exponential(Random& random) { return -std::log1p(-uniform(random)); }

// Bent at 5, where the middle of x is.
Table bent(std::size_t rows, std::uint64_t seed) {
  return xy(rows, seed, near_five, [](double x) { return std::abs(x - 5); });
}

bool is_bent(const Model& model, const std::string& column) {
  return std::ranges::any_of(model.features, [&](const Feature& feature) {
    return feature.column == column && feature.kind == FeatureKind::below;
  });
}

const ReceiptLine* release(const Fit& fit, const std::string& what) {
  for (const ReceiptLine& line : fit.model.receipt.lines)
    if (line.release.what == what) return &line;
  return nullptr;
}

void expect_one_slope(const Result<Fit>& fit, const std::string& why) {
  ASSERT_TRUE(fit.ok()) << why << fit.error().message;
  ASSERT_EQ(fit->model.features.size(), 1u) << why;
  EXPECT_EQ(feature_name(fit->model.features[0]), "x") << why;
}

// The lines of the receipt add up to no more than the budget, and the look at bends is one of them.
void expect_paid_for(const Fit& fit) {
  const Receipt& receipt = fit.model.receipt;
  double squares = 0;
  for (const ReceiptLine& line : receipt.lines) squares += line.price.mu * line.price.mu;
  EXPECT_LE(std::sqrt(squares), receipt.gaussian_budget.mu * (1 + 1e-12));
  EXPECT_GE(std::sqrt(squares), receipt.gaussian_budget.mu * 0.99) << "what is left goes to gradients";
  const ReceiptLine* bends = release(fit, "where numbers bend");
  ASSERT_NE(bends, nullptr);
  EXPECT_NEAR(std::pow(bends->price.mu / receipt.gaussian_budget.mu, 2), 0.03, 1e-6);
  for (const ReceiptLine& line : receipt.lines) {
    const std::string& what = line.release.what;
    if (what != "where numbers bend" && !what.starts_with("target")) continue;
    const auto same = [&](const ReceiptLine& other) { return other.release.what == what; };
    EXPECT_EQ(std::ranges::count_if(receipt.lines, same), 1) << what;
  }
}

// Slopes by least squares of a model's features, of many rows without privacy.
Eigen::VectorXd least_squares(const Model& model, const Table& table) {
  const Frame frame = frame_of(table);
  const auto cells = std::get<RowsOf<double>>(frame.cells);
  const auto features = static_cast<Eigen::Index>(model.features.size());
  Eigen::MatrixXd moment = Eigen::MatrixXd::Zero(features + 1, features + 1);
  Eigen::VectorXd product = Eigen::VectorXd::Zero(features + 1), row(features + 1);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (Eigen::Index j = 0; j < features; ++j)
      row[j] = model.features[static_cast<std::size_t>(j)].of_number(cells.row(i)[0]);
    row[features] = 1;
    moment += row * row.transpose();
    product += cells.row(i)[1] * row;
  }
  return moment.ldlt().solve(product);
}

// The middle that is released is not quite where the angle is: the slopes to find are those of the best fit with it.
TEST(FitBends, AnAngleHasASlopeOnEitherSide) {
  const Table many = bent(200000, 99);
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto fit = fitted(bent(20000, seed), kPlain, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    const Model& model = fit->model;
    ASSERT_EQ(model.features.size(), 2u) << seed;
    EXPECT_TRUE(feature_name(model.features[0]).starts_with("x below ")) << feature_name(model.features[0]);
    EXPECT_TRUE(feature_name(model.features[1]).starts_with("x above ")) << feature_name(model.features[1]);
    EXPECT_EQ(model.features[0].high, model.features[1].low);
    EXPECT_NEAR(model.features[0].high, 5, 0.1);
    EXPECT_TRUE(
        std::ranges::any_of(model.notes, [](const std::string& note) { return note.starts_with("x bends: "); }));
    const Eigen::VectorXd truth = least_squares(model, many);
    for (const Eigen::Index j : {0, 1}) {
      const Estimate slope = model.parts[0].coefficients[static_cast<std::size_t>(j)];
      EXPECT_NEAR(slope.value, j == 0 ? -1 : 1, 0.1) << seed;
      EXPECT_NEAR(slope.value, truth[j], 5 * slope.standard_error) << seed;
      held += slope.low < truth[j] && truth[j] < slope.high ? 1 : 0;
    }
    expect_paid_for(*fit);
  }
  EXPECT_GE(held, 34) << "intervals of 95 %, of 40";
}

TEST(FitBends, StraightMeansOneSlope) {
  FitOptions straight = kPlain;
  straight.straight = true;
  const auto fit = fitted(bent(20000, 1), straight);
  expect_one_slope(fit, "straight");
  EXPECT_EQ(release(*fit, "where numbers bend"), nullptr);
}

TEST(FitBends, LinesInNoiseKeepOneSlope) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed)
    for (const double slope : {0.0, 0.2}) {
      const auto line = [&](double x) { return slope * x; };
      for (const Cells& x : {Cells(near_five), Cells(exponential)}) {
        const auto fit = fitted(xy(20000, seed, x, line, 1), kPlain, seed);
        ASSERT_TRUE(fit.ok()) << fit.error().message;
        EXPECT_FALSE(is_bent(fit->model, "x")) << seed << ' ' << slope;
      }
    }
}

// A steep line looks bent to the first look, which cuts residuals off; after the fit two slopes that do not differ by
// three standard errors become one. Some do, by chance.
TEST(FitBends, LinesKeepOneSlope) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto fit = fitted(xy(5000, seed, near_five, [](double x) { return 2 * x; }), kPlain, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    if (is_bent(fit->model, "x")) {
      ++found;
      continue;
    }
    const auto slope = estimates(fit->model).at("x");
    EXPECT_NEAR(slope.value, 2, 5 * slope.standard_error);
    EXPECT_NEAR(fit->model.parts[0].intercept.value + 5 * slope.value, 10, 0.3) << "the level of the middle stays";
  }
  EXPECT_LE(found, 2);
}

// A long tail to one side is no bend.
TEST(FitBends, LinesInASkewedColumnKeepOneSlope) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const double noise : {0.1, 1.0}) {
      const auto fit = fitted(xy(
                                  20000, seed, exponential, [](double x) { return x; }, noise),
                              kPlain, seed);
      ASSERT_TRUE(fit.ok()) << fit.error().message;
      found += is_bent(fit->model, "x") ? 1 : 0;
    }
  EXPECT_LE(found, 1);
}

// Noise of the rows themselves, where that of privacy is small.
TEST(FitBends, FewRowsOfNoiseDoNotBend) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto fit = fitted(xy(
                                1300, seed, near_five, [](double) { return 0; }, 1),
                            {.target = "y", .budget = kGenerous}, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    found += is_bent(fit->model, "x") ? 1 : 0;
  }
  EXPECT_LE(found, 1);
}

// Cells below all others are cut like those of a straight fit: not by the reach of a long tail above.
TEST(FitBends, ACellFarBelowASkewedColumnIsCutNearIt) {
  Table table = xy(
      20000, 1, [](Random& random) { return std::exp(1.5 * normal(random)); },
      [](double x) { return 3 * std::min(x, 1.0); }, 1);
  const auto fit = fitted(std::move(table), kPlain);
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  ASSERT_TRUE(is_bent(fit->model, "x"));
  const std::vector<Column> columns{{.name = "x"}};
  auto predictor = Predictor::create(fit->model, columns);
  ASSERT_TRUE(predictor.ok()) << predictor.error().message;
  EXPECT_GT(predictor->predict(std::vector{-999.0}).value, -10) << "that of 0 is about 0, the largest about 3";
}

// The response of a likelihood bends where its margin does not; what a line would show is taken off.
TEST(FitBends, StraightMarginsOfClassesAndCountsKeepOneSlope) {
  for (const bool counts : {false, true}) {
    std::vector<Column> columns{{.name = "x"}, {.name = "y"}};
    if (!counts) columns[1] = {.name = "y", .kind = ColumnKind::text, .levels = {"no", "yes"}};
    int straight = 0, bent = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      for (const bool kink : {false, true}) {
        Table table = simulated(columns, 30000, seed, [&](Random& random) {
          const double x = normal(random), at = kink ? std::abs(x) : x;
          const double y = counts ? std::poisson_distribution<int>(std::exp(at - 1))(random)
                                  : (uniform(random) < 1 / (1 + std::exp(3 - 1.5 * at)) ? 1 : 0);
          return std::vector{x, y};
        });
        FitOptions options{.target = "y", .budget = {1, 1e-6}};
        options.loss = counts ? Loss{PoissonLoss{}} : Loss{LogisticLoss{}};
        if (!counts) options.levels["y"] = {"no", "yes"};
        const auto fit = fitted(std::move(table), options, seed);
        ASSERT_TRUE(fit.ok()) << fit.error().message;
        (kink ? bent : straight) += is_bent(fit->model, "x") ? 1 : 0;
      }
    }
    EXPECT_LE(straight, counts ? 3 : 1) << (counts ? "counts" : "classes");
    EXPECT_GE(bent, 9) << (counts ? "counts" : "classes");
  }
}

// In the middle of the bounds, or at the centre that is given. Where that is far from the rows, they have one slope.
TEST(FitBends, ColumnsWithBoundsOrAScaleMayBend) {
  FitOptions bounds = kPlain, scales = kPlain, far = kPlain;
  bounds.bounds = {{"x", {1, 9}}};
  scales.scales = {{"x", {5, 1}}};
  far.bounds = {{"x", {0, 1000}}};
  for (const FitOptions& options : {bounds, scales}) {
    const auto fit = fitted(bent(20000, 1), options);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    ASSERT_TRUE(is_bent(fit->model, "x"));
    EXPECT_EQ(fit->model.features[0].high, 5);
    expect_paid_for(*fit);
  }
  expect_one_slope(fitted(bent(20000, 1), far), "all rows are below the middle");
}

TEST(FitBends, ColumnsOfPublicRowsMayBend) {
  FitOptions options = kPlain;
  ASSERT_TRUE(learn_from_public(bent(500, 2), options).ok());
  const auto fit = fitted(bent(20000, 1), options);
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_TRUE(is_bent(fit->model, "x"));
  EXPECT_EQ(release(*fit, "columns"), nullptr);
  expect_paid_for(*fit);
  options.bounds = {{"x", {0, 1000}}};
  expect_one_slope(fitted(bent(20000, 1), options), "bounds go first");
}

// mu = 0.2367: 1000 rows have the strength for a slope, not for two.
TEST(FitBends, AreNotLookedForWithoutStrength) {
  const auto fit = fitted(bent(1000, 1), kPlain);
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_EQ(release(*fit, "where numbers bend"), nullptr);
  EXPECT_FALSE(is_bent(fit->model, "x"));
  EXPECT_NE(release(*fitted(bent(1300, 1), kPlain), "where numbers bend"), nullptr);
}

// Three angles and, as mu = 0.2367, rows * mu = 380: four features take 40 * (4 + 5), five take 400.
TEST(FitBends, TheClearestGoesFirstWhereOneIsPaidFor) {
  const auto angles = [](std::size_t rows, std::uint64_t seed) {
    return simulated({{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "y"}}, rows, seed, [](Random& random) {
      const double a = normal(random), b = normal(random), c = normal(random);
      return std::vector{a, b, c, 0.7 * std::abs(a) - 1.4 * std::abs(b) + 0.7 * std::abs(c)};
    });
  };
  int clearest = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto fit = fitted(angles(1605, seed), kPlain, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    EXPECT_LE(fit->model.features.size(), 4u) << seed;
    clearest += is_bent(fit->model, "b") ? 1 : 0;
  }
  EXPECT_GE(clearest, 18);
  const auto all = fitted(angles(20000, 1), kPlain);
  ASSERT_TRUE(all.ok()) << all.error().message;
  const std::vector<double> slopes{-0.7, 0.7, 1.4, -1.4, -0.7, 0.7};
  ASSERT_EQ(all->model.features.size(), slopes.size());
  for (std::size_t j = 0; j < slopes.size(); ++j) {
    const std::string name = feature_name(all->model.features[j]);
    EXPECT_TRUE(name.starts_with(std::string(1, "abc"[j / 2]) + (j % 2 == 0 ? " below " : " above "))) << name;
    EXPECT_NEAR(all->model.parts[0].coefficients[j].value, slopes[j], 0.15) << name;
  }
}

TEST(FitBends, SeveralClassesHaveOneSlopeEach) {
  Table table = simulated({{.name = "x"}, {.name = "y", .kind = ColumnKind::text, .levels = {"a", "b", "c"}}}, 20000, 1,
                          [](Random& random) {
                            const double x = normal(random);
                            return std::vector{x, std::abs(x) > 1 ? 0.0 : static_cast<double>(1 + random() % 2)};
                          });
  FitOptions options{.target = "y", .loss = LogisticLoss{}, .budget = kBudget, .levels = {{"y", {"a", "b", "c"}}}};
  const auto fit = fitted(std::move(table), options);
  expect_one_slope(fit, "three classes");
  EXPECT_EQ(release(*fit, "where numbers bend"), nullptr);
}

TEST(FitBends, OddsBendWithinTheBudget) {
  const auto table = [] {
    return simulated({{.name = "x"}, {.name = "y", .kind = ColumnKind::text, .levels = {"no", "yes"}}}, 20000, 1,
                     [](Random& random) {
                       const double x = 5 + normal(random), odds = std::exp(2 * std::abs(x - 5) - 1.5);
                       return std::vector{x, uniform(random) < odds / (1 + odds) ? 1.0 : 0.0};
                     });
  };
  for (const bool given : {true, false}) {
    FitOptions options{.target = "y", .loss = LogisticLoss{}, .budget = kBudget};
    if (given) options.levels = {{"y", {"no", "yes"}}};
    const auto fit = fitted(table(), options);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    ASSERT_EQ(fit->model.features.size(), 2u);
    ASSERT_TRUE(is_bent(fit->model, "x"));
    EXPECT_NEAR(fit->model.parts[0].coefficients[0].value, -2, 0.5);
    EXPECT_NEAR(fit->model.parts[0].coefficients[1].value, 2, 0.5);
    expect_paid_for(*fit);
  }
}

TEST(FitBends, RatesBendWithinTheBudget) {
  Table table = simulated({{.name = "x"}, {.name = "years"}, {.name = "y"}}, 30000, 1, [](Random& random) {
    const double x = 5 + normal(random), years = 0.5 + uniform(random);
    std::poisson_distribution<int> count(years * std::exp(0.6 * std::abs(x - 5)));
    return std::vector{x, years, static_cast<double>(count(random))};
  });
  FitOptions options{.target = "y", .loss = PoissonLoss{}, .budget = kBudget, .exposure = "years"};
  const auto fit = fitted(std::move(table), options);
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  ASSERT_EQ(fit->model.features.size(), 2u);
  ASSERT_TRUE(is_bent(fit->model, "x"));
  EXPECT_NEAR(fit->model.parts[0].coefficients[0].value, -0.6, 0.2);
  EXPECT_NEAR(fit->model.parts[0].coefficients[1].value, 0.6, 0.2);
  EXPECT_NEAR(fit->model.parts[0].intercept.value, 0, 1.5) << "of a rate, not of a count";
  expect_paid_for(*fit);
}

TEST(FitBends, MissingCellsAreInTheMiddleOfBothHalves) {
  Table table = simulated({{.name = "x"}, {.name = "z"}, {.name = "y"}}, 20000, 1, [](Random& random) {
    const double x = 5 + normal(random), z = normal(random);
    return std::vector{uniform(random) < 0.1 ? kMissing : x, z, std::abs(x - 5) + 0.2 * z + 0.5 * normal(random)};
  });
  const auto fit = fitted(std::move(table), kPlain);
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  const Model& model = fit->model;
  ASSERT_EQ(model.features.size(), 3u);
  ASSERT_TRUE(is_bent(model, "x"));
  EXPECT_EQ(feature_name(model.features[2]), "z");
  // Means of what is cut, of N(0, 1) at 0: 5 -+ 1 / sqrt(2 pi).
  EXPECT_NEAR(model.features[0].centre, 5 - 0.4, 0.1);
  EXPECT_NEAR(model.features[1].centre, 5 + 0.4, 0.1);
  const std::vector<Column> columns{{.name = "x"}, {.name = "z"}};
  auto predictor = Predictor::create(model, columns);
  ASSERT_TRUE(predictor.ok()) << predictor.error().message;
  const LinearPart& part = model.parts[0];
  for (const double x : {-1e9, 2.0, 4.9, 5.0, 5.3, 8.0, 1e9, kMissing}) {
    double sum = part.intercept.value;
    for (std::size_t j = 0; j < 2; ++j) sum += part.coefficients[j].value * model.features[j].of_number(x);
    sum += part.coefficients[2].value * 0.25;
    EXPECT_NEAR(predictor->predict(std::vector{x, 0.25}).value, sum, 1e-9 * std::max(1.0, std::abs(sum))) << x;
    if (std::abs(x) < 10) {
      EXPECT_NEAR(sum, std::abs(x - 5) + 0.05, 0.3) << x;
    }
  }
  EXPECT_NEAR(predictor->predict(std::vector{kMissing, 0.25}).value, 0.8 + 0.05, 0.2) << "the mean of |x - 5|";
}

// Levels, a reference, an indicator and other numbers around it keep their coefficients.
TEST(FitBends, OtherFeaturesKeepTheirPlaces) {
  Table table =
      simulated({{.name = "city", .kind = ColumnKind::text, .levels = {"Graz", "Linz"}},
                 {.name = "x"},
                 {.name = "z"},
                 {.name = "town", .kind = ColumnKind::text, .levels = {"A", "B"}},
                 {.name = "y"}},
                40000, 1, [](Random& random) {
                  const double city = uniform(random) < 0.4 ? 1 : 0, town = uniform(random) < 0.4 ? 1 : 0;
                  const double x = normal(random), z = normal(random), gone = uniform(random) < 0.1 ? 1 : 0;
                  return std::vector{city, gone > 0 ? kMissing : x, z, town,
                                     1.5 * city + (gone > 0 ? 2 : std::abs(x)) + 0.5 * z - town + 0.5 * normal(random)};
                });
  const auto fit = fitted(std::move(table), {.target = "y",
                                             .budget = {3, 1e-6},
                                             .levels = {{"city", {"Graz", "Linz"}}, {"town", {"A", "B"}}},
                                             .missing_indicators = {"x"}});
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  ASSERT_TRUE(is_bent(fit->model, "x"));
  const std::vector<double> truth{0, 1.5, -1, 1, 2 - 0.8, 0.5, 0, -1};
  ASSERT_EQ(fit->model.features.size(), truth.size());
  for (std::size_t j = 0; j < truth.size(); ++j)
    EXPECT_NEAR(fit->model.parts[0].coefficients[j].value, truth[j], 0.25) << feature_name(fit->model.features[j]);
  EXPECT_TRUE(model_from_json(to_json(fit->model)).ok());
}

}  // namespace
}  // namespace tailcoat
