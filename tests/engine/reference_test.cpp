// The sums against a slow reference: row by row, in exact integer arithmetic. The rows hold small whole numbers (times
// a power of two), so that margins and squared norms are exact in any order of summation and every instruction set must
// come to the same s; what is left to compare is the rounding and the summation, and which rows count at all.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <numbers>

#include "helpers.hpp"
#include "tailcoat/base/rounding.hpp"
#include "tailcoat/engine/kernels.hpp"
#include "tailcoat/engine/lattice.hpp"

namespace tailcoat {
namespace {

// a b to the nearest integer, ties to even; without fma the product is rounded to a double first.
std::int64_t rounded_product(double a, double b, bool fused) {
  const Rational product = fused ? exact(a) * exact(b) : exact(a * b);
  const Integer twice_up = numerator(product) * 2 + denominator(product), divisor = denominator(product) * 2;
  Integer floor = twice_up / divisor, rest = twice_up % divisor;
  if (rest < 0) {
    rest += divisor;
    floor -= 1;
  }
  if (rest == 0 && floor % 2 != 0) floor -= 1;
  return static_cast<std::int64_t>(floor);
}

struct Problem {
  std::size_t columns, stride;
  std::vector<double> values, labels, x;

  [[nodiscard]] std::size_t rows() const { return labels.size(); }
  [[nodiscard]] std::span<const double> row(std::size_t i) const { return {values.data() + i * stride, columns}; }
};

bool usable(std::span<const double> row, double label) {
  return std::isfinite(label) && std::ranges::all_of(row, [](double x) { return std::abs(x) < 1e30; }) &&
         std::ranges::any_of(row, [](double x) { return std::abs(x) > 1e-30; });
}

// One row in eight has something bad in it. Between the rows, where stride > columns, is NaN.
Problem make_problem(std::size_t rows, std::size_t columns, std::size_t stride, std::mt19937_64& random) {
  const std::vector<double> bad = {kNaN, kInf, -kInf, 1e308};
  Problem problem{columns, stride, std::vector<double>(rows * stride, kNaN), {}, {}};
  const auto whole = [&](int size) {
    return static_cast<double>(std::uniform_int_distribution<>(-size, size)(random));
  };
  for (std::size_t i = 0; i < rows; ++i) {
    const double scale = std::exp2(std::uniform_int_distribution<>(-3, 3)(random));
    for (std::size_t j = 0; j < columns; ++j) problem.values[i * stride + j] = scale * whole(50);
    problem.labels.push_back(whole(20));
    if (random() % 16 == 0) problem.values[i * stride + random() % columns] = bad[random() % bad.size()];
    if (random() % 16 == 0) problem.labels[i] = bad[random() % 3];
    if (random() % 16 == 0) std::fill_n(&problem.values[i * stride], columns, 0.0);
  }
  for (std::size_t j = 0; j < columns; ++j) problem.x.push_back(whole(4) / 8);
  return problem;
}

double clipped(double slope, std::span<const double> row, Clip clip) {
  double squared_norm = 0;
  for (const double a : row) squared_norm += a * a;
  const double limit = clip.limit * (1 / std::sqrt(squared_norm));
  return std::clamp(slope * clip.scale, -limit, limit);
}

std::vector<std::int64_t> reference_gradients(const Problem& problem, const Loss& loss, const ClipLattice& lattice,
                                              bool fused) {
  const Clip clip{lattice.clip_units / lattice.clip_threshold,
                  shrunk_units(lattice.clip_units, problem.columns, kClipSlack)};
  std::vector<std::int64_t> sums(problem.columns);
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const auto row = problem.row(i);
    if (!usable(row, problem.labels[i])) continue;
    double margin = 0;
    for (std::size_t j = 0; j < problem.columns; ++j) margin += row[j] * problem.x[j];
    const double slope = std::visit([&](const auto& l) { return l.derivative(margin, problem.labels[i]); }, loss);
    const double s = clipped(slope, row, clip);
    for (std::size_t j = 0; j < problem.columns; ++j) sums[j] += rounded_product(s, row[j], fused);
  }
  return sums;
}

std::vector<std::int64_t> reference_rows(const Problem& problem, const ClipLattice& lattice, bool fused) {
  const Clip clip{lattice.clip_units / lattice.clip_threshold,
                  shrunk_units(lattice.clip_units, problem.columns, kClipSlack)};
  std::vector<std::int64_t> sums(problem.columns);
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const auto row = problem.row(i);
    if (!usable(row, 0)) continue;
    const double s = clipped(1, row, clip);
    for (std::size_t j = 0; j < problem.columns; ++j) sums[j] += rounded_product(s, row[j], fused);
  }
  return sums;
}

bool has_fma(const std::string& target) { return target != "SCALAR" && target != "SSSE3" && target != "SSE4"; }

std::vector<float> as_float(const std::vector<double>& values) { return {values.begin(), values.end()}; }

