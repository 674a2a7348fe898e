#include "tailcoat/noise/binomial_law.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "tailcoat/noise/bit_source.hpp"

namespace tailcoat {
namespace {

using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<140>>;  // digits; the law has 100

constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

struct Case {
  std::uint64_t trials;
  double rate;
};

const std::vector<Case> kCases{{1, 0.3},      {1, 1e-12},    {1, 1},         {30, 0.5},
                               {1000, 0.004}, {1000, 0.996}, {1'000'000, 1}, {10'000'000, 3e-6},
                               {5000, 0.05},  {100, 1e-300}, {7, kSmallest}, {0xffffffff, 7e-9}};

// P[k], each from its closed form: neither a recurrence nor normalised.
Real probability(const Case& law, std::uint64_t k) {
  const std::uint64_t few = std::min(k, law.trials - k);
  Real ways = 1;
  for (std::uint64_t j = 1; j <= few; ++j) ways *= Real(law.trials - few + j) / j;
  const Real failures = law.trials == k ? Real(1) : Real(exp((law.trials - k) * log(1 - Real(law.rate))));
  return ways * pow(Real(law.rate), k) * failures;
}

Real cumulative(const BinomialLaw& law, std::size_t i) {
  const auto words = law.cumulative(i);
  return ldexp(Real(words[0]), -64) + ldexp(Real(words[1]), -128) + ldexp(Real(words[2]), -192);
}

TEST(BinomialLaw, RefusesTrialsAndRatesItCannotServe) {
  for (const double rate : {std::nan(""), 0.0, -0.0, -1.0, std::nextafter(1.0, 2.0), 1e308}) {
    const auto law = BinomialLaw::create(10, rate);
    ASSERT_FALSE(law.ok()) << rate;
    EXPECT_EQ(law.error().kind, ErrorKind::usage);
  }
  EXPECT_FALSE(BinomialLaw::create(0, 0.5).ok());
  EXPECT_FALSE(BinomialLaw::create(std::uint64_t{1} << 32, 0.5).ok());
  EXPECT_FALSE(BinomialLaw::create(std::numeric_limits<std::uint64_t>::max(), 0.5).ok());
}

// Of exactly the double that is given: the next double below would move a probability by 2^-60 or so.
TEST(BinomialLaw, CumulativeProbabilitiesAreExactTo138Bits) {
  const Real allowed = ldexp(Real(1), -138);
  for (const Case& test : kCases) {
    const auto law = BinomialLaw::create(test.trials, test.rate);
    ASSERT_TRUE(law.ok());
    Real sum = 0;
    for (std::size_t i = 0; i < law->sizes(); ++i) {
      sum += probability(test, law->smallest() + i);
      const Real error = sum - (i + 1 < law->sizes() ? cumulative(*law, i) : Real(1));
      ASSERT_LT(abs(error), allowed) << test.trials << ' ' << test.rate << ' ' << i;
    }
  }
}

TEST(BinomialLaw, KeepsOnlyTheNumbersNearItsMean) {
  EXPECT_EQ(BinomialLaw::create(1'000'000, 1)->smallest(), 1'000'000u);
  EXPECT_EQ(BinomialLaw::create(1'000'000, 1)->sizes(), 1u);
  EXPECT_EQ(BinomialLaw::create(7, kSmallest)->sizes(), 1u);
  EXPECT_EQ(BinomialLaw::create(1, 0.3)->sizes(), 2u);
  EXPECT_EQ(BinomialLaw::create(30, 0.5)->sizes(), 31u);
  EXPECT_LT(BinomialLaw::create(50'000, 30 / 50'000.0)->sizes(), 200u);
  const auto wide = BinomialLaw::create(10'000'000, 0.1);
  EXPECT_LT(wide->sizes(), 30 * std::sqrt(10'000'000 * 0.1 * 0.9));
  EXPECT_LT(wide->smallest(), 1'000'000u);
  EXPECT_GT(wide->smallest() + wide->sizes(), 1'000'000u);
}

// Words of our choice in place of random ones.
struct GivenWords {
  std::vector<std::uint64_t> given;
  std::size_t taken = 0;
  std::uint64_t word() { return given.at(taken++); }
};

std::uint32_t drawn_from(const BinomialLaw& law, const std::array<std::uint64_t, 3>& words) {
  GivenWords given{{words.begin(), words.end()}};
  return law(given);
}

TEST(BinomialLaw, ADrawChangesExactlyAtTheCumulativeProbabilities) {
  for (const Case& test : kCases) {
    const auto law = BinomialLaw::create(test.trials, test.rate);
    EXPECT_EQ(drawn_from(*law, {~0ull, ~0ull, ~0ull}), law->smallest() + law->sizes() - 1);
    for (std::size_t i = 0; i + 1 < law->sizes(); ++i) {
      auto words = law->cumulative(i);
      if (i + 2 < law->sizes() && law->cumulative(i + 1) == words) continue;  // a probability below 2^-192
      EXPECT_EQ(drawn_from(*law, words), law->smallest() + i + 1);
      if (words[2]-- == 0 && words[1]-- == 0) --words[0];
      if (i > 0 && law->cumulative(i - 1) > words) continue;
      EXPECT_EQ(drawn_from(*law, words), law->smallest() + i);
    }
  }
}

TEST(BinomialLaw, TheGuideLeadsToTheSameNumberAsASearchFromTheStart) {
  std::mt19937_64 engine(2026);
  for (const Case& test : {Case{1000, 0.004}, Case{10'000'000, 0.1}, Case{10'000'000, 3e-6}, Case{30, 0.5}}) {
    const auto law = BinomialLaw::create(test.trials, test.rate);
    std::vector<std::array<std::uint64_t, 3>> table;
    for (std::size_t i = 0; i + 1 < law->sizes(); ++i) table.push_back(law->cumulative(i));
    for (int i = 0; i < 20'000; ++i) {
      std::array<std::uint64_t, 3> words{engine(), engine(), engine()};
      if (i % 2 == 0) words[0] >>= engine() % 64;               // small ones
      if (i % 4 == 1) words[0] = ~(words[0] >> engine() % 64);  // and those near 1
      const auto above = std::upper_bound(table.begin(), table.end(), words) - table.begin();
      ASSERT_EQ(drawn_from(*law, words), law->smallest() + static_cast<std::size_t>(above));
    }
  }
}

TEST(BinomialLaw, TakesOneWordUnlessItTies) {
  const auto law = BinomialLaw::create(30, 0.5);
  GivenWords one{{law->cumulative(15)[0] + 1}};
  EXPECT_EQ((*law)(one), 16u);
  EXPECT_EQ(one.taken, 1u);
}

TEST(BinomialLawDeathTest, IsSpentWhenMovedFrom) {
  auto law = *BinomialLaw::create(10, 0.5);
  const BinomialLaw moved = std::move(law);
  BitStream bits = BitSource::insecure_seeded(1).stream(0, 0);
  EXPECT_DEATH(law(bits), "moved-from");
}

}  // namespace
}  // namespace tailcoat
