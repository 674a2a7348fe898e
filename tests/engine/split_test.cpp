// Same bits for any number of threads, any split of the rows, either storage.
#include <gtest/gtest.h>

#include "helpers.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/pass.hpp"

namespace tailcoat {
namespace {

struct Sums {
  std::vector<std::int64_t> gradients, samples, rows, counts, moments;
  bool operator==(const Sums&) const = default;
};

// All five sums. The samples of the general path are the rows.
Sums all_sums(Engine& engine, const Rows& rows, std::span<const double> labels, bool with_moments) {
  const std::size_t d = column_count(rows);
  std::vector<double> x(d), lower(d, -1), upper(d, 1);
  for (std::size_t j = 0; j < d; ++j) x[j] = 0.01 * static_cast<double>(j % 7) - 0.02;
  const auto lattice = *clip_lattice(0.5, d, Gdp{0.3});
  const auto data = *engine.load(rows, labels);
  const SampleGradient gradient = [&](std::size_t row, std::span<const double> at, std::span<double> result) {
    std::visit(
        [&](const auto& r) {
          for (std::size_t j = 0; j < d; ++j) result[j] = static_cast<double>(r.row(row)[j]) + at[j];
        },
        rows);
  };
  return {opened(*engine.clipped_gradient_sum({data, LogisticLoss{}}, x, lattice)),
          opened(*engine.clipped_gradient_sum({row_count(rows), x.size(), {gradient}}, x, lattice)),
          opened(*engine.clipped_row_sum(data.features(), lattice)),
          opened(*engine.counts_outside(data.features(), lower, upper, Gdp{1})),
          with_moments ? opened(*engine.second_moment_sum(data.features(), 1, Gdp{1})) : std::vector<std::int64_t>{}};
}

// Numbers that are floats, now and then a hostile row.
std::vector<float> random_values(std::size_t rows, std::size_t columns, std::size_t stride, std::mt19937_64& random) {
  std::vector<float> values(rows * stride, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j)
      values[i * stride + j] = static_cast<float>(static_cast<double>(random()) * 0x1p-62 - 2);
    if (random() % 50 == 0) values[i * stride + random() % columns] = std::numeric_limits<float>::infinity();
  }
  return values;
}

TEST(Split, DoesNotChangeASumOnAnyNumberOfThreads) {
  std::vector<Engine> engines;
  for (const std::size_t threads : {1, 2, 3, 7}) engines.emplace_back(threads);
  std::mt19937_64 random(20);
  for (std::size_t d = 1; d <= 70; ++d) {
    const std::size_t stride = d + random() % 3, n = (std::size_t{1} << 20) / (4 * d) + random() % 100;
    const std::vector<float> floats = random_values(n, d, stride, random);
    const std::vector<double> doubles(floats.begin(), floats.end());
    std::vector<double> labels(n);
    for (double& y : labels) y = random() % 2 == 0 ? 1 : -1;
    const bool with_moments = d <= 12;
    const Sums expected = all_sums(engines[0], rows_of(doubles, d, stride), labels, with_moments);
    for (Engine& engine : engines) {
      EXPECT_EQ(all_sums(engine, rows_of(doubles, d, stride), labels, with_moments), expected)
          << d << " " << engine.threads();
      EXPECT_EQ(all_sums(engine, rows_of(floats, d, stride), labels, with_moments), expected)
          << d << " " << engine.threads();
    }
  }
}

// Chunks down to a single row, so that every row takes every place in a tile and a block.
TEST(Split, DoesNotChangeASumForAnyPartition) {
  Workers workers(3);
  std::mt19937_64 random(21);
  for (const std::size_t d : {1, 3, 20, 67}) {
    const std::size_t n = 517;
    const std::vector<float> floats = random_values(n, d, d, random);
    const std::vector<double> values(floats.begin(), floats.end()), labels(n, 1);
    const AlignedVector x = padded_copy(std::vector<double>(d, 0.3));
    std::vector<double> norms(n);
    const auto rows = rows_of(values, d);
    inverse_norms(rows, norms.data());
    for (const double units : {1e3, 0x1p49, 0x1p50}) {  // with many units there is room for few rows between flushes
      const Loss loss = LogisticLoss{};
      const GradientPass<double> pass{rows, labels.data(), norms.data(), loss, x.data(), Clip{units, units / 2}};
      const auto sum = [&](std::size_t chunk) {
        return *exact_sum(workers, {.rows = n, .chunk = chunk, .size = d, .largest_term = units},
                          [&](LatticeSums& sums, std::size_t begin, std::size_t end) {
                            add_gradients(pass, begin, end, sums,
                                          [](const auto&... arguments) { lattice_sweep(arguments...); });
                          });
      };
      const auto expected = sum(n);
      EXPECT_NE(expected, std::vector<std::int64_t>(d));
      for (const std::size_t chunk : {1, 2, 3, 4, 5, 7, 64, 100, 516})
        EXPECT_EQ(sum(chunk), expected) << d << " " << chunk;
    }
  }
}

}  // namespace
}  // namespace tailcoat
