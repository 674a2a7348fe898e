#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "helpers.hpp"

namespace tailcoat {
namespace {

const std::vector<double> kX = {1, 2, 3};

SensitiveSum sum_of(Engine& engine, std::size_t rows, const SampleGradient& gradient, double threshold = 1) {
  return *engine.clipped_gradient_sum({rows, 3, {gradient}}, kX, *clip_lattice(threshold, 3, Gdp{1}));
}

TEST(SampleGradient, IsClippedInItsOwnDirection) {
  Engine engine(1);
  const auto sum = sum_of(engine, 1, [](std::size_t, auto, std::span<double> g) { g[0] = 3, g[1] = -4; });
  const double units = clip_lattice(1, 3, Gdp{1})->clip_units;
  EXPECT_NEAR(static_cast<double>(opened(sum)[0]), 0.6 * units, 1);
  EXPECT_NEAR(static_cast<double>(opened(sum)[1]), -0.8 * units, 1);
  EXPECT_EQ(opened(sum)[2], 0);
}

TEST(SampleGradient, IsLeftAloneBelowTheThreshold) {
  Engine engine(1);
  const auto sum = sum_of(
      engine, 2, [](std::size_t, auto x, std::span<double> g) { std::ranges::copy(x, g.begin()); }, 100);
  for (std::size_t j = 0; j < 3; ++j)
    EXPECT_NEAR(static_cast<double>(opened(sum)[j]) * sum.unit, 2 * kX[j], 2 * sum.unit);
}

TEST(SampleGradient, OfAnySizeIsClippedAndOnlyNonFiniteOnesAreLeftOut) {
  Engine engine(1);
  for (const double size : {kHuge, 1e200, 1e-200, 1e-320, kSubnormal}) {
    const auto sum = sum_of(
        engine, 1, [&](std::size_t, auto, std::span<double> g) { g[2] = -size; }, 0x1p-900);
    const double share = static_cast<double>(opened(sum)[2]) * sum.unit / 0x1p-900;
    EXPECT_NEAR(share, -std::min(1.0, size / 0x1p-900), 1e-6) << size;
  }
  for (const double bad : {kNaN, kInf, -kInf}) {
    const auto sum = sum_of(engine, 1, [&](std::size_t, auto, std::span<double> g) { g[0] = 1, g[2] = bad; });
    EXPECT_EQ(opened(sum), std::vector<std::int64_t>(3)) << bad;
  }
}

// A callback that sets some coordinates only must not add what another sample has left there.
TEST(SampleGradient, StartsFromZeroForEverySample) {
  Engine engine(1);
  const SampleGradient sparse = [](std::size_t row, auto, std::span<double> g) { g[row % 3] += 0.25; };
  const auto sum = sum_of(engine, 300, sparse);
  for (const std::int64_t units : opened(sum)) EXPECT_NEAR(static_cast<double>(units) * sum.unit, 25, 1e-4);
}

TEST(SampleGradient, ThatThrowsEndsTheSumWithItsMessage) {
  for (const std::size_t threads : {1, 2, 7}) {
    Engine engine(threads);
    const auto lattice = *clip_lattice(1, 3, Gdp{1});
    const SampleGradient failing = [](std::size_t row, auto, auto) {
      if (row == 777) throw std::runtime_error("no such sample");
    };
    const auto result = engine.clipped_gradient_sum({1000, 3, {failing}}, kX, lattice);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().kind, ErrorKind::data);
    EXPECT_EQ(result.error().message, "the gradient of a sample failed: no such sample");
    EXPECT_FALSE(engine.clipped_gradient_sum({1000, 3, {[](std::size_t, auto, auto) { throw 1; }}}, kX, lattice).ok());
    EXPECT_TRUE(engine.clipped_gradient_sum({1000, 3, {[](std::size_t, auto, auto) {}}}, kX, lattice).ok());
  }
}

TEST(SampleGradient, ThatRunsOutOfMemoryIsASystemError) {
  Engine engine(2);
  const auto result = engine.clipped_gradient_sum({100, 3, {[](std::size_t, auto, auto) { throw std::bad_alloc(); }}},
                                                  kX, *clip_lattice(1, 3, Gdp{1}));
  EXPECT_EQ(result.error().kind, ErrorKind::system);
}

TEST(SampleGradient, MayUseTheEngineItself) {
  Engine engine(2);
  std::atomic<int> inner = 0;
  const SampleGradient nested = [&](std::size_t, auto, std::span<double> g) {
    const auto sum = sum_of(engine, 10, [&](std::size_t, auto, std::span<double>) { ++inner; });
    g[0] = static_cast<double>(sum.size);
  };
  EXPECT_GT(opened(sum_of(engine, 20, nested))[0], 0);
  EXPECT_EQ(inner, 200);
}

}  // namespace
}  // namespace tailcoat
