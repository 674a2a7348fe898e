// What the engine's tests share: opened sums, rows with hostile values in them, exact arithmetic, and every instruction
// set the kernels are compiled for.
#pragma once

#include <hwy/targets.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "tailcoat/engine/engine.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {

using Integer = boost::multiprecision::cpp_int;
using Rational = boost::multiprecision::cpp_rational;

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kHuge = std::numeric_limits<double>::max();
inline constexpr double kSubnormal = std::numeric_limits<double>::denorm_min();

inline const std::vector<std::int64_t>& opened(const SensitiveSum& sum) { return SensitiveKey::open(sum.units); }

template <class T>
RowsOf<T> rows_of(const std::vector<T>& values, std::size_t columns, std::size_t stride = 0) {
  if (stride == 0) stride = columns;
  return {values.data(), values.size() / stride, columns, stride};
}

// Exact, for finite x.
inline Rational exact(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  const Integer numerator(static_cast<std::int64_t>(std::ldexp(mantissa, 53)));
  exponent -= 53;
  if (exponent >= 0) return Rational(Integer(numerator << exponent));
  return Rational(numerator, Integer(1) << -exponent);
}

inline Rational squared(const Rational& x) { return x * x; }

inline Rational squared_distance(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  Integer sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (Integer(a[i]) - b[i]) * (Integer(a[i]) - b[i]);
  return Rational(sum);
}

// How much of its claimed sensitivity a sum moves by, squared: at most 1 for neighbouring data.
inline Rational moved_share(const SensitiveSum& one, const SensitiveSum& two) {
  return squared_distance(opened(one), opened(two)) / squared(exact(one.sensitivity));
}

inline std::vector<double> random_numbers(std::size_t count, std::mt19937_64& random) {
  std::vector<double> values(count);
  for (double& value : values) value = std::normal_distribution<>()(random);
  return values;
}

// A number as records may hold it: mostly ordinary, at times as bad as can be.
inline double hostile_number(std::mt19937_64& random) {
  const std::vector<double> bad = {kNaN,   kInf,   -kInf,    kHuge,    -kHuge, 1e308,   0,      -0.0,     kSubnormal,
                                   1e-310, 1e-200, 0x1p-480, 0x1p-500, 1e154,  1.4e154, -1e200, 0x1p-1022};
  if (random() % 8 == 0) return bad[random() % bad.size()];
  return std::normal_distribution<>()(random) * std::exp2(std::uniform_int_distribution<>(-40, 40)(random));
}

// Hostile or ordinary, or all numbers of one size, or on a single axis: what is near the clip in one way or another.
inline std::vector<double> hostile_row(std::size_t columns, std::mt19937_64& random) {
  std::vector<double> row(columns);
  switch (random() % 5) {
    case 0:
      for (double& x : row) x = hostile_number(random);
      break;
    case 1:
      for (double& x : row) x = std::normal_distribution<>()(random);
      break;
    case 2:
      for (double& x : row) x = random() % 2 == 0 ? 1e10 : -1e10;
      break;
    case 3:
      row[random() % columns] = random() % 2 == 0 ? 1e100 : -1e100;
      break;
    default:
      row[random() % columns] = hostile_number(random);
  }
  return row;
}

inline std::vector<double> hostile_rows(std::size_t rows, std::size_t columns, std::mt19937_64& random) {
  std::vector<double> values;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = hostile_row(columns, random);
    values.insert(values.end(), row.begin(), row.end());
  }
  return values;
}

// Runs `body` once for each instruction set of this machine, "SCALAR" included.
inline void for_each_target(const std::function<void(const char* name)>& body) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::GetChosenTarget().Update(target);
    body(hwy::TargetName(target));
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace tailcoat
