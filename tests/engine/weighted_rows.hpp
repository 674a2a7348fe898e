// Rows with labels and weights, hostile ones and their neighbours, for the tests of weights and of made rows; and what
// must refuse such samples.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "helpers.hpp"

namespace tailcoat {

template <class T>
struct WeightedRows {
  std::size_t columns;
  std::vector<T> values;
  std::vector<double> labels, weights;

  [[nodiscard]] RowsOf<T> rows() const { return rows_of(values, columns); }
  [[nodiscard]] LabelledData loaded(Engine& engine) const { return *engine.load(rows(), labels, weights); }
};

inline double hostile_weight(std::mt19937_64& random) {
  const std::vector<double> bad = {kNaN, kInf, -kInf, -1, -kSubnormal, -kHuge, 0, -0.0, kSubnormal, kHuge, 1e300};
  return random() % 3 == 0 ? bad[random() % bad.size()] : std::exp(3 * std::normal_distribution<>()(random));
}

template <class T>
struct WeightedNeighbours {
  WeightedRows<T> one, two;
};

// Three hostile rows, one of them replaced: often by its negative, which is what moves a sum furthest.
template <class T>
WeightedNeighbours<T> hostile_neighbours(std::mt19937_64& random) {
  const std::size_t d = std::array<std::size_t, 4>{1, 3, 8, 17}[random() % 4], n = 3, replaced = random() % n;
  WeightedRows<T> one{.columns = d, .values = {}, .labels = std::vector<double>(n), .weights = std::vector<double>(n)};
  for (const double x : hostile_rows(n, d, random)) one.values.push_back(static_cast<T>(x));
  for (double& label : one.labels) label = hostile_number(random);
  for (double& weight : one.weights) weight = hostile_weight(random);
  WeightedRows<T> two = one;
  const auto row = hostile_row(d, random);
  const bool turned = random() % 4 != 0;
  for (std::size_t j = 0; j < d; ++j) {
    T& number = two.values[replaced * d + j];
    number = turned ? -number : static_cast<T>(row[j]);
  }
  if (random() % 2 == 0) two.labels[replaced] = hostile_number(random);
  two.weights[replaced] = hostile_weight(random);
  return {one, two};
}

// The largest share of its sensitivity that `sum(rows, x, lattice)` moves by, squared, over hostile neighbours.
template <class T, class Sum>
Rational largest_moved_share(unsigned seed, int trials, const Sum& sum) {
  std::mt19937_64 random(seed);
  Rational most = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto [one, two] = hostile_neighbours<T>(random);
    const auto x = random_numbers(one.columns, random);
    const double clip = std::exp2(std::uniform_int_distribution<>(-30, 30)(random));
    const auto lattice = *clip_lattice(clip, one.columns, Gdp{0.01});
    most = std::max(most, moved_share(sum(one, x, lattice), sum(two, x, lattice)));
  }
  return most;
}

// Samples of one column, which every pass that goes from row to row refuses with a message that has `reason` in it.
inline void expect_refused_row_by_row(Engine& engine, const Samples& samples, const std::string& reason) {
  const auto refused = [&](const auto& result) {
    return !result.ok() && result.error().message.find(reason) != std::string::npos;
  };
  const std::vector<double> x = {0};
  const Domain domain = *Domain::ball({0}, 1);
  EXPECT_TRUE(samples.weighted());
  EXPECT_TRUE(refused(engine.one_pass_average(samples, domain, x, {.step = 0.1, .clip = 1}, Gdp{1})));
  EXPECT_TRUE(refused(engine.clipped_coordinate_medians(samples, x, 1, 2, Gdp{1})));
  EXPECT_TRUE(refused(engine.minimiser(samples, domain, x, {.lipschitz = 1, .weight = 1}, Gdp{1})));
  const Guard guard = [](const Sensitive<double>&) { return false; };
  const GuardedPass pass{.step = 0.1, .clip = 1, .longest = 10, .smoothness = 1, .most_clipped = 1};
  EXPECT_TRUE(refused(engine.guarded_average(samples, domain, x, pass, guard, Gdp{1})));
}

}  // namespace tailcoat
