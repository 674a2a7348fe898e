#include "tailcoat/noise/gaussian_strips.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <map>
#include <random>
#include <vector>

namespace tailcoat {
namespace {

using Real = boost::multiprecision::cpp_bin_float_100;  // twice the digits of the sampler

Real bell(const Real& position) { return exp(-ldexp(position * position, -55)); }
Real limit_at(const GaussianStrip& strip, const Real& position) { return strip.width * bell(position) / kStripArea; }

TEST(GaussianStrips, CoverTheHalfLineUpToSixteenWithoutGapOrOverlap) {
  std::uint64_t next = 0;
  for (const GaussianStrip& strip : gaussian_strips()) {
    EXPECT_EQ(strip.start, next);
    EXPECT_GT(strip.width, 0u);
    next += strip.width;
  }
  EXPECT_EQ(next, kGaussianEnd);
  EXPECT_EQ(kGaussianEnd, std::uint64_t{16} << 27);
  EXPECT_LT(std::erfc(16 / std::sqrt(2.0)), 0x1p-188);  // the mass beyond
}

TEST(GaussianStrips, AcceptNowhereWithProbabilityAboveOne) {
  for (const GaussianStrip& strip : gaussian_strips()) EXPECT_LE(limit_at(strip, Real(strip.start)), 1);
}

TEST(GaussianStrips, AreSureExactlyBelowTheLimitAtTheRightEdge) {
  for (const GaussianStrip& strip : gaussian_strips()) {
    const Real sure = ldexp(limit_at(strip, Real(strip.start) + strip.width), kHeightBits);
    EXPECT_LE(strip.sure, sure);
    EXPECT_GT(strip.sure + 1, sure);
  }
}

TEST(GaussianStrips, HaveTheLeastAreaThatReachesTheEnd) {
  Real start = 0;
  for (std::size_t i = 0; i < kGaussianStrips; ++i) start += floor((kStripArea - 1) / bell(start));
  EXPECT_LT(start, kGaussianEnd);
}

// The height as the sampler holds it.
struct Height {
  std::uint32_t high;
  std::uint64_t more;
};

Height split(const Real& height) {
  const Real scaled = ldexp(height, kHeightBits);
  const Real high = floor(scaled);
  return {high.convert_to<std::uint32_t>(), Real(floor(ldexp(scaled - high, 64))).convert_to<std::uint64_t>()};
}

Real joined(const Height& height) { return ldexp(Real(height.high) + ldexp(Real(height.more), -64), -kHeightBits); }

// Random cells, uniform strip by strip, with heights at all distances from the limit, 2^-60 of it and up.
class RandomPoints {
 public:
  struct Point {
    const GaussianStrip& strip;
    std::uint32_t cell;
    Height height;
  };

  Point next() {
    const GaussianStrip& strip = gaussian_strips()[engine_() % kGaussianStrips];
    const auto cell = static_cast<std::uint32_t>(strip.start + engine_() % strip.width);
    const Real limit = limit_at(strip, Real(cell) + ldexp(Real(engine_()), -64));
    const Real factor = ldexp(Real(engine_()), -64 - static_cast<int>(engine_() % 60));
    Real height = limit * (engine_() % 2 == 0 ? 1 + factor : 1 - factor);
    if (height >= 1) height = 1 - ldexp(Real(1), -80);
    return {strip, cell, split(height)};
  }

  std::uint64_t word() { return engine_(); }

