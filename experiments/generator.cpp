#include "experiments/generator.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace tailcoat::experiments {
namespace {

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

}  // namespace

double portable_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < std::numbers::sqrt2 / 2) {
    mantissa *= 2;
    --exponent;
  }
  // log m = 2 atanh f; |f| < 0.172, so that 14 terms leave less than 1e-22
  const double f = (mantissa - 1) / (mantissa + 1), square = f * f;
  double sum = 0;
  for (int power = 27; power >= 1; power -= 2) sum = sum * square + 1.0 / power;
  return exponent * std::numbers::ln2 + 2 * f * sum;
}

double portable_exp(double x) {
  constexpr double kFirstOverflow = 709.8, kFirstZero = -745.2;
  if (x > kFirstOverflow) return std::numeric_limits<double>::infinity();
  if (x < kFirstZero) return 0;
  const double halvings = std::floor(x / std::numbers::ln2 + 0.5);
  const double rest = x - halvings * std::numbers::ln2;
  double sum = 1;
  for (int term = 18; term >= 1; --term) sum = 1 + sum * rest / term;
  return std::ldexp(sum, static_cast<int>(halvings));
}

std::uint64_t seed_of(std::string_view name, std::initializer_list<std::uint64_t> parts) {
  std::uint64_t seed = 0x9e3779b97f4a7c15ull;
  for (const char c : name) seed = mixed(seed ^ static_cast<unsigned char>(c)) + 0x9e3779b97f4a7c15ull;
  for (const std::uint64_t part : parts) seed = mixed(seed ^ mixed(part + 0x9e3779b97f4a7c15ull));
  return seed;
}

std::uint64_t Generator::word() {
  state_ += 0x9e3779b97f4a7c15ull;
  return mixed(state_);
}

double Generator::uniform() { return (static_cast<double>(word() >> 11) + 0.5) * 0x1p-53; }

// The polar method: two at a time.
double Generator::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  for (;;) {
    const double u = 2 * uniform() - 1, v = 2 * uniform() - 1;
    const double square = u * u + v * v;
    if (square >= 1 || square == 0) continue;
    const double stretch = std::sqrt(-2 * portable_log(square) / square);
    spare_ = v * stretch;
    has_spare_ = true;
    return u * stretch;
  }
}

// Marsaglia and Tsang's method; a shape below 1 by the power of a uniform.
double Generator::gamma(double shape) {
  if (shape < 1) return gamma(shape + 1) * portable_exp(portable_log(uniform()) / shape);
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal(), root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (portable_log(uniform()) < 0.5 * x * x + d - d * v + d * portable_log(v)) return d * v;
  }
}

double Generator::laplace() {
  const std::uint64_t bits = word();
  const double u = (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
  const double size = -portable_log(u);
  return (bits & 1) != 0 ? size : -size;
}

}  // namespace tailcoat::experiments
