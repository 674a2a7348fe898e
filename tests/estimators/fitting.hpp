// Simulated tables and fits of them, for the tests of fit().
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "models.hpp"
#include "tailcoat/estimators/fit.hpp"

namespace tailcoat {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
inline constexpr ApproxDp kGenerous{1000, 1e-6};  // noise is far below sampling error

using Random = std::mt19937_64;
inline double normal(Random& random) { return std::normal_distribution<double>()(random); }
inline double uniform(Random& random) { return std::uniform_real_distribution<double>()(random); }

// Rows from a function that gives one, seeded.
inline Table simulated(std::vector<Column> columns, std::size_t rows, std::uint64_t seed,
                       const std::function<std::vector<double>(Random&)>& row) {
  Random random(seed);
  std::vector<double> cells;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::vector<double> next = row(random);
    cells.insert(cells.end(), next.begin(), next.end());
  }
  return table_of(std::move(columns), cells);
}

inline Result<Fit> fitted(Table table, const FitOptions& options, std::uint64_t seed = 1, std::size_t threads = 1,
                          const Progress& progress = {}) {
  Engine engine(threads);
  BitSource noise = BitSource::insecure_seeded(seed);
  return fit(std::move(table), options, {engine, noise}, progress);
}

inline std::map<std::string, Estimate> estimates(const Model& model, std::size_t part = 0) {
  std::map<std::string, Estimate> found{{"(intercept)", model.parts[part].intercept}};
  for (std::size_t j = 0; j < model.features.size(); ++j)
    found[feature_name(model.features[j])] = model.parts[part].coefficients[j];
  return found;
}

using Truth = std::map<std::string, double>;

inline void expect_near(const Result<Fit>& fit, const Truth& truth, double tolerance) {
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_FALSE(fit->constant);
  const auto found = estimates(fit->model);
  for (const auto& [name, value] : truth) {
    ASSERT_TRUE(found.contains(name)) << name;
    EXPECT_NEAR(found.at(name).value, value, tolerance * std::max(1.0, std::abs(value))) << name;
    EXPECT_LE(found.at(name).low, found.at(name).value) << name;
    EXPECT_GE(found.at(name).high, found.at(name).value) << name;
  }
}

// a ~ N(10, 2), b ~ N(-1, 0.5), y = 3 + 2 a - 4 b + N(0, noise).
inline Table linear_table(std::size_t rows, std::uint64_t seed, double noise = 1) {
  return simulated({{.name = "a"}, {.name = "b"}, {.name = "y"}}, rows, seed, [noise](Random& random) {
    const double a = 10 + 2 * normal(random), b = -1 + 0.5 * normal(random);
    return std::vector{a, b, 3 + 2 * a - 4 * b + noise * normal(random)};
  });
}

}  // namespace tailcoat
