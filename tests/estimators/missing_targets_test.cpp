// Rows without a target take no part in a fit, and its errors and constants are those of the rows that have one.
#include <gtest/gtest.h>

#include <algorithm>

#include "fitting.hpp"
#include "tailcoat/estimators/fit.hpp"

namespace tailcoat {
namespace {

// y of the kind that the loss is for, missing with the given chance.
Table table_for(const std::string& loss, std::size_t rows, std::uint64_t seed, double missing) {
  const bool classes = loss == "logistic" || loss == "hinge";
  Column y{.name = "y"};
  if (classes) y = {.name = "y", .kind = ColumnKind::text, .levels = {"yes", "no"}};
  return simulated({{.name = "a"}, {.name = "b"}, y}, rows, seed, [&](Random& random) {
    const double a = normal(random), b = normal(random), u = uniform(random), margin = 0.5 + a - 0.7 * b;
    double label = 3 * margin + normal(random);
    if (classes) label = u < 1 / (1 + std::exp(-margin)) ? 0 : 1;
    if (loss == "poisson") label = std::poisson_distribution<int>(std::exp(0.5 * margin))(random);
    return std::vector{a, b, uniform(random) < missing ? kMissing : label};
  });
}

FitOptions options_for(const std::string& loss, ApproxDp budget) {
  FitOptions options{.target = "y", .loss = *parse_loss(loss), .budget = budget};
  if (predicts_classes(options.loss)) options.levels["y"] = {"no", "yes"};
  return options;
}

// Half of the rows: errors of sampling are sqrt(2) as large, and those of a table of half the size. 5 % are for the
// densities that kinked losses are measured by, and for other rows.
TEST(MissingTargets, WidenTheErrorsAsFewerRowsDo) {
  for (const char* loss : {"squared", "huber", "absolute", "quantile:0.7", "logistic", "hinge", "poisson"}) {
    FitOptions options = options_for(loss, kGenerous);
    options.bounds["a"] = options.bounds["b"] = {-6, 6};  // the same features in all fits: no tail in some of them
    options.straight = true;
    const auto all = fitted(table_for(loss, 40000, 1, 0), options);
    const auto half = fitted(table_for(loss, 40000, 1, 0.5), options);
    const auto fewer = fitted(table_for(loss, 20000, 1, 0), options);
    ASSERT_TRUE(all.ok() && half.ok() && fewer.ok()) << loss;
    const auto of_all = estimates(all->model), of_half = estimates(half->model), of_fewer = estimates(fewer->model);
    for (const char* name : {"(intercept)", "a", "b"}) {
      const double ratio = of_half.at(name).standard_error / of_all.at(name).standard_error;
      const double same = of_half.at(name).standard_error / of_fewer.at(name).standard_error;
      EXPECT_NEAR(ratio / std::sqrt(2.0), 1, 0.1) << loss << ' ' << name;
      EXPECT_NEAR(same, 1, 0.1) << loss << ' ' << name;
    }
  }
}

TEST(MissingTargets, AreSaid) {
  for (const auto& [loss, said] : {std::pair("squared", " % of the rows have no target"),
                                   std::pair("logistic", " % of the rows have another class, or none,")}) {
    for (const double missing : {0.0, 0.5}) {
      const auto fit = fitted(table_for(loss, 20000, 1, missing), options_for(loss, {1, 1e-6}));
      ASSERT_TRUE(fit.ok()) << fit.error().message;
      const auto says = [&](const std::string& note) { return note.find(said) != std::string::npos; };
      EXPECT_EQ(std::ranges::count_if(fit->model.notes, says), missing > 0 ? 1 : 0) << loss;
    }
  }
}

// The same where the range of the target is known, so that no sketch says how many there are.
TEST(MissingTargets, AreCountedWhereTheRangeIsKnown) {
  double errors[2];
  for (const bool missing : {false, true}) {
    FitOptions options = options_for("squared", kGenerous);
    options.bounds["y"] = {-20, 20};
    const auto fit = fitted(table_for("squared", 40000, 1, missing ? 0.5 : 0), options);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    errors[missing ? 1 : 0] = estimates(fit->model).at("a").standard_error;
  }
  EXPECT_NEAR(errors[1] / errors[0] / std::sqrt(2.0), 1, 0.1);
}

// 50 tables at epsilon = 1, two thirds of the targets missing: privacy noise is three times as large, and in the
// errors. A true coverage of 95 % gives less than 0.87 of 150 intervals with a chance below 1e-4.
TEST(MissingTargets, IntervalsCoverTheTruth) {
  const std::map<std::string, double> truth{{"(intercept)", 1.5}, {"a", 3}, {"b", -2.1}};
  int covered = 0;
  double width = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto fit = fitted(table_for("squared", 9000, 100 + seed, 2 / 3.0), options_for("squared", {1, 1e-6}), seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    const auto found = estimates(fit->model);
    for (const auto& [name, value] : truth) {
      covered += found.at(name).low <= value && value <= found.at(name).high ? 1 : 0;
      width += found.at(name).standard_error / 150;
    }
  }
  EXPECT_GE(covered / 150.0, 0.87);
  EXPECT_LT(width, 0.1);  // sampling alone: 1 / sqrt(3000) = 0.018
  RecordProperty("coverage", std::to_string(covered / 150.0));
  RecordProperty("width", std::to_string(width));
}

// Where a constant is all there is, it is that of the rows with a target.
TEST(MissingTargets, DoNotLowerAConstantRateOrItsError) {
  double errors[2];
  for (const bool missing : {false, true}) {
    Table table = simulated({{.name = "y"}}, 20000, 3, [&](Random& random) {
      const int count = std::poisson_distribution<int>(1.5)(random);
      return std::vector{uniform(random) < 0.75 && missing ? kMissing : static_cast<double>(count)};
    });
    const auto fit = fitted(std::move(table), options_for("poisson", kGenerous));
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    const Estimate rate = estimates(fit->model).at("(intercept)");
    EXPECT_NEAR(rate.value, std::log(1.5), 4 / std::sqrt(1.5 * (missing ? 5000 : 20000))) << missing;
    errors[missing ? 1 : 0] = rate.standard_error;
  }
  EXPECT_NEAR(errors[1] / errors[0], 2, 0.1);
}

}  // namespace
}  // namespace tailcoat
