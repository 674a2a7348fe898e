// Fits with few rows for their budget: what they say of themselves must be true, however little it is.
#include <algorithm>
#include <cstdio>

#include "fitting.hpp"

namespace tailcoat {
namespace {

constexpr ApproxDp kOne{1, 1e-6};  // mu = 0.2367

// Columns of standard normal numbers, and y.
Table noise_table(std::size_t rows, std::size_t columns, std::uint64_t seed, const std::function<double(Random&)>& y) {
  std::vector<Column> all;
  for (std::size_t j = 0; j < columns; ++j) all.push_back({.name = std::string("x").append(std::to_string(j))});
  all.push_back({.name = "y"});
  return simulated(all, rows, seed, [&](Random& random) {
    std::vector<double> row;
    for (std::size_t j = 0; j < columns; ++j) row.push_back(normal(random));
    row.push_back(y(random));
    return row;
  });
}

bool has_release(const Fit& fit, const std::string& what) {
  return std::ranges::any_of(fit.model.receipt.lines,
                             [&](const ReceiptLine& line) { return line.release.what == what; });
}

// The step of the level has a noise of its own, which the interval has to hold. Without it in the interval, 95 % ones
// held the truth in 35 to 53 % of such fits; taken in full, the step left an error of 0.8 to 1.3 deviations.
TEST(WeakFit, TheLevelIsAsFarOffAsItsIntervalSays) {
  for (const std::size_t rows : {208u, 279u, 376u}) {
    int held = 0;
    double squares = 0;
    const int fits = 60;
    for (std::uint64_t seed = 1; seed <= fits; ++seed) {
      FitOptions options{.target = "y", .budget = kOne};
      options.bounds["y"] = {995, 1005};
      const auto fit =
          fitted(noise_table(rows, 1, seed, [](Random& random) { return 1000 + normal(random); }), options, seed);
      ASSERT_TRUE(fit.ok()) << fit.error().message;
      EXPECT_TRUE(has_release(*fit, "level"));
      const Estimate& level = fit->model.parts[0].intercept;
      held += level.low <= 1000 && 1000 <= level.high ? 1 : 0;
      squares += std::pow(level.value - 1000, 2) / fits;
    }
    EXPECT_GE(held, 50) << rows;
    EXPECT_LE(std::sqrt(squares), 0.6) << rows;
  }
}

// Rows without a target are no strength. Counted as such, they let slopes be tried that were off by 3 and 25
// deviations.
TEST(WeakFit, MostTargetsMissing) {
  for (const double present : {0.1, 0.03}) {
    std::vector<double> off;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const auto y = [&](Random& random) {
        const double number = 2 + normal(random);
        return uniform(random) < present ? number : kMissing;
      };
      FitOptions options{.target = "y", .budget = kOne};
      options.bounds["y"] = {-2, 6};
      const auto fit = fitted(noise_table(760, 4, seed, y), options, seed);
      ASSERT_TRUE(fit.ok()) << fit.error().message;
      double square = std::pow(fit->model.parts[0].intercept.value - 2, 2);
      for (const Estimate& slope : fit->model.parts[0].coefficients) square += slope.value * slope.value;
      off.push_back(square);
    }
    std::ranges::sort(off);
    EXPECT_LE(off[15], 2) << present;
  }
}

// Few rows are seen by a second look, with what slopes would have cost, or not at all; of noise no place is made.
TEST(WeakFit, AMeanOfFewRowsIsNotTakenForCertain) {
  int held = 0, seen = 0;
  double furthest = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto fit = fitted(noise_table(60, 1, seed, [](Random& random) { return 100 + 5 * normal(random); }),
                            {.target = "y", .budget = kOne}, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    const Estimate& level = fit->model.parts[0].intercept;
    if (std::isinf(level.standard_error)) continue;
    ++seen;
    held += level.low <= 100 && 100 <= level.high ? 1 : 0;
    furthest = std::max(furthest, std::abs(level.value - 100) / level.standard_error);
  }
  std::printf("seen %d, held %d, furthest %.1f standard errors\n", seen, held, furthest);
  EXPECT_GT(seen, 20);
  EXPECT_GE(held, 0.75 * seen);
}

// Planned for all rows, of which few have a target: what slopes would have cost goes to a second look at it, once.
TEST(WeakFit, ASecondLookAtTheTargetIsPaidForAndTheLast) {
  int twice = 0;
  for (const char* loss : {"squared", "absolute", "huber", "poisson"}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const auto y = [](Random& random) {
        const double number = std::floor(100 + 5 * normal(random));
        return uniform(random) < 0.1 ? number : kMissing;
      };
      const bool counts = std::string(loss) == "poisson";
      const FitOptions options{.target = "y", .loss = *parse_loss(loss), .budget = kOne, .diagnose = !counts};
      const auto fit = fitted(noise_table(2534, 4, seed, y), options, seed);
      ASSERT_TRUE(fit.ok()) << loss << fit.error().message;
      const Receipt& receipt = fit->model.receipt;
      const auto looks = std::ranges::count_if(
          receipt.lines, [](const ReceiptLine& line) { return line.release.what == "target, rough histogram"; });
      EXPECT_LE(looks, 2) << loss;
      if (looks < 2) continue;
      ++twice;
      EXPECT_TRUE(fit->constant) << loss;
      EXPECT_FALSE(has_release(*fit, "columns, rough histogram")) << loss;
      double squares = 0;
      for (const ReceiptLine& line : receipt.lines) squares += line.price.mu * line.price.mu;
      EXPECT_LE(std::sqrt(squares), receipt.gaussian_budget.mu) << loss;
    }
  }
  EXPECT_GT(twice, 20);
}

