// What a fit promises besides coefficients: its receipt, its intervals, that the same noise gives the same bits, and
// that nothing breaks it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <iterator>
#include <numeric>

#include "fitting.hpp"
#include "tailcoat/estimators/fit.hpp"

namespace tailcoat {
namespace {

bool sees_nothing(const Fit& fit) {
  return std::ranges::any_of(fit.model.notes, [](const std::string& note) {
    return note.find("nothing of the target is visible") != std::string::npos;
  });
}

// Nothing is known of how far a model is off that has seen nothing.
void expect_finite(const Fit& fit, const std::string& what) {
  for (const LinearPart& part : fit.model.parts) {
    std::vector<Estimate> all;
    if (sees_nothing(fit)) {
      EXPECT_TRUE(part.intercept.value == 0 && std::isinf(part.intercept.standard_error)) << what;
    } else {
      all.push_back(part.intercept);
    }
    std::ranges::remove_copy_if(part.coefficients, std::back_inserter(all), is_left_out);
    for (const Estimate& e : all)
      EXPECT_TRUE(std::isfinite(e.value) && std::isfinite(e.standard_error) && std::isfinite(e.low) &&
                  std::isfinite(e.high) && e.standard_error >= 0)
          << what << ' ' << e.value << ' ' << e.standard_error;
  }
  for (const Feature& feature : fit.model.features) EXPECT_TRUE(check_feature(feature).ok()) << what;
  for (const auto& [epsilon, factor] : fit.error_against_epsilon) EXPECT_TRUE(std::isfinite(factor)) << what;
  EXPECT_TRUE(model_from_json(to_json(fit.model)).ok()) << what;
}

void expect_within_budget(const Fit& fit, const ApproxDp& budget, const std::string& what) {
  const Receipt& receipt = fit.model.receipt;
  EXPECT_EQ(receipt.budget.epsilon, budget.epsilon) << what;
  EXPECT_EQ(receipt.budget.delta, budget.delta) << what;
  EXPECT_LE(receipt.gaussian_spent.mu, receipt.gaussian_budget.mu) << what;
  EXPECT_FALSE(receipt.secure) << what;
  double squares = 0, kept = 1;
  for (const ReceiptLine& line : receipt.lines) {
    squares += line.price.mu * line.price.mu;
    kept *= 1 - line.price.delta;
    EXPECT_EQ(line.price.epsilon, 0) << what;
  }
  EXPECT_NEAR(std::sqrt(squares) / receipt.gaussian_spent.mu, 1, 1e-9) << what;
  // What is left of delta for the Gaussian part pays for its mu, and for no less: events that fail with probability
  // 1 - kept in all leave it delta_G with delta = 1 - kept (1 - delta_G). A constant model may not need them.
  const auto gaussian = gaussian_budget(ApproxDp{budget.epsilon, (budget.delta - (1 - kept)) / kept});
  ASSERT_TRUE(gaussian.ok()) << what;
  EXPECT_LE(receipt.gaussian_budget.mu, gaussian->mu * (1 + 1e-9)) << what;
  if (!fit.constant) {
    EXPECT_GE(receipt.gaussian_budget.mu, gaussian->mu * (1 - 1e-9)) << what;
  }
}

// Two numbers, two texts, an exposure, and targets of every kind.
Table mixed_table(std::size_t rows, std::uint64_t seed) {
  return simulated({{.name = "a"},
                    {.name = "b"},
                    {.name = "city", .kind = ColumnKind::text, .levels = {"Graz", "Linz", "Wien"}},
                    {.name = "years"},
                    {.name = "y"},
                    {.name = "kind", .kind = ColumnKind::text, .levels = {"p", "q", "r"}}},
                   rows, seed, [](Random& random) {
                     const double a = normal(random), b = std::exp(normal(random));
                     return std::vector{a,
                                        uniform(random) < 0.1 ? kMissing : b,
                                        static_cast<double>(random() % 3),
                                        0.5 + uniform(random),
                                        static_cast<double>(random() % 4) + (a > 0 ? 1 : 0),
                                        static_cast<double>(random() % 3)};
                   });
}

std::vector<FitOptions> configurations(ApproxDp budget) {
  std::vector<FitOptions> all;
  for (const char* loss : {"squared", "huber", "absolute", "quantile:0.9", "poisson"})
    for (const bool given : {true, false}) {
      FitOptions options{.target = "y", .loss = *parse_loss(loss), .budget = budget};
      if (given) options.levels = {{"city", {"Graz", "Linz"}}, {"kind", {"p", "q", "r", "s"}}};
      if (given) options.bounds = {{"a", {-5, 5}}};
      if (given) options.missing_indicators = {"b"};
      if (given && std::string(loss) == "poisson") options.exposure = "years";
      all.push_back(options);
    }
  for (const char* loss : {"logistic", "hinge"})
    for (const bool given : {true, false}) {
      FitOptions options{.target = "kind", .loss = *parse_loss(loss), .budget = budget};
      if (given) options.levels = {{"kind", {"p", "q", "r"}}};
      all.push_back(options);
      if (given) options.levels["kind"] = {"p", "q"};
      if (given) all.push_back(options);
    }
  return all;
}

TEST(FitBudget, EveryConfigurationStaysWithinItsBudgetAndSpendsIt) {
  for (const ApproxDp budget : {ApproxDp{0.5, 1e-6}, ApproxDp{8, 1e-5}}) {
    for (const FitOptions& options : configurations(budget)) {
      const std::string what = loss_name(options.loss) + (options.levels.empty() ? "" : ", given");
      const auto fit = fitted(mixed_table(8000, 21), options);
      ASSERT_TRUE(fit.ok()) << what << fit.error().message;
      expect_within_budget(*fit, budget, what);
      expect_finite(*fit, what);
      EXPECT_GT(fit->model.receipt.gaussian_spent.mu, 0.97 * fit->model.receipt.gaussian_budget.mu) << what;
    }
  }
}

// Rows * mu is 11 for each column and five more: slopes are tried with other shares, and levels are released.
TEST(FitBudget, SoDoFitsWithLittleStrength) {
  const ApproxDp budget{1, 1e-6};
  std::size_t levels = 0;
  for (const FitOptions& options : configurations(budget)) {
    const std::string what = loss_name(options.loss) + (options.levels.empty() ? "" : ", given");
    const auto fit = fitted(mixed_table(470, 22), options);
    if (!fit.ok()) {  // as below
      EXPECT_TRUE(options.levels.empty() && options.target == "kind") << what << fit.error().message;
      continue;
    }
    expect_within_budget(*fit, budget, what);
    expect_finite(*fit, what);
    for (const ReceiptLine& line : fit->model.receipt.lines)
      if (line.release.what == "level") {
        ++levels;
        const double share = std::pow(line.price.mu / fit->model.receipt.gaussian_budget.mu, 2);
        const double parts = static_cast<double>(fit->model.parts.size());
        const bool exponential = what.starts_with("logistic") || what.starts_with("poisson");
        if (exponential) {
          EXPECT_TRUE(std::abs(share - 0.02 / parts) < 1e-6 || std::abs(share - 0.01 / parts) < 1e-6) << what << share;
        } else {
          EXPECT_NEAR(share, 0.05 / parts, 1e-6) << what;
        }
      }
  }
  EXPECT_GT(levels, 8u);
}

TEST(FitBudget, TinyTablesAndBudgetsGiveAConstantModelWithANote) {
  for (const std::size_t rows : {2u, 3u, 20u}) {
    for (const double epsilon : {1e-3, 0.1, 1.0}) {
      for (const FitOptions& options : configurations({epsilon, 1e-6})) {
        const std::string what = loss_name(options.loss) + ' ' + std::to_string(rows) + ' ' + std::to_string(epsilon);
        const auto fit = fitted(mixed_table(rows, 23), options);
        if (!fit.ok()) {  // classes that are to be found cannot be
          EXPECT_TRUE(options.levels.empty() && options.target == "kind") << what << fit.error().message;
          EXPECT_NE(fit.error().message.find("--classes"), std::string::npos) << what << fit.error().message;
          continue;
        }
        EXPECT_TRUE(fit->constant) << what;
        ASSERT_FALSE(fit->model.notes.empty()) << what;
        EXPECT_NE(fit->model.notes[0].find("constant model"), std::string::npos) << what;
        expect_finite(*fit, what);
        expect_within_budget(*fit, {epsilon, 1e-6}, what);
      }
    }
  }
}

TEST(FitBudget, HostileTablesGiveNumbers) {
  const std::vector<std::function<double(Random&)>> draws = {
      [](Random&) { return 1e300; },
      [](Random&) { return 5e-324; },
      [](Random& random) {
        return std::ldexp(random() % 2 == 0 ? 1.0 : -1.0, static_cast<int>(random() % 2040) - 1020);
      },
      [](Random&) { return kMissing; },
      [](Random&) { return 0.0; },
      [](Random& random) { return random() % 3 == 0 ? -1.7e308 : 1.7e308; },
      [](Random& random) { return std::cauchy_distribution<double>(0, 1e6)(random); },
  };
  for (std::size_t target = 0; target < draws.size(); ++target) {
    for (const char* loss : {"squared", "huber", "absolute", "quantile:0.2", "poisson"}) {
      for (const double epsilon : {1.0, 1e4}) {
        for (const std::size_t rows : {3u, 2000u}) {
          Table table = simulated({{.name = "a"}, {.name = "b"}, {.name = "y"}}, rows, 25, [&](Random& random) {
            const double y = draws[target](random);
            return std::vector{draws[(target + 1) % draws.size()](random), draws[random() % draws.size()](random),
                               loss == std::string_view("poisson") ? std::abs(y) : y};
          });
          const auto what =
              std::to_string(target) + ' ' + loss + ' ' + std::to_string(epsilon) + ' ' + std::to_string(rows);
          const auto fit =
              fitted(std::move(table), {.target = "y", .loss = *parse_loss(loss), .budget = {epsilon, 1e-6}});
          ASSERT_TRUE(fit.ok()) << what << ": " << fit.error().message;
          expect_finite(*fit, what);
        }
      }
    }
  }
}

// Rows in another order, with the same noise.
Table shuffled(const Table& table, std::uint64_t seed) {
  const auto rows = std::get<RowsOf<double>>(table.view());
  std::vector<std::size_t> order(rows.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), Random(seed));
  std::vector<double> cells;
  for (const std::size_t i : order) cells.insert(cells.end(), rows.row(i).begin(), rows.row(i).end());
  return table_of(table.columns(), cells);
}

TEST(FitBudget, ThreadsAndTheOrderOfRowsDoNotChangeABit) {
  for (const FitOptions& options : configurations({2, 1e-6})) {
    const std::string what = loss_name(options.loss);
    const Table table = mixed_table(9001, 27);
    const auto one = fitted(shuffled(table, 0), options, 5, 1), two = fitted(shuffled(table, 0), options, 5, 2);
    const auto other = fitted(shuffled(table, 1), options, 5, 1), again = fitted(shuffled(table, 0), options, 6, 1);
    ASSERT_TRUE(one.ok() && two.ok() && other.ok() && again.ok()) << what;
    EXPECT_EQ(to_json(one->model), to_json(two->model)) << what;
    EXPECT_EQ(to_json(one->model), to_json(other->model)) << what;
    EXPECT_NE(to_json(one->model), to_json(again->model)) << what;
  }
}

// 60 tables of 5000 rows at epsilon = 1: all coefficients together. A true coverage of 95 % gives less than 0.88 of 240
// intervals with a chance below 1e-4.
TEST(FitBudget, IntervalsCoverTheTruth) {
  const std::map<std::string, double> truth{{"(intercept)", 3}, {"a", 2}, {"b", -4}, {"c", 0.5}};
  std::map<std::string, int> covered;
  int all = 0;
  double width = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Table table =
        simulated({{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "y"}}, 5000, 100 + seed, [](Random& random) {
          const double a = 1 + 2 * normal(random), b = 0.5 * normal(random), c = uniform(random) < 0.5 ? 0 : 1;
          return std::vector{a, b, c, 3 + 2 * a - 4 * b + 0.5 * c + normal(random)};
        });
    const auto fit = fitted(std::move(table), {.target = "y", .budget = {1, 1e-6}, .straight = true}, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    const auto found = estimates(fit->model);
    for (const auto& [name, value] : truth) {
      const bool inside = found.at(name).low <= value && value <= found.at(name).high;
      covered[name] += inside ? 1 : 0;
      all += inside ? 1 : 0;
    }
    width += found.at("a").standard_error / 60;
  }
  for (const auto& [name, count] : covered) std::printf("coverage of %s: %.3f\n", name.c_str(), count / 60.0);
  std::printf("coverage: %.3f, mean standard error of a: %.4f\n", all / 240.0, width);
  EXPECT_GE(all / 240.0, 0.88);
}

// A strong slope of a class moves the curvature far below that of the constant model, and with it errors and steps.
TEST(FitBudget, IntervalsOfClassesFollowTheCurvature) {
  int strong = 0, weak = 0;
  const int fits = 30;
  for (int k = 0; k < fits; ++k) {
    const std::vector<Column> columns{
        {.name = "a"}, {.name = "b"}, {.name = "y", .kind = ColumnKind::text, .levels = {"no", "yes"}}};
    Table table = simulated(columns, 10000, 100 + k, [](Random& random) {
      const double a = normal(random), b = normal(random);
      return std::vector<double>{a, b, uniform(random) < 1 / (1 + std::exp(1 - 2 * a)) ? 1.0 : 0.0};
    });
    FitOptions options{.target = "y", .loss = LogisticLoss{}, .budget = {3, 1e-6}, .straight = true};
    options.levels["y"] = {"no", "yes"};
    const auto fit = fitted(std::move(table), options, 200 + k);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    const auto found = estimates(fit->model);
    strong += found.at("a").low <= 2 && 2 <= found.at("a").high;
    weak += found.at("b").low <= 0 && 0 <= found.at("b").high;
  }
  std::cout << "coverage of the strong slope: " << strong / double{fits} << ", of the other: " << weak / double{fits}
            << '\n';
  EXPECT_GE(strong, fits / 2);
  EXPECT_GE(weak, 0.8 * fits);
}

TEST(FitBudget, StopsWhenProgressSaysSo) {
  std::size_t calls = 0, of = 0;
  const auto stopped = fitted(linear_table(2000, 29), {.target = "y", .budget = {5, 1e-6}}, 1, 1,
                              [&](std::size_t done, std::size_t total) {
                                EXPECT_EQ(done, calls);
                                of = total;
                                return ++calls < 3;
                              });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(calls, 3u);
  EXPECT_GT(of, 3u);
  EXPECT_NE(stopped.error().message.find("stopped; something was released"), std::string::npos)
      << stopped.error().message;
  ASSERT_TRUE(stopped.error().spent);
  EXPECT_EQ(stopped.error().spent->epsilon, 5);
  EXPECT_EQ(stopped.error().spent->delta, 1e-6);
}

TEST(FitBudget, ARunStoppedBeforeItsFirstReleaseHasSpentNothing) {
  std::atomic<bool> stop = true;
  Engine engine(1, &stop);
  BitSource noise = BitSource::insecure_seeded(1);
  const auto stopped = fit(linear_table(2000, 29), {.target = "y", .budget = {5, 1e-6}}, {engine, noise});
  ASSERT_FALSE(stopped.ok());
  EXPECT_FALSE(stopped.error().spent);
  EXPECT_EQ(stopped.error().message, "stopped");
}

TEST(FitBudget, ClassesThatAreNotFoundHaveCostTheBudget) {
  Table table = simulated({{.name = "a"}, {.name = "kind", .kind = ColumnKind::text, .levels = {"only"}}}, 500, 3,
                          [](Random& random) {
                            return std::vector{normal(random), 0.0};
                          });
  const auto refused = fitted(std::move(table), {.target = "kind", .loss = LogisticLoss{}, .budget = {1, 1e-6}});
  ASSERT_FALSE(refused.ok());
  ASSERT_TRUE(refused.error().spent) << refused.error().message;
  EXPECT_EQ(refused.error().spent->epsilon, 1);
}

TEST(FitBudget, RefusesTargetsOfTheOtherKind) {
  const auto numbers =
      fitted(linear_table(100, 31),
             {.target = "y", .loss = LogisticLoss{}, .budget = {1, 1e-6}, .levels = {{"y", {"0", "1"}}}});
  ASSERT_FALSE(numbers.ok());
  EXPECT_NE(numbers.error().message.find("'y' is read as numbers"), std::string::npos) << numbers.error().message;
  const auto texts = fitted(mixed_table(100, 31), {.target = "kind", .budget = {1, 1e-6}});
  ASSERT_FALSE(texts.ok());
  EXPECT_NE(texts.error().message.find("'kind' is read as texts"), std::string::npos) << texts.error().message;
  EXPECT_FALSE(fitted(linear_table(100, 31), {.target = "z", .budget = {1, 1e-6}}).ok());
  EXPECT_FALSE(fitted(linear_table(100, 31), {.target = "y", .budget = {0, 1e-6}}).ok());
}

}  // namespace
}  // namespace tailcoat
