#include "tailcoat/algorithms/selection.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "heavy_tails.hpp"

namespace tailcoat {
namespace {

TEST(Selection, TakesTheBestOnHeldOutRowsAndSpendsTheMeter) {
  const LinearSamples samples(20'000, 3, 0.5, 3.5, 1);
  Engine engine(2);
  const auto data = *engine.load(samples.features(), samples.labels);
  const Samples held_out(data, LinearLoss{});
  const std::vector<double> centre(3, 0.0);
  const std::vector<std::vector<double>> candidates = {{1, 0, 0}, {0, 0, 0}, {-1, 0, 0}, {0, 1, 0}};
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    BitSource noise = BitSource::insecure_seeded(seed);
    auto meter = *PrivacyMeter::open(Gdp{1});
    const auto best = select_best({engine, noise}, held_out, centre, candidates, 30, meter);
    ASSERT_TRUE(best.ok()) << best.error().message;
    EXPECT_EQ(*best, 2u);
    EXPECT_GT(meter.receipt().gaussian_spent.mu, 1 - 1e-6);
    EXPECT_EQ(meter.receipt().lines.size(), 4u);
  }
}

// Scores of points whose excess is known are within the stated error more often than stated.
TEST(Selection, ScoresAreWithinTheirError) {
  const std::size_t n = 2000;
  const double failure = 0.05;
  int outside = 0;
  Engine engine(1);
  const std::vector<double> centre(3, 0.0), x = {-1, 0, 0};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const LinearSamples samples(n, 3, 0.5, 3.5, seed);
    const auto data = *engine.load(samples.features(), samples.labels);
    const Setting setting{.rows = n, .dimension = 3, .diameter = 2, .start_distance = 1, .moments = samples.moments(3)};
    const ScoreError error = score_error(setting, n, 1, Gdp{1}, failure);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::clamp(-samples.values[3 * i], -error.bound, error.bound);
    outside += std::abs(sum / static_cast<double>(n) + 0.5) > error.error;
  }
  EXPECT_LE(outside, 12);  // of a binomial with mean 5 at most: false alarms below 0.2 %, were the bound attained
}

TEST(Selection, ErrorShrinksWithRowsAndBudgetAndGrowsWithCandidates) {
  const Setting setting{.rows = 1000, .dimension = 3, .diameter = 2, .start_distance = 1, .moments = {3, 1.6, 2.5}};
  const double base = score_error(setting, 1000, 3, Gdp{1}, 0.05).error;
  EXPECT_LT(score_error(setting, 4000, 3, Gdp{1}, 0.05).error, base / 1.8);
  EXPECT_LT(score_error(setting, 1000, 3, Gdp{4}, 0.05).error, base);
  EXPECT_GT(score_error(setting, 1000, 9, Gdp{1}, 0.05).error, base);
}

}  // namespace
}  // namespace tailcoat
