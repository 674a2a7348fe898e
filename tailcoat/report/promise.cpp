#include "tailcoat/report/promise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tailcoat/privacy/conversions.hpp"

namespace tailcoat::report {
namespace {

constexpr double kUsualDelta = 1e-6;  // where the budget names none

double normal_cdf(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

// By bisection: half the doubles' precision is far more than a page shows.
double normal_quantile(double probability) {
  double low = -40, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (normal_cdf(middle) < probability ? low : high) = middle;
  }
  return high;
}

// Gaussian, or without any effect but for a probability of failure.
bool is_gaussian(const ReceiptLine& line) { return line.price.epsilon == 0 && line.price.rho == 0; }

// The epsilon that mu stands for; where none is finite the promise is empty.
double epsilon_of(double mu, double delta) {
  const Result<double> epsilon = to_epsilon(Gdp{mu}, delta);
  return epsilon ? *epsilon : INFINITY;
}

}  // namespace

Promise promise_of(const Receipt& receipt) {
  Promise promise{.epsilon = receipt.budget.epsilon, .delta = receipt.budget.delta, .mu = receipt.gaussian_budget.mu};
  promise.gaussian = promise.mu > 0 && std::ranges::all_of(receipt.lines, is_gaussian);
  if (!promise.gaussian) promise.mu = 0;
  if (promise.gaussian)
    for (const ReceiptLine& line : receipt.lines) promise.failure += line.price.delta;
  if (promise.gaussian && promise.epsilon == 0) {
    promise.delta = kUsualDelta;
    promise.epsilon = epsilon_of(promise.mu, promise.delta);
  }
  return promise;
}

double detection(const Promise& promise, double false_alarm) {
  if (promise.gaussian) return std::min(1.0, normal_cdf(normal_quantile(false_alarm) + promise.mu) + promise.failure);
  const double factor = std::exp(promise.epsilon);
  return std::min({1.0, promise.delta + factor * false_alarm, 1 - (1 - promise.delta - false_alarm) / factor});
}

double beyond_odds(const Promise& promise) {
  if (!promise.gaussian || !(promise.mu > 0)) return 0;
  return std::min(1.0, normal_cdf(promise.mu / 2 - promise.epsilon / promise.mu) + promise.failure);
}

double guess(const Promise& promise) {
  if (promise.gaussian) return std::min(1.0, normal_cdf(promise.mu / 2) + promise.failure / 2);
  // (1 + distance) / 2 with the total variation distance at most 1 - 2 (1 - delta) / (1 + e^epsilon).
  return std::min(1.0, 1 - (1 - promise.delta) / (1 + std::exp(promise.epsilon)));
}

double odds(const Promise& promise) { return std::exp(promise.epsilon); }

Promise for_group(const Promise& promise, double rows) {
  Promise group = promise;
  group.mu *= rows;
  group.failure *= rows;
  group.epsilon = epsilon_of(group.mu, promise.delta - group.failure);
  return group;
}

Promise for_runs(const Promise& promise, double runs) {
  Promise all = promise;
  if (promise.gaussian) {
    all.mu *= std::sqrt(runs);
    all.failure *= runs;
    if (all.failure > 0) all.delta *= runs;  // failures add up: no epsilon makes up for them
    all.epsilon = epsilon_of(all.mu, all.delta - all.failure);
  } else {
    all.epsilon *= runs;
    all.delta *= runs;
  }
  return all;
}

}  // namespace tailcoat::report
