#include "tailcoat/privacy/sampled_gaussian.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/privacy/accountant.hpp"
#include "tailcoat/privacy/composed_loss.hpp"
#include "tailcoat/privacy/conversions.hpp"

namespace tailcoat {
namespace {

// The search aims this far below the largest rate, relatively, and is content within the tolerance below it.
constexpr double kAim = 5e-4;
constexpr double kTolerance = 2e-3;
// The search for about that rate takes no further step after one that is smaller than this, with the slope of two
// evaluations, or with a slope that is assumed.
constexpr double kLastStep = 0.04;
constexpr double kOnlyStep = 0.01;
constexpr int kMostEvaluations = 60;

Result<double> log_delta_of(const SampledGaussianEvent& event, double epsilon) {
  Accountant accountant;
  TAILCOAT_CHECK(accountant.add(event));
  TAILCOAT_TRY(delta, accountant.delta(epsilon));
  return std::log(delta);
}

// Without sampling it is Gaussian noise, for which the exact one is as fast.
Result<double> log_delta_estimate(const SampledGaussianEvent& event, double epsilon) {
  if (event.rate == 1) return log_delta_of(event, epsilon);
  const ComposedLoss loss({{sampled_gaussian_loss_law(event.rate, event.ratio), static_cast<double>(event.steps)}});
  return loss.log_delta_estimate(epsilon);
}

}  // namespace

Result<void> check(const SampledGaussianEvent& event) {
  TAILCOAT_CHECK(check(kSamplingRateOption, event.rate));
  TAILCOAT_CHECK(check(kRatioOption, event.ratio));
  TAILCOAT_CHECK(check(kStepsOption, static_cast<double>(event.steps)));
  return {};
}

bool holds_sampled_steps(const std::vector<Event>& events) {
  return std::ranges::any_of(events, [](const Event& event) {
    if (const auto* parallel = std::get_if<ParallelEvent>(&event))
      return std::ranges::any_of(parallel->branches, holds_sampled_steps);
    return std::holds_alternative<SampledGaussianEvent>(event);
  });
}

double estimated_sampling_rate(Gdp budget, double ratio, double steps) {
  const double square = ratio * ratio;
  const double inflation = std::sqrt(square < 1e-8 ? 1 : std::sinh(square) / square);
  return budget.mu / (2 * ratio * std::sqrt(steps) * inflation);
}

namespace {

// A search for the largest rate ends at one that was evaluated and is good; or, by estimates of delta alone, where the
// next secant step is taken to be the last.
enum class Search { for_a_good_rate, for_one_nearby };

// Secant steps in log delta against log rate, kept between the greatest rate that was seen to satisfy the budget and
// the least that was seen not to.
Result<double> searched_rate(ApproxDp total, double ratio, std::size_t steps, double guess, Search search) {
  TAILCOAT_CHECK(check(total));
  TAILCOAT_CHECK(check(SampledGaussianEvent{1, ratio, steps}));
  const double goal = std::log(total.delta);
  double good = 0;
  double bad = std::numeric_limits<double>::infinity();
  double rate = std::clamp(guess, kSamplingRateOption.lowest, 1.0);
  double slope = 4;  // of log delta in log rate; the first guess is steep enough to stay near
  double last_rate = 0;
  double last_log_delta = 0;
  for (int evaluation = 0; evaluation < kMostEvaluations; ++evaluation) {
    TAILCOAT_TRY(log_delta, (search == Search::for_a_good_rate ? log_delta_of : log_delta_estimate)(
                                {rate, ratio, steps}, total.epsilon));
    (log_delta <= goal ? good : bad) = rate;
    if (good == 1 || bad <= good * (1 + kTolerance)) return good;
    if (bad == kSamplingRateOption.lowest) break;
    if (evaluation > 0) slope = std::max(0.1, (log_delta - last_log_delta) / std::log(rate / last_rate));
    last_rate = rate;
    last_log_delta = log_delta;
    const double step = (goal - log_delta) / slope - kAim;
    if (log_delta <= goal && step < kTolerance - kAim) return good;
    const bool near = std::abs(step) < (evaluation > 0 ? kLastStep : kOnlyStep);
    if (search == Search::for_one_nearby && near)
      return std::clamp(rate * std::exp(step), kSamplingRateOption.lowest, 1.0);
    rate *= std::exp(std::clamp(step, -3.0, 3.0));
    if (rate <= good || rate >= bad) rate = std::sqrt(std::max(good, kSamplingRateOption.lowest) * std::min(bad, 1.0));
    rate = std::clamp(rate, kSamplingRateOption.lowest, 1.0);
  }
  if (good > 0) return good;
  return over_budget(
      fmt::format("no sampling rate satisfies epsilon = {}, delta = {} over {} steps of ratio {}; take "
                  "fewer steps or more noise",
                  total.epsilon, total.delta, steps, ratio));
}

}  // namespace

Result<double> largest_sampling_rate(ApproxDp total, double ratio, std::size_t steps, double guess) {
  if (guess > 0) return searched_rate(total, ratio, steps, guess, Search::for_a_good_rate);
  TAILCOAT_TRY(budget, to_gdp(total));
  const double estimate = estimated_sampling_rate(budget, ratio, static_cast<double>(steps));
  return searched_rate(total, ratio, steps, estimate, Search::for_a_good_rate);
}

Result<double> nearly_largest_sampling_rate(ApproxDp total, double ratio, std::size_t steps, double guess) {
  return searched_rate(total, ratio, steps, guess, Search::for_one_nearby);
}

}  // namespace tailcoat
