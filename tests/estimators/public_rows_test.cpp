#include "tailcoat/estimators/public_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fitting.hpp"

namespace tailcoat {
namespace {

Table with_city(std::size_t rows, std::uint64_t seed) {
  return simulated(
      {{.name = "a"}, {.name = "city", .kind = ColumnKind::text, .levels = {"Graz", "Linz"}}, {.name = "y"}}, rows,
      seed, [](Random& random) {
        const double a = 10 + 2 * normal(random), city = static_cast<double>(random() % 2);
        return std::vector{a, city, a + 3 * city + normal(random)};
      });
}

double spent_on(const Fit& fit, const std::string& what) {
  double squares = 0;
  for (const ReceiptLine& line : fit.model.receipt.lines)
    if (line.release.what.find(what) != std::string::npos) squares += line.price.mu * line.price.mu;
  return squares / std::pow(fit.model.receipt.gaussian_budget.mu, 2);
}

TEST(PublicRows, SaveWhatColumnsCost) {
  FitOptions options{.target = "y", .budget = {1, 1e-6}};
  const auto before = fitted(with_city(20000, 1), options);
  ASSERT_TRUE(learn_from_public(with_city(500, 2), options).ok());
  EXPECT_EQ(options.levels.at("city"), (std::vector<std::string>{"Graz", "Linz"}));
  const auto after = fitted(with_city(20000, 1), options);
  ASSERT_TRUE(before.ok() && after.ok());
  // The shares of a and of the target, of which a sketch takes two fifths at least.
  const double saved = spent_on(*after, "gradient") - spent_on(*before, "gradient");
  EXPECT_GT(saved, 0.4 * (0.075 + 0.03) - 1e-6);
  EXPECT_LT(saved, 0.075 + 0.03 + 1e-6);
  for (const ReceiptLine& line : after->model.receipt.lines) EXPECT_EQ(line.price.delta, 0);
  EXPECT_NEAR(estimates(after->model)["a"].value, 1, 0.1);
}

TEST(PublicRows, TreatColumnsByTheirQuantiles) {
  FitOptions options{.target = "y", .budget = {1, 1e-6}};
  ASSERT_TRUE(learn_from_public(linear_table(1001, 3), options).ok());
  const ColumnSketch& a = options.sketches.at("a");
  EXPECT_EQ(a.rows(), 1001);
  EXPECT_NEAR(a.quantile(0.5), 10, 0.2);
  EXPECT_NEAR(std::sqrt(a.spread_within(10, 100)), 2, 0.2);
}

TEST(PublicRows, TellZerosFromOtherNumbers) {
  Table rows =
      table_of({{.name = "a"}, {.name = "b"}}, {0, 1, -0.0, 1, 0, 0, 1.5, 0, 1.9, 1, 2, 1, -1.5, kMissing, 1e-320, 1});
  FitOptions options{.target = "y", .budget = {1, 1e-6}};
  ASSERT_TRUE(learn_from_public(rows, options).ok());
  EXPECT_EQ(options.sketches.at("a").zeros, 3);
  EXPECT_EQ(options.sketches.at("a").varied, 3) << "all others but 1.5 and 1.9";
  EXPECT_EQ(options.sketches.at("b").zeros, 2);
  EXPECT_EQ(options.sketches.at("b").varied, 0);
}

TEST(PublicRows, WhatTheUserSaysGoesFirst) {
  FitOptions options{.target = "y", .budget = {2, 1e-6}, .levels = {{"city", {"Graz"}}}, .bounds = {{"a", {0, 20}}}};
  ASSERT_TRUE(learn_from_public(with_city(500, 2), options).ok());
  EXPECT_EQ(options.levels.at("city"), std::vector<std::string>{"Graz"});
  const auto fit = fitted(with_city(5000, 1), options);
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_EQ(fit->model.features[0].low, 0);
  EXPECT_EQ(fit->model.features[0].high, 20);
}

TEST(PublicRows, OneValueIsEnoughAndNoneIsRefused) {
  const auto of = [](double value) {
    FitOptions options{.target = "y", .budget = {5, 1e-6}};
    const Table rows = simulated({{.name = "a"}, {.name = "b"}, {.name = "y"}}, 9, 1, [&](Random&) {
      return std::vector{value, 0.0, 1.0};
    });
    const auto learned = learn_from_public(rows, options);
    return learned.ok() ? fitted(linear_table(4000, 4), options) : Result<Fit>(learned.error());
  };
  for (const double value : {0.0, 10.0, -1e-300, 1e149}) {
    const auto fit = of(value);
    ASSERT_TRUE(fit.ok()) << value << fit.error().message;
    for (const Feature& feature : fit->model.features) EXPECT_TRUE(check_feature(feature).ok()) << value;
    for (const auto& [name, estimate] : estimates(fit->model))
      EXPECT_TRUE(std::isfinite(estimate.value)) << value << name;
  }
  for (const double value : {kMissing, 1e200}) EXPECT_FALSE(of(value).ok()) << value;
}

TEST(Scales, AreUsedAndCostNothing) {
  FitOptions options{.target = "y", .budget = {1, 1e-6}, .scales = {{"a", {10, 2}}, {"b", {-1, 0.5}}, {"y", {27, 5}}}};
  const auto fit = fitted(linear_table(20000, 5), options);
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_EQ(spent_on(*fit, "columns"), 0);
  EXPECT_GT(spent_on(*fitted(linear_table(20000, 5), {.target = "y", .budget = {1, 1e-6}}), "columns"), 0);
  EXPECT_EQ(fit->model.features[0].centre, 10);
  EXPECT_EQ(fit->model.features[0].scale, 2);
  EXPECT_NEAR(estimates(fit->model)["a"].value, 2, 0.1);
  EXPECT_NEAR(estimates(fit->model)["b"].value, -4, 0.4);
}

TEST(Scales, ThatAreNoneAreRefused) {
  for (const Scale scale : {Scale{0, 0}, Scale{0, -1}, Scale{kMissing, 1}, Scale{0, kMissing}, Scale{0, 1e200}}) {
    const auto fit = fitted(linear_table(100, 5), {.target = "y", .budget = {1, 1e-6}, .scales = {{"a", scale}}});
    ASSERT_FALSE(fit.ok());
    EXPECT_NE(fit.error().message.find("scale of 'a'"), std::string::npos) << fit.error().message;
  }
}

}  // namespace
}  // namespace tailcoat
