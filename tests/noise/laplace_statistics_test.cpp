// 10^7 seeded draws a law against the exact probabilities; each test raises a false alarm with probability at most 1e-5
// for a random seed (10 chi-square tests at 1e-6); the seed is fixed.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "chi_square.hpp"
#include "tailcoat/noise/laplace.hpp"

namespace tailcoat {
namespace {

constexpr int kDraws = 10'000'000;

// P[first <= k < end] of the untruncated law, by its geometric tails.
double probability(double scale, std::int64_t first, std::int64_t end) {
  const auto tail = [&](std::int64_t k) {  // P[K >= k] for k >= 1
    return std::exp(-static_cast<double>(k) / scale) / (1 + std::exp(-1 / scale));
  };
  if (first >= 1) return tail(first) - tail(end);
  if (end <= 0) return tail(1 - end) - tail(1 - first);
  return 1 - tail(1 - first) - tail(end);
}

// Counts of draws in bins of `width` values over [-reach, reach], conditioned on falling there.
template <class Draw>
double p_value(double scale, std::int64_t reach, std::int64_t width, Draw draw) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(2 * reach / width + 1));
  std::vector<double> probabilities;
  for (int i = 0; i < kDraws; ++i) {
    const std::int64_t value = draw();
    if (-reach <= value && value <= reach) ++counts[static_cast<std::size_t>((value + reach) / width)];
  }
  for (std::int64_t first = -reach; first <= reach; first += width)
    probabilities.push_back(probability(scale, first, std::min(first + width, reach + 1)) /
                            probability(scale, -reach, reach + 1));
  return chi_square_p_value(counts, probabilities);
}

struct Case {
  double scale;
  std::int64_t reach, width;
};
const Case kCases[] = {{1, 30, 1}, {1.5, 40, 1}, {3, 70, 1}, {1000.1, 20'000, 37}, {0x1p20, 20 << 20, 1 << 15}};

TEST(DiscreteLaplace, HasTheExactProbabilities) {
  for (const auto& [scale, reach, width] : kCases) {
    const auto law = DiscreteLaplace::create(scale);
    BitStream bits = BitSource::insecure_seeded(1).stream(0, 0);
    EXPECT_GT(p_value(scale, reach, width, [&] { return (*law)(bits); }), 1e-6) << scale;
  }
}

TEST(BoundedLaplace, HasTheExactProbabilitiesUpToItsBound) {
  for (const auto& [scale, reach, width] : kCases) {
    const auto law = DiscreteLaplace::create(scale);
    const std::int64_t bound = std::max<std::int64_t>(2, reach / 10);
    BitStream bits = BitSource::insecure_seeded(2).stream(0, 0);
    EXPECT_GT(p_value(scale, bound, width, [&] { return law->bounded(bound, bits); }), 1e-6) << scale;
  }
}

}  // namespace
}  // namespace tailcoat
