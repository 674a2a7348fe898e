#include "tailcoat/estimators/runs.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace tailcoat {
namespace {

std::vector<double> noisy(std::vector<double> counts, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, noise);
  for (double& count : counts) count += normal(random);
  return counts;
}

std::vector<std::size_t> shown(std::span<const double> counts, double noise) {
  const std::vector<char> visible = visible_bins(counts, noise, 1.5, 4);
  EXPECT_EQ(visible.size(), counts.size());
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < visible.size(); ++i)
    if (visible[i]) places.push_back(i);
  return places;
}

TEST(Runs, TheBestRunIsTheOneOfTheLargestSum) {
  const std::vector<double> counts{0, 0, 5, 9, 0, 7, 0, 0, 3};
  const auto run = best_run(counts, 1, 1);  // the hole costs 1 and leads to 6 more
  EXPECT_EQ(run.first, 2u);
  EXPECT_EQ(run.last, 5u);
  const auto strict = best_run(counts, 1, 8);
  EXPECT_EQ(strict.first, 3u);
  EXPECT_EQ(strict.last, 3u);
}

TEST(Runs, TheBestRunIsBestAmongAllOfThem) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> counts(1 + random() % 20);
    for (double& count : counts) count = 3 * normal(random);
    double best = -1e9;
    for (std::size_t i = 0; i < counts.size(); ++i)
      for (std::size_t j = i; j < counts.size(); ++j) {
        double sum = 0;
        for (std::size_t k = i; k <= j; ++k) sum += counts[k] - 0.5;
        best = std::max(best, sum);
      }
    const auto run = best_run(counts, 1, 0.5);
    double sum = 0;
    for (std::size_t k = run.first; k <= run.last; ++k) sum += counts[k] - 0.5;
    EXPECT_NEAR(sum, best, 1e-12);
  }
}

TEST(Runs, ARunOfThinBinsIsSeenThoughNoneOfThemStandsOut) {
  std::vector<double> counts(100, 0.0);
  for (std::size_t i = 40; i < 60; ++i) counts[i] = 3.5;  // 20 bins of 3.5 deviations: 16 together
  int found = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto places = shown(noisy(counts, 1, seed), 1);
    const auto inside = std::ranges::count_if(places, [](std::size_t i) { return i >= 40 && i < 60; });
    found += inside >= 15 && static_cast<std::size_t>(inside) + 8 >= places.size() ? 1 : 0;
  }
  EXPECT_GE(found, 45);
}

// A bin stands out by 4 deviations in one of 31,000 cases; a run of two or more needs sums as rare. 128 bins, 300
// times.
TEST(Runs, NoiseAloneIsHardlyEverSeen) {
  int seen = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    seen += shown(noisy(std::vector<double>(128), 10, seed), 10).empty() ? 0 : 1;
  EXPECT_LE(seen, 10);
}

TEST(Runs, FurtherRunsAreSeenOnBothSidesIfTheyStandOutMore) {
  std::vector<double> counts(60, 0.0);
  counts[30] = 1000;
  counts[5] = 5.5;   // more than 4 + 1
  counts[50] = 4.5;  // less
  EXPECT_EQ(shown(counts, 1), (std::vector<std::size_t>{5, 30}));
  counts[5] = counts[50] = 20;
  EXPECT_EQ(shown(counts, 1), (std::vector<std::size_t>{5, 30, 50}));
}

// One bin of noise, 3 deviations, some bins beyond the end of a run: a sum of what is above the slack would reach it.
TEST(Runs, NoiseBeyondAHoleIsNoTail) {
  EXPECT_EQ(shown(std::vector<double>{0, 80, 90, 6, 1.4, 1.6, 1.4, 3, 1.8}, 1), (std::vector<std::size_t>{1, 2, 3}));
  const std::vector<double> counts{0, 0, 3, 1, 300, 400, 2, 200, 1.4, 2.9, 0};
  EXPECT_EQ(shown(counts, 1), (std::vector<std::size_t>{4, 5, 6, 7}));
  int far = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<double> bulk(100, 0.0);
    for (std::size_t i = 50; i < 53; ++i) bulk[i] = 100;
    for (const std::size_t place : shown(noisy(bulk, 1, seed), 1)) far += place < 48 || place > 54 ? 1 : 0;
  }
  EXPECT_LE(far, 2);  // two bins in a row above 1.5 deviations: 0.9 % of the cases, three: 0.06 %
}

TEST(Runs, EdgesAndEmptyHistograms) {
  EXPECT_TRUE(shown({}, 1).empty());
  EXPECT_EQ(shown(std::vector<double>{100.0}, 1), (std::vector<std::size_t>{0}));
  EXPECT_EQ(shown(std::vector<double>{100.0, 0, 0, 90}, 1), (std::vector<std::size_t>{0, 3}));
  EXPECT_TRUE(shown(std::vector<double>(5, -100.0), 1).empty());
  std::vector<double> apart(200, 0.0);
  apart.front() = apart.back() = 100;
  EXPECT_EQ(shown(apart, 1), (std::vector<std::size_t>{0, 199}));
}

}  // namespace
}  // namespace tailcoat