TEST(WeakFit, OnlyZerosAreVisible) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto fit = fitted(noise_table(126, 0, seed, [](Random& random) { return uniform(random) < 0.1 ? 1.0 : 0.0; }),
                            {.target = "y", .budget = kOne}, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    EXPECT_GT(fit->model.parts[0].intercept.standard_error, 0.01) << "not of a mean that was cut to nothing";
  }
}

TEST(WeakFit, NothingOfTheTargetIsVisible) {
  for (const char* loss : {"squared", "absolute", "huber", "quantile:0.9", "poisson"}) {
    const auto fit = fitted(noise_table(12, 2, 1, [](Random& random) { return std::floor(100 * uniform(random)); }),
                            {.target = "y", .loss = *parse_loss(loss), .budget = kOne});
    ASSERT_TRUE(fit.ok()) << loss << fit.error().message;
    EXPECT_TRUE(fit->constant) << loss;
    ASSERT_EQ(fit->model.notes.size(), 1u) << loss;
    EXPECT_NE(fit->model.notes[0].find("nothing of the target is visible"), std::string::npos) << fit->model.notes[0];
    const Estimate& level = fit->model.parts[0].intercept;
    EXPECT_TRUE(level.value == 0 && level.low == -HUGE_VAL && level.high == HUGE_VAL) << loss;
    for (const ReceiptLine& line : fit->model.receipt.lines)
      EXPECT_TRUE(line.release.what.starts_with("target, ")) << "nothing more is paid for: " << line.release.what;
    const auto again = model_from_json(to_json(fit->model));
    ASSERT_TRUE(again.ok()) << loss << again.error().message;
    EXPECT_TRUE(std::isinf(again->parts[0].intercept.standard_error)) << loss;
  }
}

// Norms of gradients that noise alone has made must not become a clip: of 4000 such fits one was at 10^16.
TEST(WeakFit, NormsThatAreNotThereAreNoClip) {
  for (const char* loss : {"absolute", "huber"}) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      FitOptions options{.target = "y", .loss = *parse_loss(loss), .budget = kOne};
      options.bounds["y"] = {0, 20};
      const auto fit = fitted(noise_table(40, 1, 1, [](Random& random) { return 10 + normal(random); }), options, seed);
      ASSERT_TRUE(fit.ok()) << fit.error().message;
      EXPECT_NEAR(fit->model.parts[0].intercept.value, 10, 100) << loss << ' ' << seed;
    }
  }
}

}  // namespace
}  // namespace tailcoat
