#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "fitting.hpp"

namespace tailcoat {
namespace {

double share_of(const Fit& fit, const std::string& what) {
  double squares = 0;
  for (const ReceiptLine& line : fit.model.receipt.lines)
    if (line.release.what.find(what) != std::string::npos) squares += line.price.mu * line.price.mu;
  return squares / std::pow(fit.model.receipt.gaussian_budget.mu, 2);
}

TEST(Diagnosis, ResidualsHaveTheShapeOfTheNoiseInUnitsOfTheFile) {
  const auto fit = fitted(linear_table(50000, 1, 7), {.target = "y", .budget = {10, 1e-6}, .diagnose = true});
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  ASSERT_TRUE(fit->diagnosis.has_value());
  const auto& bars = fit->diagnosis->residuals;
  ASSERT_GT(bars.size(), 10u);
  EXPECT_TRUE(std::isinf(bars.front().low) && std::isinf(bars.back().high));
  double total = 0, within = 0, squares = 0;
  for (const Diagnosis::Bar& bar : bars) {
    total += bar.rows;
    if (std::isinf(bar.low) || std::isinf(bar.high)) continue;
    const double middle = (bar.low + bar.high) / 2;
    within += bar.rows;
    squares += bar.rows * middle * middle;
  }
  EXPECT_NEAR(total, 50000, 5 * fit->diagnosis->noise * std::sqrt(static_cast<double>(bars.size())));
  EXPECT_GT(within, 0.9 * total);
  EXPECT_NEAR(std::sqrt(squares / within), 7, 1.2);  // cut at the ends, widened by the bars
}

// A row without a target has no residual; counted as 0 it would be the best predicted of all.
TEST(Diagnosis, RowsWithoutATargetAreOutsideThePicture) {
  Table table = simulated({{.name = "a"}, {.name = "y"}}, 40000, 1, [](Random& random) {
    const double a = normal(random), y = 3 + 2 * a + 7 * normal(random);
    return std::vector{a, uniform(random) < 0.5 ? kMissing : y};
  });
  const auto fit = fitted(std::move(table), {.target = "y", .budget = {10, 1e-6}, .diagnose = true});
  ASSERT_TRUE(fit.ok() && fit->diagnosis);
  double total = 0, central = 0;
  for (const Diagnosis::Bar& bar : fit->diagnosis->residuals) {
    total += bar.rows;
    if (bar.low > -4 && bar.high < 4) central += bar.rows;
  }
  EXPECT_NEAR(total, 20000, 1000);
  EXPECT_LT(central, 0.5 * total);  // P(|N(0, 7)| < 4) = 0.43
}

TEST(Diagnosis, ChancesOfATrueModelAreWhatHappens) {
  Table table = simulated({{.name = "a"}, {.name = "c", .kind = ColumnKind::text, .levels = {"no", "yes"}}}, 100000, 2,
                          [](Random& random) {
                            const double a = normal(random);
                            return std::vector{a, uniform(random) < 1 / (1 + std::exp(1 - 2 * a)) ? 1.0 : 0.0};
                          });
  const auto fit = fitted(
      std::move(table),
      {.target = "c", .loss = LogisticLoss{}, .budget = {5, 1e-6}, .levels = {{"c", {"no", "yes"}}}, .diagnose = true});
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  ASSERT_TRUE(fit->diagnosis.has_value());
  const auto& chances = fit->diagnosis->calibration;
  ASSERT_GE(chances.size(), 8u);
  double rows = 0;
  for (const Diagnosis::Chance& chance : chances) {
    EXPECT_NEAR(chance.observed, chance.predicted, 0.02 + 4 * chance.observed_error) << chance.predicted;
    rows += chance.rows;
  }
  EXPECT_NEAR(rows, 100000, 2000);
  EXPECT_LT(chances.front().predicted, 0.05);
  EXPECT_GT(chances.back().predicted, 0.95);
}

TEST(Diagnosis, IsPaidFromTheBudget) {
  FitOptions options{.target = "y", .budget = {1, 1e-6}};
  const auto without = fitted(linear_table(20000, 3), options);
  options.diagnose = true;
  const auto with = fitted(linear_table(20000, 3), options);
  ASSERT_TRUE(without.ok() && with.ok());
  EXPECT_FALSE(without->diagnosis.has_value());
  EXPECT_NEAR(share_of(*without, "gradient") - share_of(*with, "gradient"), 0.05, 1e-6);
  EXPECT_LE(with->model.receipt.gaussian_spent.mu, with->model.receipt.gaussian_budget.mu);
}

TEST(Diagnosis, IsThereForConstantsToo) {
  const auto fit = fitted(linear_table(100, 4), {.target = "y", .budget = {1, 1e-6}, .diagnose = true});
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_TRUE(fit->constant);
  ASSERT_TRUE(fit->diagnosis.has_value());
  EXPECT_LE(fit->model.receipt.gaussian_spent.mu, fit->model.receipt.gaussian_budget.mu);
}

TEST(Diagnosis, IsRefusedWhereThereIsNone) {
  const auto fit =
      fitted(linear_table(300, 4), {.target = "y", .loss = PoissonLoss{}, .budget = {1, 1e-6}, .diagnose = true});
  ASSERT_FALSE(fit.ok());
  EXPECT_NE(fit.error().message.find("no diagnosis for poisson"), std::string::npos) << fit.error().message;
}

// Without slopes the squared loss asks for the mean.
TEST(Mean, IsWithinItsStandardErrorAndCountsRowsWithATarget) {
  for (const double missing : {0.0, 0.5}) {
    double squares = 0;
    constexpr int kFits = 40;
    for (std::uint64_t seed = 1; seed <= kFits; ++seed) {
      Table table = simulated({{.name = "y"}}, 4000, seed, [&](Random& random) {
        const double y = 100 + 15 * normal(random);
        return std::vector{uniform(random) < missing ? kMissing : y};
      });
      const auto fit = fitted(std::move(table), {.target = "y", .budget = {0.5, 1e-6}}, seed);
      ASSERT_TRUE(fit.ok()) << fit.error().message;
      const Estimate& mean = fit->model.parts[0].intercept;
      squares += std::pow((mean.value - 100) / mean.standard_error, 2) / kFits;
      EXPECT_LT(mean.standard_error, 3) << missing;
      EXPECT_GT(fit->limits.privacy_noise, 0);
    }
    EXPECT_LT(squares, 2.2) << missing;  // a mean of 40 squares of standard normals is below that but for 1 in 10^5
    EXPECT_GT(squares, 0.2) << missing;
  }
}

TEST(Mean, OfSkewedRowsIsNearTheMeanNotTheMedian) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Table table =
        simulated({{.name = "y"}}, 20000, seed, [](Random& random) { return std::vector{std::exp(normal(random))}; });
    const auto fit = fitted(std::move(table), {.target = "y", .budget = {1, 1e-6}}, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    sum += fit->model.parts[0].intercept.value / 10;
  }
  EXPECT_NEAR(sum, std::exp(0.5), 0.08);  // the median is 1
}

}  // namespace
}  // namespace tailcoat
