#include "tailcoat/privacy/gaussian_profile.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace tailcoat {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kHalfLogTwoPi = 0.91893853320467274178;
constexpr double kRootHalfPi = 1.2533141373155002512;

// From here on Mills' ratio is 1 / (t + K) with K = 1 / (t + 2 / (t + 3 / (t + ...))), cut after as many terms as leave
// an error below 1e-16.
constexpr double kTail = 2;

double tail_fraction(double t) {
  double denominator = t;
  for (double j = std::floor(12 + 440 / (t * t)); j >= 2; --j) denominator = t + j / denominator;
  return 1 / denominator;
}

// M(t) = (1 - Phi(t)) / phi(t), for t >= -1.
double mills_ratio(double t) {
  if (t >= kTail) return 1 / (t + tail_fraction(t));
  return kRootHalfPi * std::exp(t * t / 2) * std::erfc(t / std::numbers::sqrt2);
}

// -M'(t) = 1 - t M(t) > 0, without the cancellation for large t.
double mills_slope(double t) {
  if (t < kTail) return 1 - t * mills_ratio(t);
  const double fraction = tail_fraction(t);
  return fraction / (t + fraction);
}

// log(phi(a) (M(a) - M(b))) for b = a + mu > 0, b >= |a|.
double log_profile(double mu, double a, double b) {
  const double log_density = -a * a / 2 - kHalfLogTwoPi;
  if (mu <= 1) {
    const auto slope = [&](double s) { return mills_slope(a + mu * (1 + s) / 2); };
    return log_density + std::log(mu) + std::log(boost::math::quadrature::gauss<double, 10>::integrate(slope) / 2);
  }
  if (a >= 0) return log_density + std::log(mills_ratio(a) - mills_ratio(b));
  return std::log(std::erfc(a / std::numbers::sqrt2) / 2 - std::exp(log_density) * mills_ratio(b));
}

}  // namespace

double gaussian_log_delta(double mu, double epsilon) {
  if (epsilon < 0) {  // the two distributions change places
    const double delta = -std::expm1(epsilon) + std::exp(epsilon) * gaussian_delta(mu, -epsilon);
    return std::min(0.0, std::log(delta) + kProfileMargin);
  }
  if (mu == 0) return -kInfinity;
  // Beyond 1e100 squares overflow; delta only falls as epsilon / mu grows, and 1e100 is far below all that counts.
  const double ratio = std::min(epsilon / mu, std::max(1e100, mu));
  const double a = ratio - mu / 2;
  const double b = ratio + mu / 2;
  // a carries an error of 2 kUnit b, which log phi(a) multiplies by |a|.
  const double margin = kProfileMargin + 4 * kUnit * b * (std::max(a, 0.0) + 1);
  return std::min(0.0, log_profile(mu, a, b) + margin);
}

double gaussian_delta(double mu, double epsilon) {
  const double delta = std::exp(gaussian_log_delta(mu, epsilon));
  return mu == 0 ? delta : std::max(delta, std::numeric_limits<double>::min());
}

}  // namespace tailcoat
