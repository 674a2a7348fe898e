// The clip holds exactly: |s| |a| <= clip_units in real arithmetic, for every row a and the s that the kernels give it,
// and the same for the vector of products as rounded to double on machines without fma.
#include <gtest/gtest.h>

#include <array>
#include <bit>

#include "helpers.hpp"
#include "tailcoat/engine/kernels.hpp"
#include "tailcoat/engine/lattice.hpp"

namespace tailcoat {
namespace {

__extension__ typedef unsigned __int128 Unsigned128;

constexpr double kUnits = 7936453.7;  // about what mu = 0.2367 gives

// Whole numbers below 2^53, so that the squared norm of up to 2^20 of them is an exact 128-bit integer.
std::vector<double> whole_row(std::size_t columns, std::mt19937_64& random) {
  std::vector<double> row(columns);
  for (double& x : row) x = static_cast<double>(static_cast<std::int64_t>(random() >> 11) - (std::int64_t{1} << 52));
  return row;
}

Unsigned128 squared_norm(std::span<const double> row) {
  Unsigned128 sum = 0;
  for (const double x : row) {
    const auto size = static_cast<Unsigned128>(std::abs(x));
    sum += size * size;
  }
  return sum;
}

// The s of a row whose slope is beyond any clip.
double clipped_scalar(std::span<const double> row, double limit) {
  double norm = 0, s = 0;
  inverse_norms(RowsOf<double>{row.data(), 1, row.size(), row.size()}, &norm);
  const double margin = 0, label = 0;
  clipped_slopes(LinearLoss{}, {&margin, 1}, &label, &norm, Clip{.scale = kHuge, .limit = limit}, &s);
  return s;
}

// How many of `trials` rows have |s| |row| > kUnits, for rows clipped to `limit`.
int violations(std::size_t columns, double limit, int trials, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Rational bound = squared(exact(kUnits));
  int count = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto row = whole_row(columns, random);
    const double s = clipped_scalar(row, limit);
    EXPECT_GT(s, 0);
    const Unsigned128 norm = squared_norm(row);
    const Integer whole = (Integer(static_cast<std::uint64_t>(norm >> 64)) << 64) + static_cast<std::uint64_t>(norm);
    count += squared(exact(s)) * Rational(whole) > bound;
  }
  return count;
}

class Clipping : public testing::TestWithParam<std::size_t> {};

TEST_P(Clipping, NeverExceedsTheThreshold) {
  EXPECT_EQ(violations(GetParam(), shrunk_units(kUnits, GetParam(), kClipSlack), 20000, 1), 0);
}

// The error that the shrinking is there for is real, and this test would see it.
TEST_P(Clipping, WithoutSlackWouldExceedIt) { EXPECT_GT(violations(GetParam(), kUnits, 2000, 2), 0); }

INSTANTIATE_TEST_SUITE_P(Dimensions, Clipping, testing::Values(1, 3, 64, 512, 4096));

// Numbers of all sizes, in every instruction set; also the products rounded to double, whose error the slack covers.
TEST(Clip, HoldsForHostileRowsInEveryInstructionSet) {
  const Rational bound = squared(exact(kUnits));
  for_each_target([&](const char* target) {
    std::mt19937_64 random(3);
    for (int trial = 0; trial < 4000; ++trial) {
      const std::size_t d = 1 + random() % 20;
      const auto row = hostile_row(d, random);
      const double s = clipped_scalar(row, shrunk_units(kUnits, d, kClipSlack));
      if (s == 0) continue;
      Rational before = 0, after = 0;
      for (const double x : row) {
        ASSERT_TRUE(std::isfinite(x)) << target;
        before += squared(exact(s) * exact(x));
        after += squared(exact(s * x));
      }
      EXPECT_LE(before, bound) << target;
      EXPECT_LE(after, bound) << target;
    }
  });
}

TEST(Clip, LeavesOutRowsWhoseSquaredNormIsOutOfRange) {
  std::vector<double> row(3);
  const auto contributes = [&](double x) {
    row = {0, x, 0};
    return clipped_scalar(row, kUnits) != 0;
  };
  for (const double x : {0.0, kSubnormal, 1e-200, 0x1p-480, 1e155, kHuge, kInf, -kInf, kNaN})
    EXPECT_FALSE(contributes(x));
  for (const double x : {0x1p-479, 1e-100, 1.0, -1e154}) EXPECT_TRUE(contributes(x));
}

TEST(Clip, IsZeroWhereMarginLabelOrSlopeIsNotFinite) {
  const std::array<double, 7> margins = {kNaN, kInf, 0, 0, 1, -kInf, 0}, labels = {1, 1, kNaN, -kInf, 1, kInf, 1};
  const std::array<double, 7> norms = {1, 1, 1, 1, 1, 1, 0};
  for (const Loss& loss : {Loss(SquaredLoss{}), Loss(LogisticLoss{}), Loss(PoissonLoss{}), Loss(HuberLoss{}),
                           Loss(AbsoluteLoss{}), Loss(QuantileLoss{}), Loss(HingeLoss{}), Loss(SmoothedHingeLoss{}),
                           Loss(SquaredHingeLoss{}), Loss(LinearLoss{})}) {
    std::array<double, 7> s;
    s.fill(5);
    clipped_slopes(loss, margins, labels.data(), norms.data(), Clip{.scale = 3, .limit = 10}, s.data());
    for (const std::size_t i : {0, 1, 2, 3, 5, 6}) EXPECT_EQ(s[i], 0) << loss_name(loss) << " " << i;
  }
}

TEST(Clip, TakesHugeSlopesAndScalesToTheLimit) {
  const std::array<double, 4> margins = {1e308, -1e308, 0, 1e308}, labels = {-1e308, 1e308, 0, 1e308};
  const std::array<double, 4> norms = {0.5, 0.5, 0.5, 0.5};
  std::array<double, 4> s;
  clipped_slopes(SquaredLoss{}, margins, labels.data(), norms.data(), Clip{.scale = kHuge, .limit = 10}, s.data());
  EXPECT_EQ(s, (std::array<double, 4>{5, -5, 0, 0}));
  clipped_slopes(SquaredLoss{}, margins, labels.data(), norms.data(), Clip{.scale = kInf, .limit = 10}, s.data());
  EXPECT_EQ(s, (std::array<double, 4>{5, -5, 0, 0}));  // inf * 0 is no number, and no contribution
}

}  // namespace
}  // namespace tailcoat