 private:
  std::mt19937_64 engine_{2026};
};

// 100,000 points; a verdict must hold for all positions in the cell and all continuations of the height.
TEST(GaussianStrips, DoubleDecidesOnlyWhatIsCertain) {
  RandomPoints points;
  std::map<Verdict, int> count;
  for (int i = 0; i < 100'000; ++i) {
    const auto [strip, cell, height] = points.next();
    const Verdict verdict = verdict_in_double(strip, cell, height.high, height.more);
    ++count[verdict];
    const Real lowest = joined(height);
    if (verdict == Verdict::accept) {
      ASSERT_LT(lowest + ldexp(Real(1), -85), limit_at(strip, Real(cell) + 1)) << strip.start << ' ' << cell;
    }
    if (verdict == Verdict::reject) {
      ASSERT_GT(lowest, limit_at(strip, Real(cell))) << strip.start << ' ' << cell;
    }
  }
  EXPECT_GT(count[Verdict::accept], 10'000);
  EXPECT_GT(count[Verdict::reject], 10'000);
  EXPECT_GT(count[Verdict::open], 10'000);
}

TEST(GaussianStrips, ExactDecisionAgreesWithTwiceTheDigits) {
  RandomPoints points;
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto [strip, cell, height] = points.next();
    const std::array<std::uint64_t, 3> more{height.more, points.word(), points.word()};
    const std::array<std::uint64_t, 2> position{points.word(), points.word()};
    const Real exact_height = joined(height) + ldexp(Real(more[1]), -149) + ldexp(Real(more[2]), -213);
    const Real at = Real(cell) + ldexp(Real(position[0]), -64) + ldexp(Real(position[1]), -128);
    const bool decided = accepted_exactly(strip, cell, height.high, more, position);
    ASSERT_EQ(decided, exact_height < limit_at(strip, at));
    accepted += decided;
    const Verdict verdict = verdict_in_double(strip, cell, height.high, height.more);
    if (verdict != Verdict::open) {
      ASSERT_EQ(decided, verdict == Verdict::accept);
    }
  }
  EXPECT_GT(accepted, 5'000);
  EXPECT_LT(accepted, 15'000);
}

// Words written by hand.
struct Script {
  std::vector<std::uint64_t> words;
  std::size_t next = 0;
  std::uint64_t word() { return words.at(next++); }
};

std::uint64_t first_word(std::uint64_t strip, std::uint64_t height, bool negative, std::uint64_t position) {
  return strip << 54 | height << 33 | std::uint64_t{negative} << 32 | position;
}

// The least position that is not redrawn and falls into the cell.
std::uint64_t position_of(const GaussianStrip& strip, std::uint64_t cell) {
  const std::uint64_t offset = (cell - strip.start) << 32;
  std::uint64_t position = (offset + strip.width - 1) / strip.width;
  if (position * strip.width - offset < strip.excess) ++position;
  return position;
}

std::int64_t draw(Script script) {
  const std::int64_t value = draw_rounded_gaussian(gaussian_strips(), script);
  EXPECT_EQ(script.next, script.words.size());
  return value;
}

// Truncating the magnitude instead would double the mass at 0.
TEST(GaussianSampler, RoundsToNearestAndThenAppliesTheSign) {
  for (const std::size_t index : {std::size_t{0}, std::size_t{1}, std::size_t{500}}) {
    const GaussianStrip& strip = gaussian_strips()[index];
    std::map<std::int64_t, int> hits;
    for (std::uint64_t cell = strip.start; cell < strip.start + strip.width; ++cell) {
      for (const bool negative : {false, true}) {
        const std::int64_t value = draw({{first_word(index, 0, negative, position_of(strip, cell))}});
        const double middle = (static_cast<double>(cell) + 0.5) / 2;  // of 2^26 |Z| in the cell
        ASSERT_EQ(std::abs(static_cast<double>(value) - (negative ? -middle : middle)), 0.25);
        ++hits[value];
      }
    }
    if (index == 0) {
      EXPECT_EQ(hits[0], 2);
      for (std::int64_t value = 1; value < 80'000; ++value) {
        ASSERT_EQ(hits[value], 2);
        ASSERT_EQ(hits[-value], 2);
      }
    }
  }
}

TEST(GaussianSampler, GivesEveryCellOfAStripTheSameNumberOfPositions) {
  for (const std::size_t index : {std::size_t{0}, std::size_t{700}, std::size_t{1015}, std::size_t{1022}}) {
    const GaussianStrip& strip = gaussian_strips()[index];
    ASSERT_GT(strip.sure, 0u);
    ASSERT_GT(strip.excess, 0u);
    const std::uint64_t expected = (std::uint64_t{1} << 32) / strip.width;
    for (std::uint64_t i = 0; i < 40; ++i) {
      const std::uint64_t cell = strip.start + i * (strip.width - 1) / 39, offset = (cell - strip.start) << 32;
      const std::uint64_t begin = (offset + strip.width - 1) / strip.width;
      const std::uint64_t end = (offset + (std::uint64_t{1} << 32) + strip.width - 1) / strip.width;
      const std::uint64_t other = position_of(strip, cell == strip.start ? cell + 2 : strip.start) << 32;
      std::uint64_t kept = 0;
      for (std::uint64_t position = begin; position < end; ++position) {
        Script script{{first_word(index, 0, false, position), other}};
        draw_rounded_gaussian(gaussian_strips(), script);
        kept += script.next == 1;
      }
      ASSERT_EQ(kept, expected) << index << ' ' << cell;
    }
  }
}

TEST(GaussianSampler, StaysInItsStripWhenAPositionIsRedrawn) {
  const GaussianStrip& strip = gaussian_strips()[1022];
  const std::uint64_t position = position_of(strip, strip.start + 1'000'000);
  EXPECT_EQ(draw({{first_word(1022, 0, true, 0), position << 32}}), -rounded_magnitude(strip.start + 1'000'000));
}

TEST(GaussianSampler, ExtendsTheHeightWhereTheTableIsNotSure) {
  const GaussianStrip& strip = gaussian_strips()[1000];
  const std::uint64_t last = strip.start + strip.width - 1;
  const std::uint64_t at_last = position_of(strip, last), at_first = position_of(strip, strip.start);
  const std::uint64_t low = 0, high = (1u << kHeightBits) - 1;
  const std::uint64_t sure_word = first_word(0, low, false, 1);  // accepted: ends a draw that was rejected
  // The highest height: rejected at the right edge.
  EXPECT_EQ(draw({{first_word(1000, high, false, at_last), ~std::uint64_t{0}, sure_word}}), 0);
  // One above sure: accepted at the left edge, with one more word.
  EXPECT_EQ(draw({{first_word(1000, strip.sure + 1, false, at_first), 0}}), rounded_magnitude(strip.start));
}

// At the limit itself double is open and the draw takes four words more, of height and position.
TEST(GaussianSampler, TakesTheExactPathNextToTheLimit) {
  const GaussianStrip& strip = gaussian_strips()[900];
  const std::uint32_t cell = strip.start + strip.width / 2;
  const Height height = split(limit_at(strip, Real(cell) + Real(0.5)));
  const std::uint64_t word = first_word(900, height.high, true, position_of(strip, cell));
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  EXPECT_EQ(draw({{word, height.more, 0, 0, 0, 0}}), -rounded_magnitude(cell));
  EXPECT_EQ(draw({{word, height.more, 0, 0, kOnes, kOnes, first_word(0, 0, false, 1)}}), 0);
}

}  // namespace
}  // namespace tailcoat
