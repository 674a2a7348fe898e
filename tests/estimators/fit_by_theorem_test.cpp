#include "tailcoat/estimators/fit_by_theorem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "fitting.hpp"

namespace tailcoat {
namespace {

Result<Fit> by(const char* algorithm, const Table& table, const FitOptions& options, double diameter = 4,
               std::uint64_t seed = 1) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(seed);
  const Theorem theorem{*find_algorithm(algorithm), {.k = 4, .g2 = 4, .gk = 8}, diameter, 100, {.max_passes = 30}};
  return fit_by_theorem(frame_of(table), options, theorem, {engine, noise});
}

const FitOptions kLinear{
    .target = "y", .budget = {100, 1e-6}, .scales = {{"a", {10, 2}}, {"b", {-1, 0.5}}, {"y", {27, 5}}}};

TEST(FitByTheorem, FindsTheCoefficientsInTheUnitsOfTheFile) {
  const auto fit = by("implicit-glm", linear_table(50000, 1), kLinear);
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  auto found = estimates(fit->model);
  EXPECT_NEAR(found["a"].value, 2, 0.2);
  EXPECT_NEAR(found["b"].value, -4, 0.8);
  EXPECT_NEAR(found["(intercept)"].value + 10 * found["a"].value - found["b"].value, 27, 0.5);
  EXPECT_TRUE(std::isinf(found["a"].standard_error));
  ASSERT_TRUE(fit->certified.has_value());
  EXPECT_TRUE(std::isfinite(fit->certified->excess_risk));
  EXPECT_EQ(fit->model.receipt.budget.epsilon, 100);
  EXPECT_TRUE(model_from_json(to_json(fit->model)).ok());
}

TEST(FitByTheorem, EveryAlgorithmFitsOrSaysWhatItNeeds) {
  for (const Algorithm& algorithm : algorithms()) {
    const std::string name(algorithm.name);
    const auto fit = by(name.c_str(), linear_table(4096, 2), kLinear);
    if (!fit.ok()) {
      EXPECT_EQ(fit.error().kind, ErrorKind::refused) << name << fit.error().message;
      continue;
    }
    EXPECT_LE(fit->model.receipt.gaussian_spent.mu, fit->model.receipt.gaussian_budget.mu * (1 + 0x1p-40)) << name;
    EXPECT_TRUE(fit->certified.has_value()) << name;
    for (const auto& [feature, estimate] : estimates(fit->model)) EXPECT_TRUE(std::isfinite(estimate.value)) << name;
  }
}

// Without a scale the coefficients stay within the ball in the units of the file.
TEST(FitByTheorem, TakesColumnsOfWhichNothingIsKnownAsTheyAre) {
  const auto fit = by("implicit-glm", linear_table(2000, 3), {.target = "y", .budget = {1, 1e-6}}, 0.5);
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  double square = 0;
  for (const auto& [name, estimate] : estimates(fit->model)) square += estimate.value * estimate.value;
  EXPECT_LE(std::sqrt(square), 0.25 * (1 + 1e-9));
  EXPECT_EQ(fit->model.features[0].scale, 1);
}

TEST(FitByTheorem, Classes) {
  const Table table = simulated({{.name = "a"}, {.name = "c", .kind = ColumnKind::text, .levels = {"yes", "no"}}},
                                20000, 4, [](Random& random) {
                                  const double a = normal(random);
                                  return std::vector{a, uniform(random) < 1 / (1 + std::exp(-1 - 2 * a)) ? 0.0 : 1.0};
                                });
  FitOptions options{.target = "c", .loss = LogisticLoss{}, .budget = {100, 1e-6}, .levels = {{"c", {"no", "yes"}}}};
  const auto fit = by("implicit-glm", table, options, 6);
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_EQ(fit->model.classes, (std::vector<std::string>{"no", "yes"}));
  EXPECT_NEAR(estimates(fit->model)["a"].value, 2, 0.4);
  options.levels["c"].clear();
  const auto unnamed = by("implicit-glm", table, options);
  ASSERT_FALSE(unnamed.ok());
  EXPECT_NE(unnamed.error().message.find("the levels of 'c' are not given"), std::string::npos);
  options.levels["c"] = {"no", "yes", "perhaps"};
  const auto three = by("implicit-glm", table, options);
  ASSERT_FALSE(three.ok());
  EXPECT_EQ(three.error().kind, ErrorKind::refused);
}

TEST(FitByTheorem, TheFirstLevelIsTheReferenceAndMissingCellsAreZero) {
  const Table table =
      simulated({{.name = "a"}, {.name = "city", .kind = ColumnKind::text, .levels = {"Graz", "Linz"}}, {.name = "y"}},
                30000, 5, [](Random& random) {
                  const double city = static_cast<double>(random() % 2);
                  return std::vector{random() % 4 == 0 ? kMissing : normal(random), city, 2 * city};
                });
  const auto fit =
      by("implicit-glm", table,
         {.target = "y", .budget = {100, 1e-6}, .levels = {{"city", {"Graz", "Linz"}}}, .missing_indicators = {"a"}});
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  auto found = estimates(fit->model);
  EXPECT_EQ(found["city=Graz"].value, 0);
  EXPECT_NEAR(found["city=Linz"].value, 2, 0.3);
  EXPECT_NEAR(found["a is missing"].value, 0, 0.3);
}

Result<Fit> by_theorem(const char* algorithm, const Table& table, const FitOptions& options,
                       const std::function<void(Theorem&)>& change) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(1);
  Theorem theorem{*find_algorithm(algorithm), {.k = 4, .g2 = 4, .gk = 8}, 8, 100, {.max_passes = 30}};
  change(theorem);
  return fit_by_theorem(frame_of(table), options, theorem, {engine, noise});
}