TEST(Reference, GradientsAndRowsOfEveryDimensionStorageAndStride) {
  Engine engine(1);
  for_each_target([&](const std::string& target) {
    std::mt19937_64 random(4);
    for (std::size_t d = 1; d <= 70; ++d) {
      const Problem problem = make_problem(1 + random() % 25, d, d + random() % 4, random);
      const std::vector<float> floats = as_float(problem.values);
      const auto lattice = *clip_lattice(20, d, Gdp{1e-5 * std::exp2(std::uniform_int_distribution<>(1, 30)(random))});
      const Loss loss = random() % 2 == 0 ? Loss(SquaredLoss{}) : Loss(LogisticLoss{});
      const auto gradients = reference_gradients(problem, loss, lattice, has_fma(target));
      const auto row_sum = reference_rows(problem, lattice, has_fma(target));
      for (const Rows& rows :
           {Rows(rows_of(problem.values, d, problem.stride)), Rows(rows_of(floats, d, problem.stride))}) {
        const auto data = engine.load(rows, problem.labels);
        ASSERT_TRUE(data.ok()) << data.error().message;
        EXPECT_EQ(opened(*engine.clipped_gradient_sum({*data, loss}, problem.x, lattice)), gradients)
            << target << " " << d;
        EXPECT_EQ(opened(*engine.clipped_row_sum(data->features(), lattice)), row_sum) << target << " " << d;
      }
    }
  });
}

TEST(Reference, CountsOfEveryDimension) {
  Engine engine(1);
  for_each_target([&](const char* target) {
    std::mt19937_64 random(5);
    for (std::size_t d = 1; d <= 40; ++d) {
      Problem problem = make_problem(1 + random() % 30, d, d + random() % 3, random);
      std::vector<double> lower(d, -kInf), upper(d, kInf);
      for (std::size_t j = 0; j < d; ++j) {
        if (random() % 3 != 0) lower[j] = std::uniform_int_distribution<>(-60, 10)(random);
        if (random() % 3 != 0) upper[j] = std::uniform_int_distribution<>(-10, 60)(random);
      }
      const auto sum =
          engine.counts_outside(*engine.load(rows_of(problem.values, d, problem.stride)), lower, upper, Gdp{1});
      ASSERT_TRUE(sum.ok());
      for (std::size_t j = 0; j < d; ++j) {
        int count = 0;
        for (std::size_t i = 0; i < problem.rows(); ++i)
          count += problem.row(i)[j] < lower[j] || problem.row(i)[j] > upper[j];
        EXPECT_DOUBLE_EQ(static_cast<double>(opened(*sum)[j]) * sum->unit, count) << target;
      }
    }
  });
}

TEST(Reference, SecondMomentsOfEveryDimension) {
  Engine engine(1);
  for_each_target([&](const std::string& target) {
    std::mt19937_64 random(6);
    for (std::size_t d = 1; d <= 20; ++d) {
      const Problem problem = make_problem(1 + random() % 9, d, d + random() % 3, random);
      const std::size_t size = d * (d + 1) / 2;
      const double units = *contribution_units(sqrt_up(2), size, Gdp{0.01});
      const Clip clip{std::sqrt(units) / 80, std::sqrt(shrunk_units(units, d, kOuterSlack))};
      std::vector<std::int64_t> expected(size);
      for (std::size_t i = 0; i < problem.rows(); ++i) {
        const auto row = problem.row(i);
        if (!usable(row, 0)) continue;
        const double s = clipped(1, row, clip);
        auto entry = expected.begin();
        for (std::size_t j = 0; j < d; ++j) {
          for (std::size_t k = j; k < d; ++k, ++entry) {
            const double b_j = j == k ? s * row[j] : std::numbers::sqrt2 * (s * row[j]);
            *entry += rounded_product(b_j, s * row[k], has_fma(target));
          }
        }
      }
      const auto sum =
          engine.second_moment_sum(*engine.load(rows_of(problem.values, d, problem.stride)), 80, Gdp{0.01});
      ASSERT_TRUE(sum.ok()) << sum.error().message;
      EXPECT_EQ(opened(*sum), expected) << target << " " << d;
      EXPECT_EQ(sum->unit, 80.0 * 80.0 / units);
    }
  });
}

// The rows end where the memory does: one number read too far and the test dies.
template <class T>
void sum_at_the_end_of_memory(std::size_t d) {
  const std::size_t page = 4096, count = 3 * d;
  void* const memory = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(mprotect(static_cast<char*>(memory) + page, page, PROT_NONE), 0);
  T* const values = reinterpret_cast<T*>(static_cast<char*>(memory) + page) - count;
  std::fill_n(values, count, T{1});
  Engine engine(1);
  const std::vector<double> labels(3, 1), x(d, 0.5), lower(d, -1), upper(d, 0);
  const auto lattice = *clip_lattice(10, d, Gdp{1});
  const auto data = engine.load(RowsOf<T>{values, 3, d, d}, labels);
  ASSERT_TRUE(data.ok());
  EXPECT_TRUE(engine.clipped_gradient_sum({*data, LogisticLoss{}}, x, lattice).ok());
  EXPECT_TRUE(engine.clipped_row_sum(data->features(), lattice).ok());
  EXPECT_TRUE(engine.counts_outside(data->features(), lower, upper, Gdp{1}).ok());
  EXPECT_TRUE(engine.second_moment_sum(data->features(), 10, Gdp{1}).ok());
  munmap(memory, 2 * page);
}

TEST(Reference, NothingIsReadBeyondTheLastRow) {
  for_each_target([&](const char*) {
    for (std::size_t d = 1; d <= 20; ++d) {
      sum_at_the_end_of_memory<double>(d);
      sum_at_the_end_of_memory<float>(d);
    }
  });
}

}  // namespace
}  // namespace tailcoat
