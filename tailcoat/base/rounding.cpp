#include "tailcoat/base/rounding.hpp"

#include <cfloat>
#include <cmath>
#include <limits>

namespace tailcoat {
namespace {

static_assert(FLT_EVAL_METHOD == 0, "intermediate results must be doubles: build with -msse2 -mfpmath=sse");

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Below this magnitude an fma residual may itself underflow and lose its sign.
constexpr double kResidualIsExact = 0x1p-960;

// The neighbour of `nearest` on the side of `error` = exact - nearest, if it has to move that way.
double towards(double direction, double nearest, double error) {
  if (std::isnan(nearest) || error == 0) return nearest;
  const bool exact_is_beyond = direction > 0 ? error > 0 : error < 0;
  return exact_is_beyond ? std::nextafter(nearest, direction) : nearest;
}

// For results whose residual cannot be trusted (overflowed or tiny): move unconditionally. An infinity on the wrong
// side of a finite exact result moves back to the largest finite number.
double towards_blindly(double direction, double nearest) { return std::nextafter(nearest, direction); }

double add_towards(double direction, double a, double b) {
  const double sum = a + b;
  if (std::isinf(sum)) return std::isinf(a) || std::isinf(b) ? sum : towards_blindly(direction, sum);
  const double b_part = sum - a;  // Knuth's TwoSum: error is exact, addition never underflows
  const double error = (a - (sum - b_part)) + (b - b_part);
  return towards(direction, sum, error);
}

double mul_towards(double direction, double a, double b) {
  const double product = a * b;
  if (std::isinf(product)) return std::isinf(a) || std::isinf(b) ? product : towards_blindly(direction, product);
  if (a == 0 || b == 0) return product;
  if (std::abs(product) < kResidualIsExact) return towards_blindly(direction, product);
  return towards(direction, product, std::fma(a, b, -product));
}

double div_towards(double direction, double a, double b) {
  const double quotient = a / b;
  if (a == 0 || b == 0 || std::isinf(a) || std::isinf(b) || std::isnan(quotient)) return quotient;
  if (std::isinf(quotient) || std::abs(quotient) < kResidualIsExact || std::abs(a) < kResidualIsExact)
    return towards_blindly(direction, quotient);
  const double remainder = -std::fma(quotient, b, -a);  // a - quotient b, exact
  return towards(direction, quotient, b > 0 ? remainder : -remainder);
}

double sqrt_towards(double direction, double a) {
  const double root = std::sqrt(a);
  if (a == 0 || std::isinf(a) || std::isnan(root)) return root;
  if (a < kResidualIsExact) return sqrt_towards(direction, a * 0x1p200) * 0x1p-100;  // both scalings are exact
  return towards(direction, root, -std::fma(root, root, -a));
}

}  // namespace

double add_up(double a, double b) { return add_towards(kInfinity, a, b); }
double add_down(double a, double b) { return add_towards(-kInfinity, a, b); }
double sub_up(double a, double b) { return add_towards(kInfinity, a, -b); }
double sub_down(double a, double b) { return add_towards(-kInfinity, a, -b); }
double mul_up(double a, double b) { return mul_towards(kInfinity, a, b); }
double mul_down(double a, double b) { return mul_towards(-kInfinity, a, b); }
double div_up(double a, double b) { return div_towards(kInfinity, a, b); }
double div_down(double a, double b) { return div_towards(-kInfinity, a, b); }
double sqrt_up(double a) { return sqrt_towards(kInfinity, a); }
double sqrt_down(double a) { return sqrt_towards(-kInfinity, a); }

}  // namespace tailcoat