// With a target far from 0 the line through the centre of what is standardised is another than the best one.
TEST(FitByTheorem, WithoutAnInterceptTheCentresPredictTheCentre) {
  const Table table = linear_table(20000, 1);
  FitOptions options = kLinear;
  options.scales["y"] = {0, 10};  // the mean of y is 27
  const auto without = by_theorem("implicit-glm", table, options, [](Theorem& theorem) { theorem.intercept = false; });
  ASSERT_TRUE(without.ok()) << without.error().message;
  auto found = estimates(without->model);
  EXPECT_NEAR(found["(intercept)"].value + 10 * found["a"].value - found["b"].value, 0, 1e-9);
  const auto with = by_theorem("implicit-glm", table, options, [](Theorem&) {});
  found = estimates(with->model);
  EXPECT_NEAR(found["(intercept)"].value + 10 * found["a"].value - found["b"].value, 27, 1);
  const auto nothing = by_theorem(
      "implicit-glm", simulated({{.name = "y"}}, 100, 1, [](Random& random) { return std::vector{normal(random)}; }),
      {.target = "y", .budget = {1, 1e-6}}, [](Theorem& theorem) { theorem.intercept = false; });
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.error().kind, ErrorKind::usage);
}

// The mean of convex losses may be strongly convex where no single one is: localized takes that, known-lipschitz not.
TEST(FitByTheorem, StrongConvexityReachesTheAlgorithm) {
  const Table table = linear_table(20000, 1);
  const auto strong = [](Theorem& theorem) { theorem.strong_convexity = 0.9; };
  const auto refused = by_theorem("known-lipschitz", table, kLinear, strong);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("strong-convexity = 0.9 cannot hold"), std::string::npos)
      << refused.error().message;
  const auto used = by_theorem("localized", table, kLinear, strong);
  const auto not_used = by_theorem("localized", table, kLinear, [](Theorem&) {});
  ASSERT_TRUE(used.ok()) << used.error().message;
  ASSERT_TRUE(not_used.ok()) << not_used.error().message;
  EXPECT_LT(used->certified->excess_risk, not_used->certified->excess_risk);
}

TEST(FitByTheorem, ABoundAboveTheTrivialOneIsToldAsTrivial) {
  const auto fit = by("kamath-liu-zhang", linear_table(2000, 1), kLinear);
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_TRUE(fit->certified->trivial);
  EXPECT_EQ(fit->certified->excess_risk, 4 * 2) << "G2 times the radius";
}

}  // namespace
}  // namespace tailcoat
