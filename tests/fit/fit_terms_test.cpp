#include "tailcoat/fit/fit_terms.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fitting.hpp"

namespace tailcoat {
namespace {

Result<Fit> fitted_terms(Table table, const FitOptions& options, TermsKind kind, std::uint64_t seed = 1,
                         std::size_t threads = 1) {
  Engine engine(threads);
  BitSource noise = BitSource::insecure_seeded(seed);
  return fit_terms(std::move(table), options, kind, {engine, noise});
}

TEST(FitTerms, RecoversALinearModelUnderEveryRegressionLoss) {
  for (const char* loss : {"squared", "huber", "absolute", "quantile:0.5"}) {
    SCOPED_TRACE(loss);
    const FitOptions options{.target = "y", .loss = *parse_loss(loss), .budget = kGenerous};
    expect_near(fitted_terms(linear_table(20000, 1), options, TermsKind::linear),
                {{"(intercept)", 3}, {"a", 2}, {"b", -4}}, 0.06);
  }
}

TEST(FitTerms, RecoversChancesAndRates) {
  const auto table = [](bool counts) {
    return simulated({{.name = "a"},
                      {.name = "b"},
                      {.name = "y", .kind = counts ? ColumnKind::number : ColumnKind::text, .levels = {"no", "yes"}}},
                     40000, 5, [&](Random& random) {
                       const double a = normal(random), b = normal(random), m = 0.3 + 0.8 * a - 0.5 * b;
                       if (!counts) return std::vector{a, b, uniform(random) < 1 / (1 + std::exp(-m)) ? 1.0 : 0.0};
                       double left = std::exp(m), k = -1;
                       for (; left > 0; ++k) left += std::log(uniform(random));
                       return std::vector{a, b, k};
                     });
  };
  expect_near(fitted_terms(table(true), {.target = "y", .loss = PoissonLoss{}, .budget = kGenerous}, TermsKind::linear),
              {{"(intercept)", 0.3}, {"a", 0.8}, {"b", -0.5}}, 0.06);
  expect_near(
      fitted_terms(table(false),
                   {.target = "y", .loss = LogisticLoss{}, .budget = kGenerous, .levels = {{"y", {"no", "yes"}}}},
                   TermsKind::linear),
      {{"(intercept)", 0.3}, {"a", 0.8}, {"b", -0.5}}, 0.08);
}

TEST(FitTerms, LinearModelsHaveOneCoefficientPerNumberInEveryRun) {
  const auto table = [](std::uint64_t seed) {
    return simulated({{.name = "a"}, {.name = "b"}, {.name = "y"}}, 5000, seed, [](Random& random) {
      const double a = normal(random), b = std::exp(1.5 * normal(random));
      return std::vector{a, b, a * a + std::min(b, 5.0) + normal(random)};
    });
  };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto fit = fitted_terms(table(seed), {.target = "y", .budget = {1, 1e-6}}, TermsKind::linear, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    ASSERT_EQ(fit->model.features.size(), 2u);
    EXPECT_EQ(fit->model.features[0].kind, FeatureKind::number);
    EXPECT_EQ(fit->model.features[1].kind, FeatureKind::number);
  }
}

// A useless column of 0 and 1 bent in a third of the fits of before (two values have one slope).
TEST(FitTerms, AColumnOfTwoValuesNeverBends) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Table table = simulated({{.name = "a"}, {.name = "c"}, {.name = "y"}}, 20000, seed, [](Random& random) {
      const double a = normal(random);
      return std::vector{a, a > 0 ? 1.0 : 0.0, 2 * a + normal(random)};
    });
    const auto fit = fitted_terms(std::move(table), {.target = "y", .budget = {1, 1e-6}}, TermsKind::additive, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    std::string names;
    for (const Feature& feature : fit->model.features)
      if (feature.column == "c") names += feature_name(feature) + ';';
    EXPECT_EQ(names, "c;") << seed;
  }
}

TEST(FitTerms, AdditiveModelsFollowBends) {
  Table table = simulated({{.name = "a"}, {.name = "y"}}, 40000, 4, [](Random& random) {
    const double a = normal(random);
    return std::vector{a, std::abs(a) + 0.3 * normal(random)};
  });
  const auto fit = fitted_terms(std::move(table), {.target = "y", .budget = {1, 1e-6}}, TermsKind::additive);
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  ASSERT_EQ(fit->model.features.size(), 3u);
  const Estimate& below = fit->model.parts[0].coefficients[0];
  const Estimate& above = fit->model.parts[0].coefficients[2];
  EXPECT_LT(below.value, -0.5);
  EXPECT_GT(above.value, 0.5);
}

// A constant column had a coefficient of 23 +- 16, in another fit 2851.
TEST(FitTerms, AColumnOfOneValueHasNoCoefficient) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Table table = simulated({{.name = "a"}, {.name = "k"}, {.name = "y"}}, 10000, seed, [](Random& random) {
      const double a = normal(random);
      return std::vector{a, 1.0, 2 * a + normal(random)};
    });
    const auto fit = fitted_terms(std::move(table), {.target = "y", .budget = {1, 1e-6}}, TermsKind::linear, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    ASSERT_EQ(fit->model.features.size(), 2u);
    EXPECT_TRUE(is_left_out(fit->model.parts[0].coefficients[1])) << seed;
    EXPECT_NEAR(fit->model.parts[0].coefficients[0].value, 2, 0.2);
    EXPECT_NE(fit->model.notes[0].find("one number"), std::string::npos) << fit->model.notes[0];
  }
}

