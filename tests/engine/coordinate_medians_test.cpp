#include <gtest/gtest.h>

#include <algorithm>

#include "helpers.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {
namespace {

const std::vector<double> kOrigin(3, 0.0);

SampleGradient rows_as_gradients(const std::vector<double>& values, std::size_t columns) {
  return [&values, columns](std::size_t row, std::span<const double>, std::span<double> g) {
    std::copy_n(values.data() + row * columns, columns, g.data());
  };
}

// In exact integers, for rows as hostile as they come; and all of it where each coordinate jumps from one end to the
// other in the group that is the median.
TEST(CoordinateMedians, MoveByNoMoreThanTheirSensitivity) {
  Engine engine(1);
  std::mt19937_64 random(21);
  Rational most = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const std::size_t d = 1 + random() % 5, n = 1 + random() % 9, groups = 1 + random() % n;
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = hostile_row(d, random);
      values.insert(values.end(), row.begin(), row.end());
    }
    std::vector<double> other = values;
    const std::size_t replaced = random() % n * d;
    for (std::size_t j = 0; j < d; ++j) {
      values[replaced + j] = random() % 2 == 0 ? values[replaced + j] : 1e30;
      other[replaced + j] = random() % 2 == 0 ? -values[replaced + j] : -1e30;
    }
    const Gdp cost{std::exp2(std::uniform_real_distribution<>(-20, 3)(random))};
    const std::vector<double> x(d, 0.0);
    const auto medians = [&](const std::vector<double>& rows) {
      return *engine.clipped_coordinate_medians({n, d, {rows_as_gradients(rows, d)}}, x, 0.7, groups, cost);
    };
    const SensitiveSum one = medians(values), two = medians(other);
    EXPECT_LE(exact(one.sensitivity), exact(kGaussianScale) * exact(cost.mu));
    const Rational share = squared_distance(opened(one), opened(two)) / squared(exact(one.sensitivity));
    EXPECT_LE(share, 1);
    most = std::max(most, share);
  }
  EXPECT_GT(static_cast<double>(most), 0.999);
}

TEST(CoordinateMedians, AreTheLowerMediansOfGroupSums) {
  const std::vector<double> values = {1, 9, -1, 1, 0, 0, 2, 0, 3, 5, 0, 1, 7, 7, 7, 7, 7, 7};  // 6 samples of 3
  Engine engine(1);
  const auto medians = [&](std::size_t groups) {
    const auto sum =
        *engine.clipped_coordinate_medians({6, 3, {rows_as_gradients(values, 3)}}, kOrigin, 5, groups, Gdp{1});
    std::vector<double> result;
    for (const std::int64_t units : opened(sum)) result.push_back(static_cast<double>(units) * sum.unit);
    return result;
  };
  const auto expect = [](const std::vector<double>& found, const std::vector<double>& wanted) {
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(found[j], wanted[j], 1e-5);
  };
  // The samples, clipped at 5: (1, 5, -1), (1, 0, 0), (2, 0, 3), (5, 0, 1), (5, 5, 5), (5, 5, 5).
  expect(medians(1), {19, 15, 13});
  expect(medians(3), {7, 5, 4});  // of (2, 5, -1), (7, 0, 4), (10, 10, 10)
  expect(medians(4), {1, 0, 0});  // one sample each, two are left over; of 1, 1, 2, 5 the lower one
}

TEST(CoordinateMedians, OfAGlmAreThoseOfItsGradientsForAnyThreads) {
  std::mt19937_64 random(22);
  std::normal_distribution<> normal;
  const std::size_t n = 103, d = 4;
  std::vector<double> values(n * d), labels(n), x(d);
  for (double& value : values) value = normal(random);
  for (double& label : labels) label = normal(random);
  for (double& part : x) part = normal(random);
  const SampleGradient gradient = [&](std::size_t row, std::span<const double> at, std::span<double> g) {
    double margin = 0;
    for (std::size_t j = 0; j < d; ++j) margin += values[row * d + j] * at[j];
    for (std::size_t j = 0; j < d; ++j) g[j] = (margin - labels[row]) * values[row * d + j];
  };
  Engine one(1);
  const auto own = *one.clipped_coordinate_medians(Samples(n, d, {gradient}).block(3, 100), x, 1, 7, Gdp{1});
  for (const std::size_t threads : {1, 2, 3}) {
    Engine engine(threads);
    const auto data = *engine.load(rows_of(values, d), labels);
    const auto sum = *engine.clipped_coordinate_medians(Samples(data, SquaredLoss{}).block(3, 100), x, 1, 7, Gdp{1});
    for (std::size_t j = 0; j < d; ++j)
      EXPECT_NEAR(static_cast<double>(opened(sum)[j]), static_cast<double>(opened(own)[j]), 20);  // of 3e7 units
  }
}

TEST(CoordinateMedians, RefuseWhatTheyCannotDo) {
  Engine engine(1);
  const std::vector<double> values(9, 1.0);
  const Samples samples(3, 3, {rows_as_gradients(values, 3)});
  EXPECT_FALSE(engine.clipped_coordinate_medians(samples, kOrigin, 1, 0, Gdp{1}).ok());
  EXPECT_FALSE(engine.clipped_coordinate_medians(samples, kOrigin, 1, 4, Gdp{1}).ok());
  EXPECT_FALSE(engine.clipped_coordinate_medians(samples, kOrigin, 0, 1, Gdp{1}).ok());
  EXPECT_FALSE(engine.clipped_coordinate_medians(samples, kOrigin, 1, 1, Gdp{1e-9}).ok());
  EXPECT_FALSE(engine.clipped_coordinate_medians(samples, std::vector<double>{0, kNaN, 0}, 1, 1, Gdp{1}).ok());
}

}  // namespace
}  // namespace tailcoat
