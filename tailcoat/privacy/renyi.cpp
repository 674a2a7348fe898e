#include "tailcoat/privacy/renyi.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>

#include "tailcoat/base/rounding.hpp"

namespace tailcoat {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Covers the rounding of the terms that do not grow with alpha.
constexpr double kConversionMargin = 4e-14;

// Orders are searched as log(alpha - 1), on a grid wide enough for epsilon from 1e-40 up, then refined around the best.
constexpr double kLowestLogOrder = -30;
constexpr double kHighestLogOrder = 100;
constexpr double kGridStep = 0.5;
constexpr int kBitsOfOrder = 26;  // the minimum is flat: half the bits of the order give all those of the value

// log of  exp(k (D - epsilon)) (1 - 1/alpha)^alpha / (alpha - 1),  k = alpha - 1, D the divergence of order alpha.
double log_delta_at(const Rdp& curve, double epsilon, double log_order) {
  const double alpha = 1 + std::exp(log_order);
  const double k = alpha - 1;
  const double divergence = curve.epsilon(alpha);
  const double log_delta = k * (divergence - epsilon) - k * std::log1p(1 / k) - std::log1p(k);
  const double margin = kConversionMargin + 4 * kUnit * (k * (divergence + epsilon) + std::log1p(k));
  const double bound = log_delta + margin;
  return std::isnan(bound) ? kInfinity : bound;
}

// log(1 - e^-x) for x > 0.
double log_one_minus_exp(double x) { return std::log(-std::expm1(-x)); }

// An upper bound of the smallest of three upper bounds; the last one may be inexact by `slack`.
double least(double a, double b, double c, double slack) { return std::min({a, b, add_up(c, slack)}); }

}  // namespace

double pure_renyi(double epsilon, double alpha) {
  const double k = alpha - 1;
  // log((e^(alpha epsilon) + e^((1 - alpha) epsilon)) / (1 + e^epsilon)) / k
  const double gain = std::log1p(std::exp((1 - 2 * alpha) * epsilon)) - std::log1p(std::exp(-epsilon));
  const double quadratic = mul_up(alpha, mul_up(0.5, mul_up(epsilon, epsilon)));
  return least(epsilon, quadratic, epsilon + gain / k, 8 * kUnit * (epsilon + 1 / k));
}

double bounded_range_renyi(double epsilon, double alpha) {
  const double k = alpha - 1;
  const double quadratic = mul_up(alpha, mul_up(0.125, mul_up(epsilon, epsilon)));
  // The worst mechanism has losses t and t - epsilon, e^t = (k / alpha) (e^(alpha epsilon) - 1) / (e^(k epsilon) - 1),
  // and the divergence t + log((e^epsilon - e^(-k epsilon)) / (alpha (e^epsilon - 1))) / k.
  const double log_alpha_part = log_one_minus_exp(alpha * epsilon);
  const double log_k_part = log_one_minus_exp(k * epsilon);
  const double log_part = log_one_minus_exp(epsilon);
  const double t = epsilon + log_alpha_part - log_k_part - std::log1p(1 / k);
  const double divergence = t + (log_alpha_part - log_part - std::log1p(k)) / k;
  const double terms = epsilon - log_alpha_part - log_k_part - log_part + std::log1p(k) + std::log1p(1 / k) + 3;
  if (!std::isfinite(divergence)) return std::min(epsilon, quadratic);
  return least(epsilon, quadratic, divergence, 8 * kUnit * terms * (1 + 1 / k));
}

double renyi_log_delta(const Rdp& curve, double epsilon) {
  const auto objective = [&](double log_order) { return log_delta_at(curve, epsilon, log_order); };
  double best = kLowestLogOrder;
  double least_value = objective(best);
  for (double log_order = kLowestLogOrder; log_order <= kHighestLogOrder; log_order += kGridStep) {
    const double value = objective(log_order);
    if (value < least_value) {
      least_value = value;
      best = log_order;
    }
  }
  const auto around_best = [&](double shift) { return objective(best + shift); };
  const auto refined = boost::math::tools::brent_find_minima(around_best, -kGridStep, kGridStep, kBitsOfOrder);
  return std::min({0.0, least_value, refined.second});
}

}  // namespace tailcoat