// The slopes of many columns at a small budget were refused; they are shrunk.
TEST(FitTerms, WeakDataHasSlopesThatAreShrunk) {
  double explained = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::vector<Column> columns;
    for (int j = 0; j < 40; ++j) columns.push_back({.name = std::to_string(j)});
    columns.push_back({.name = "y"});
    Table table = simulated(columns, 3000, seed, [](Random& random) {
      std::vector<double> row;
      double sum = 0;
      for (int j = 0; j < 40; ++j) row.push_back(normal(random)), sum += j < 10 ? row.back() : 0;
      row.push_back(sum + normal(random));
      return row;
    });
    const auto fit = fitted_terms(std::move(table), {.target = "y", .budget = {1, 1e-6}}, TermsKind::linear, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    double lost = 0;
    for (std::size_t j = 0; j < 40; ++j)
      lost += std::pow(fit->model.parts[0].coefficients[j].value - (j < 10 ? 1 : 0), 2);
    explained += (1 - lost / 10) / 5;
  }
  EXPECT_GT(explained, 0.5) << "of the variance that the columns explain";
}

TEST(FitTerms, BudgetIsNeverExceededAndEveryReleaseHasItsLine) {
  for (const char* loss : {"squared", "absolute", "poisson"}) {
    const auto fit = fitted_terms(simulated({{.name = "a"}, {.name = "y"}}, 3000, 1,
                                            [](Random& random) {
                                              return std::vector{normal(random), std::floor(5 * uniform(random))};
                                            }),
                                  {.target = "y", .loss = *parse_loss(loss), .budget = {1, 1e-6}}, TermsKind::additive);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    double squares = 0;
    for (const ReceiptLine& line : fit->model.receipt.lines) squares += line.price.mu * line.price.mu;
    EXPECT_LE(squares, std::pow(fit->model.receipt.gaussian_budget.mu, 2) * (1 + 1e-12)) << loss;
    EXPECT_GE(squares, 0.8 * std::pow(fit->model.receipt.gaussian_budget.mu, 2)) << loss;
  }
}

TEST(FitTerms, RefusesADiagnosisBeforeAnythingIsSpent) {
  const auto fit =
      fitted_terms(linear_table(100, 1), {.target = "y", .budget = {1, 1e-6}, .diagnose = true}, TermsKind::linear);
  ASSERT_FALSE(fit.ok());
  EXPECT_EQ(fit.error().kind, ErrorKind::usage);
  EXPECT_FALSE(fit.error().spent);
}

TEST(FitTerms, SameBitsForAnyNumberOfThreads) {
  const FitOptions options{.target = "y", .budget = {1, 1e-6}};
  const auto one = fitted_terms(linear_table(20000, 1), options, TermsKind::additive, 1, 1);
  const auto three = fitted_terms(linear_table(20000, 1), options, TermsKind::additive, 1, 3);
  ASSERT_TRUE(one.ok() && three.ok());
  EXPECT_EQ(to_json(one->model), to_json(three->model));
}

}  // namespace
}  // namespace tailcoat
