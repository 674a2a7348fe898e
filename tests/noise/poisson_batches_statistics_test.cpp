// Seeded batches against their exact law. Each expectation raises a false alarm with probability at most 1e-6 for a
// random seed, 23 of them in all; the seeds are fixed.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <map>
#include <vector>

#include "chi_square.hpp"
#include "tailcoat/noise/poisson_batches.hpp"

namespace tailcoat {
namespace {

using Rows = std::vector<std::uint32_t>;

constexpr double kFalseAlarm = 1e-6;

BitStream stream(std::uint64_t seed) { return BitSource::insecure_seeded(seed).stream(0, 0); }

std::size_t pattern(const Rows& rows) {
  std::size_t bits = 0;
  for (const std::uint32_t row : rows) bits |= std::size_t{1} << row;
  return bits;
}

double pattern_probability(std::size_t bits, std::size_t rows, double rate) {
  double probability = 1;
  for (std::size_t j = 0; j < rows; ++j) probability *= (bits >> j & 1) != 0 ? rate : 1 - rate;
  return probability;
}

// The whole law: who is in one batch and who in the next, 256 outcomes.
TEST(PoissonBatches, IncludeEachOfFourRowsIndependentlyInThisBatchAndTheNext) {
  std::uint64_t seed = 100;
  for (const double rate : {0.1, 0.5, 0.8}) {
    const auto batches = PoissonBatches::create(4, rate);
    BitStream bits = stream(++seed);
    std::vector<std::int64_t> counts(256);
    std::vector<double> probabilities;
    for (std::size_t both = 0; both < 256; ++both) probabilities.push_back(pattern_probability(both, 8, rate));
    Rows first, second;
    for (int i = 0; i < 500'000; ++i) {
      batches->draw(bits, first);
      batches->draw(bits, second);
      ++counts[pattern(first) | pattern(second) << 4];
    }
    EXPECT_GT(chi_square_p_value(counts, probabilities), kFalseAlarm) << rate;
  }
}

struct Case {
  std::uint32_t rows;
  double rate;
  int draws;
};

TEST(PoissonBatches, HaveBinomialSizes) {
  std::uint64_t seed = 200;
  for (const Case& test : {Case{50'000, 8e-5, 1'000'000}, Case{1000, 0.03, 500'000}, Case{300, 0.9, 100'000},
                           Case{4'000'000'000, 2e-9, 1'000'000}}) {
    const auto batches = PoissonBatches::create(test.rows, test.rate);
    BitStream bits = stream(++seed);
    std::vector<std::int64_t> counts(1000);
    Rows batch;
    for (int i = 0; i < test.draws; ++i) {
      batches->draw(bits, batch);
      ++counts[std::min(batch.size(), counts.size() - 1)];
    }
    const boost::math::binomial law(test.rows, test.rate);
    std::vector<double> probabilities;
    for (std::size_t k = 0; k < counts.size(); ++k)
      probabilities.push_back(k <= test.rows ? boost::math::pdf(law, static_cast<double>(k)) : 0);
    EXPECT_GT(chi_square_p_value(counts, probabilities), kFalseAlarm) << test.rows << ' ' << test.rate;
  }
}

double upper_tail(double degrees, double statistic) {
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(degrees), statistic));
}

// The sums of (X_i - q) and of (X_i - q)(X_j - q) over the draws are uncorrelated, hence nearly independent normals.
// 700 rows: batches of rate .004 come from the sparse method, those of rates .05 and .9 from the bitmap.
TEST(PoissonBatches, IncludeRowsAndPairsOfRowsWithTheRightFrequency) {
  std::uint64_t seed = 300;
  for (const Case& test : {Case{700, 0.004, 1'000'000}, Case{700, 0.05, 100'000}, Case{130, 0.9, 100'000}}) {
    const auto batches = PoissonBatches::create(test.rows, test.rate);
    BitStream bits = stream(++seed);
    const std::size_t rows = test.rows;
    std::vector<std::int64_t> single(rows), pairs(rows * rows);
    Rows batch;
    for (int i = 0; i < test.draws; ++i) {
      batches->draw(bits, batch);
      for (std::size_t a = 0; a < batch.size(); ++a) {
        ++single[batch[a]];
        for (std::size_t b = a + 1; b < batch.size(); ++b) ++pairs[batch[a] * rows + batch[b]];
      }
    }
    const double q = test.rate, draws = test.draws, variance = q * (1 - q);
    double singles_statistic = 0, pairs_statistic = 0;
    for (std::size_t a = 0; a < rows; ++a) {
      const double x = static_cast<double>(single[a]) - draws * q;
      singles_statistic += x * x / (draws * variance);
      for (std::size_t b = a + 1; b < rows; ++b) {
        const double y = static_cast<double>(single[b]) - draws * q;
        const double xy = static_cast<double>(pairs[a * rows + b]) - q * (x + y) - draws * q * q;
        pairs_statistic += xy * xy / (draws * variance * variance);
      }
    }
    const double degrees = static_cast<double>(rows), pair_degrees = degrees * (degrees - 1) / 2;
    EXPECT_GT(upper_tail(degrees, singles_statistic), kFalseAlarm) << q;
    EXPECT_GT(upper_tail(pair_degrees, pairs_statistic), kFalseAlarm / 2) << q;
    EXPECT_LT(upper_tail(pair_degrees, pairs_statistic), 1 - kFalseAlarm / 2) << q << ": too even to be random";
  }
}

void expect_uniform_subsets(std::uint32_t rows, std::uint32_t size, int draws, std::uint64_t seed) {
  BitStream bits = stream(seed);
  std::map<Rows, std::int64_t> counts;
  Rows subset;
  for (int i = 0; i < draws; ++i) {
    draw_subset(rows, size, bits, subset);
    ASSERT_EQ(subset.size(), size);
    ++counts[subset];
  }
  double ways = 1;
  for (std::uint32_t j = 1; j <= size; ++j) ways = ways * (rows - size + j) / j;
  const auto cells = static_cast<std::size_t>(std::lround(ways));
  ASSERT_EQ(counts.size(), cells) << rows << ' ' << size;
  std::vector<std::int64_t> observed;
  for (const auto& [members, count] : counts) observed.push_back(count);
  if (cells == 1) return;
  const std::vector<double> probabilities(cells, 1 / ways);
  EXPECT_GT(chi_square_p_value(observed, probabilities), kFalseAlarm) << rows << ' ' << size;
}

TEST(DrawSubset, GivesEverySubsetOfSevenRowsAlike) {
  for (std::uint32_t size = 0; size <= 7; ++size) expect_uniform_subsets(7, size, 200'000, 400 + size);
}

// The sparse method, with repetitions drawn again: one pair in 270 starts as one row drawn twice.
TEST(DrawSubset, GivesEveryPairOfManyRowsAlike) { expect_uniform_subsets(270, 2, 1'000'000, 450); }

// 3 x 2^30 rows: multiplication without rejection would give every third of them twice as often as the others.
TEST(DrawSubset, HasNoBiasFromRounding) {
  BitStream bits = stream(460);
  std::vector<std::int64_t> counts(3);
  Rows subset;
  for (int i = 0; i < 1000; ++i) {
    draw_subset(3u << 30, 1000, bits, subset);
    for (const std::uint32_t row : subset) ++counts[row % 3];
  }
  EXPECT_GT(chi_square_p_value(counts, {1 / 3.0, 1 / 3.0, 1 / 3.0}), kFalseAlarm);
}

}  // namespace
}  // namespace tailcoat
