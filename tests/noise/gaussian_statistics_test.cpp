// Seeded draws against the exact law of round(2^26 Z): 2 x 10^8, and 4 x 10^9 in `make test-slow`. Each expectation
// raises a false alarm with probability at most 1e-6 for a random seed (12 of them in all); the seeds are fixed.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "chi_square.hpp"
#include "tailcoat/noise/gaussian.hpp"
#include "tailcoat/noise/gaussian_strips.hpp"

namespace tailcoat {
namespace {

#ifdef TAILCOAT_SLOW_TEST
constexpr std::int64_t kDraws = 4'000'000'000;
#else
constexpr std::int64_t kDraws = 200'000'000;
#endif

// P[first <= k < end], from whichever tail keeps the difference accurate.
double probability(std::int64_t first, std::int64_t end) {
  const auto edge = [](std::int64_t k) { return (static_cast<double>(k) - 0.5) / (kGaussianScale * std::sqrt(2.0)); };
  if (first > 0) return (std::erfc(edge(first)) - std::erfc(edge(end))) / 2;
  return (std::erfc(-edge(end)) - std::erfc(-edge(first))) / 2;
}

// Bins of equal power-of-two width that cover [-half, half).
struct Histogram {
  std::int64_t half;
  int width_bits;
  std::vector<std::int64_t> counts = std::vector<std::int64_t>(static_cast<std::size_t>(2 * half >> width_bits));

  void add(std::int64_t draw) {
    if (-half <= draw && draw < half) ++counts[static_cast<std::size_t>((draw + half) >> width_bits)];
  }
  // Given that a draw falls into the histogram.
  [[nodiscard]] double p_value() const {
    std::vector<double> probabilities;
    double total = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::int64_t first = (static_cast<std::int64_t>(i) << width_bits) - half;
      probabilities.push_back(probability(first, first + (std::int64_t{1} << width_bits)));
      total += probabilities.back();
    }
    for (double& p : probabilities) p /= total;
    return chi_square_p_value(counts, probabilities);
  }
};

struct Summary {
  Histogram whole{std::int64_t{1} << 30, 20};   // 1/64 sigma a bin, all draws
  Histogram centre{std::int64_t{1} << 22, 12};  // 1/16384 sigma a bin, |Z| < 1/16
  Histogram middle{std::int64_t{1} << 13, 8};   // 256 values a bin, |Z| < 2^-13
  std::array<std::int64_t, 256> low_bits{};
  std::array<double, 5> moments{};  // of Z
  double lag_product = 0;
  std::int64_t positive = 0, negative = 0, tiny = 0, beyond_five = 0;

  Summary() {
    const BitSource source = BitSource::insecure_seeded(20260101);
    std::vector<std::int64_t> block(std::size_t{1} << 20);
    double previous = 0;
    for (std::int64_t done = 0; done < kDraws; done += static_cast<std::int64_t>(block.size())) {
      std::fill(block.begin(), block.end(), 0);
      add_rounded_gaussian(block, source, static_cast<std::uint64_t>(done));
      for (const std::int64_t draw : block) add(draw, previous);
    }
  }

  void add(std::int64_t draw, double& previous) {
    whole.add(draw);
    centre.add(draw);
    middle.add(draw);
    ++low_bits[static_cast<std::size_t>(draw & 255)];
    positive += draw > 0;
    negative += draw < 0;
    tiny += -128 <= draw && draw <= 128;
    beyond_five += std::abs(draw) >= std::int64_t{5} << 26;
    const double z = static_cast<double>(draw) / kGaussianScale;
    double power = 1;
    for (double& moment : moments) moment += std::exchange(power, power * z);
    lag_product += z * previous;
    previous = z;
  }
};

// |count - expected| within 5 standard deviations of a Poisson count, or nearly so: 6e-7.
void expect_count(std::int64_t count, double expected) {
  EXPECT_LT(std::abs(static_cast<double>(count) - expected), 5 * std::sqrt(expected)) << count << " of " << expected;
}

void expect_exact_mass_next_to_zero_and_beyond_five_sigma(const Summary& summary) {
  const double draws = summary.moments[0];
  const std::int64_t five = std::int64_t{5} << 26;
  expect_count(summary.tiny, draws * probability(-128, 129));                               // about 306
  expect_count(summary.beyond_five, draws * 2 * probability(five, std::int64_t{1} << 31));  // about 115
}

void expect_uniform_low_bits(const Summary& summary) {
  const std::vector<std::int64_t> counts(summary.low_bits.begin(), summary.low_bits.end());
  EXPECT_GT(chi_square_p_value(counts, std::vector<double>(256, 1.0 / 256)), 1e-6);
}

// Standard errors of the first four sample moments: sqrt(1/n), sqrt(2/n), sqrt(15/n), sqrt(96/n).
void expect_moments_of_a_standard_normal(const Summary& summary) {
  const auto& sums = summary.moments;
  const double n = sums[0], error = 5 / std::sqrt(n);
  EXPECT_LT(std::abs(sums[1] / n), error);
  EXPECT_LT(std::abs(sums[2] / n - 1), std::sqrt(2.0) * error);
  EXPECT_LT(std::abs(sums[3] / n), std::sqrt(15.0) * error);
  EXPECT_LT(std::abs(sums[4] / n - 3), std::sqrt(96.0) * error);
  EXPECT_LT(std::abs(summary.lag_product / n), error) << "neighbouring draws are correlated";
}

TEST(RoundedGaussian, FollowsTheExactLawFromZeroToTheTails) {
  const Summary summary;
  EXPECT_GT(summary.whole.p_value(), 1e-6);
  EXPECT_GT(summary.centre.p_value(), 1e-6);
  EXPECT_GT(summary.middle.p_value(), 1e-6);
  expect_exact_mass_next_to_zero_and_beyond_five_sigma(summary);
  expect_uniform_low_bits(summary);
  expect_moments_of_a_standard_normal(summary);
  EXPECT_LT(std::abs(static_cast<double>(summary.positive - summary.negative)), 5 * std::sqrt(summary.moments[0]));
}

// Of all tries the table decides 99.25 % at once, 1 in 2^21 needs the exact path, and sqrt(pi / 2) 2^27 / (1024 area)
// are accepted. False alarm: 5 sigma for the accepted, 1e-6 for the open ones, of which 24 are expected.
TEST(GaussianStrips, TakeEveryPathAsOftenAsTheyShould) {
  constexpr int kTries = 50'000'000;
  BitStream bits = BitSource::insecure_seeded(3).stream(0, 0);
  std::int64_t sure = 0, accepted = 0, open = 0;
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t word = bits.word();
    const GaussianStrip& strip = gaussian_strips()[word >> 54];
    const auto cell = static_cast<std::uint32_t>(strip.start + ((word & 0xffffffff) * strip.width >> 32));
    const auto height = static_cast<std::uint32_t>(word >> 33 & 0x1fffff);
    const Verdict verdict = height < strip.sure ? Verdict::accept : verdict_in_double(strip, cell, height, bits.word());
    sure += height < strip.sure;
    accepted += verdict == Verdict::accept;
    open += verdict == Verdict::open;
  }
  const double share = std::sqrt(std::acos(-1.0) / 2) * 0x1p27 / (1024.0 * kStripArea);
  EXPECT_NEAR(static_cast<double>(sure) / kTries, 0.9925, 1e-4);
  EXPECT_NEAR(static_cast<double>(accepted) / kTries, share, 5 * std::sqrt(share * (1 - share) / kTries));
  EXPECT_GT(open, 5);
  EXPECT_LT(open, 60);
}

}  // namespace
}  // namespace tailcoat
