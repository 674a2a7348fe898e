// Sums over batches have the bits of the sums over the same rows alone: what a row contributes does not depend on where
// it is or which others are in the batch.
#include "tailcoat/engine/batch_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "helpers.hpp"

namespace tailcoat {
namespace {

struct Rows {
  std::size_t rows, columns;
  std::vector<double> values, labels;

  Rows(std::size_t count, std::size_t d, std::mt19937_64& random) : rows(count), columns(d), labels(count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<double> row = hostile_row(d, random);
      values.insert(values.end(), row.begin(), row.end());
      labels[i] = hostile_number(random);
    }
  }
  [[nodiscard]] std::vector<double> row(std::size_t i) const {
    return {values.begin() + static_cast<std::ptrdiff_t>(i * columns),
            values.begin() + static_cast<std::ptrdiff_t>((i + 1) * columns)};
  }
};

std::vector<std::uint32_t> random_batch(std::size_t rows, std::mt19937_64& random) {
  std::vector<std::uint32_t> batch;
  const auto share = static_cast<double>(random() % 4) / 3;
  for (std::uint32_t i = 0; i < rows; ++i)
    if (std::bernoulli_distribution(share)(random)) batch.push_back(i);
  return batch;
}

TEST(BatchSums, AreTheSumsOverTheRowsOfTheBatchAlone) {
  std::mt19937_64 random(1);
  Engine engine(1);
  for (int trial = 0; trial < 150; ++trial) {
    const std::size_t d = std::array<std::size_t, 5>{1, 3, 8, 20, 65}[random() % 5], n = 1 + random() % 60;
    const Rows rows(n, d, random);
    const std::vector<std::uint32_t> batch = random_batch(n, random);
    Rows chosen(0, d, random);
    for (const std::uint32_t i : batch) {
      const std::vector<double> row = rows.row(i);
      chosen.values.insert(chosen.values.end(), row.begin(), row.end());
      chosen.labels.push_back(rows.labels[i]);
    }
    std::vector<double> x(d);
    for (double& part : x) part = std::normal_distribution<>()(random);
    const auto lattice = *clip_lattice(2, d, Gdp{0.3});
    const auto gradient_of = [](const std::vector<double>& values, std::size_t columns) {
      return [&values, columns](std::size_t i, std::span<const double>, std::span<double> g) {
        std::copy_n(values.data() + i * columns, columns, g.data());
      };
    };
    for (const bool glm : {true, false}) {
      const auto data = *engine.load(RowsOf<double>{rows.values.data(), n, d, d}, rows.labels);
      const Samples samples =
          glm ? Samples(data, HuberLoss{}) : Samples(n, d, {.gradient = gradient_of(rows.values, d)});
      auto sums = *engine.batch_sums(samples, lattice);
      for (int again = 0; again < 2; ++again) {
        const auto found = sums.at(x, batch);
        ASSERT_TRUE(found.ok());
        if (batch.empty()) {
          EXPECT_EQ(SensitiveKey::open(*found), std::vector<std::int64_t>(d));
          continue;
        }
        const std::size_t m = batch.size();
        const auto alone = *engine.load(RowsOf<double>{chosen.values.data(), m, d, d}, chosen.labels);
        const Samples just =
            glm ? Samples(alone, HuberLoss{}) : Samples(m, d, {.gradient = gradient_of(chosen.values, d)});
        const auto expected = engine.clipped_gradient_sum(just, x, lattice);
        ASSERT_TRUE(expected.ok());
        EXPECT_EQ(SensitiveKey::open(*found), opened(*expected)) << n << " rows, " << m << " of them";
      }
    }
  }
}

TEST(BatchSums, ABlockOfSamplesCountsFromItsFirst) {
  const std::size_t n = 10;
  std::vector<double> values(n), labels(n);
  std::iota(values.begin(), values.end(), 1.0);
  Engine engine(1);
  const auto data = *engine.load(RowsOf<double>{values.data(), n, 1, 1}, labels);
  const auto lattice = *clip_lattice(100, 1, Gdp{0.3});
  auto sums = *engine.batch_sums(Samples(data, LinearLoss{}).block(4, 3), lattice);
  const std::vector<double> x = {0};
  const std::vector<std::uint32_t> batch = {0, 2};
  const auto sum = sums.at(x, batch);
  EXPECT_NEAR(static_cast<double>(SensitiveKey::open(*sum)[0]) * lattice.unit(), 5 + 7, 1e-5);
}

TEST(BatchSums, LargeBatchesAreAddedUpInParts) {
  const std::size_t n = 5000, d = 2;
  std::mt19937_64 random(3);
  std::vector<double> values(n * d), labels(n);
  for (double& value : values) value = std::normal_distribution<>()(random);
  Engine engine(1);
  const auto data = *engine.load(RowsOf<double>{values.data(), n, d, d}, labels);
  for (const double mu : {0.3, 1e7}) {  // the second has room for few rows before its sums could overflow a double
    const auto lattice = clip_lattice(1, d, Gdp{mu});
    ASSERT_TRUE(lattice.ok());
    const Samples samples(data, LinearLoss{});
    std::vector<std::uint32_t> all(n);
    std::iota(all.begin(), all.end(), 0u);
    const std::vector<double> x(d);
    auto sums = engine.batch_sums(samples, *lattice);
    if (!sums) continue;
    const auto found = sums->at(x, all);
    EXPECT_EQ(SensitiveKey::open(*found), opened(*engine.clipped_gradient_sum(samples, x, *lattice)));
  }
}

// What a batch had added before its gradient failed must not come out with the next sum.
TEST(BatchSums, AFailedSumLeavesNothingBehind) {
  const std::size_t n = 64;
  std::size_t calls = 0;
  const SampleGradient gradient = [&](std::size_t, std::span<const double>, std::span<double> g) {
    if (++calls == 33) throw std::runtime_error("once");
    g[0] = 1;
  };
  Engine engine(1);
  const auto lattice = *clip_lattice(1, 1, Gdp{0.3});
  auto sums = *engine.batch_sums(Samples(n, 1, {.gradient = gradient}), lattice);
  std::vector<std::uint32_t> all(n);
  std::iota(all.begin(), all.end(), 0u);
  const std::vector<double> x = {0};
  ASSERT_FALSE(sums.at(x, all).ok());
  const auto sum = sums.at(x, all);
  ASSERT_TRUE(sum.ok());
  EXPECT_NEAR(static_cast<double>(SensitiveKey::open(*sum)[0]) * lattice.unit(), 64, 1e-5);
}

TEST(BatchSums, RefuseWeightsAndWhatCannotBeSummed) {
  const std::vector<double> values = {1, 2}, labels = {0, 0}, weights = {1, 2};
  Engine engine(1);
  const auto weighted = *engine.load(RowsOf<double>{values.data(), 2, 1, 1}, labels, weights);
  EXPECT_FALSE(engine.batch_sums(Samples(weighted, LinearLoss{}), *clip_lattice(1, 1, Gdp{0.3})).ok());
  const auto data = *engine.load(RowsOf<double>{values.data(), 2, 1, 1}, labels);
  EXPECT_FALSE(engine.batch_sums(Samples(data, LinearLoss{}), *clip_lattice(1, 2, Gdp{0.3})).ok());
  EXPECT_FALSE(engine.batch_sums(Samples(2, 1, {}), *clip_lattice(1, 1, Gdp{0.3})).ok());
}

// A batch is secret: what a row contributes must not depend on which others are in it, to the last bit.
TEST(BatchSums, AskForEachRowAlone) {
  Engine engine(1);
  std::vector<std::size_t> together, alone;
  const auto noting = [](std::vector<std::size_t>& rows) {
    return [&rows](std::size_t row, std::span<const double>, std::span<double> g) {
      rows.push_back(row);
      std::ranges::fill(g, 1.0);
    };
  };
  const Samples samples(40, 2, {.gradient = noting(together), .gradient_alone = noting(alone)});
  auto sums = *engine.batch_sums(samples.block(10, 20), *clip_lattice(2, 2, Gdp{0.3}));
  ASSERT_TRUE(sums.at(std::vector<double>(2), std::vector<std::uint32_t>{1, 2, 7}).ok());
  EXPECT_EQ(alone, (std::vector<std::size_t>{11, 12, 17}));
  EXPECT_TRUE(together.empty());
}

TEST(BatchSums, RefuseAPointOfAnotherDimension) {
  Engine engine(1);
  const Samples samples(3, 2, {.gradient = [](std::size_t, std::span<const double>, std::span<double>) {}});
  auto sums = *engine.batch_sums(samples, *clip_lattice(2, 2, Gdp{0.3}));
  EXPECT_FALSE(sums.at(std::vector<double>(1), std::vector<std::uint32_t>{1}).ok());
}

}  // namespace
}  // namespace tailcoat
