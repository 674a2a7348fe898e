#include "tailcoat/privacy/composed_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/privacy/conversions.hpp"
#include "tailcoat/privacy/fourier_sum.hpp"

namespace tailcoat {
namespace {

using Parts = std::vector<ComposedLoss::Part>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Gaussian noise is added, if there is none, which makes the sum finite: so little that delta grows by about this
// share.
constexpr double kSmoothing = 3e-4;
constexpr double kMuchSmoothing = 1e-2;  // with 6 times fewer frequencies
// Frequencies go on until the noise has damped them by e^(-5.5^2 / 2).
constexpr double kDamping = 5.5;
constexpr double kFewestFrequencies = 16;
constexpr double kMostFrequencies = 1 << 14;
// Losses of this probability, relative to delta, may count as infinite.
constexpr double kTails = 1e-6;
constexpr double kLeastDelta = 1e-100;
// The positive terms that the sum adds to delta are at most about e^-18 of it.
constexpr double kLogAliases = 18;
constexpr double kMostExponent = 5000;  // of tilt times loss

// Searches stop within this of the answer. They are repeated with a sum for the last one's answer until that moves by
// less than kSettled, or so many times.
constexpr double kTolerance = 1e-7;
constexpr double kSettled = 3e-4;
constexpr int kMostRounds = 8;
constexpr double kNoTilt = 1e-9;
// Where the search for a tilt ends in any case; any tilt gives a bound that holds. Events ask for 1e-9 to 1e21.
constexpr double kLeastTilt = 1e-40;
constexpr double kMostTilt = 1e40;
constexpr double kMostEpsilon = 1e20;  // delta only falls beyond

// log E e^(t loss) of all parts and the Gaussian noise, with its first two derivatives.
TiltedMoments all_moments(const Parts& parts, double mu, double t) {
  const double mu_squared = mu * mu;
  TiltedMoments sum{mu_squared * t * (t + 1) / 2, mu_squared * (t + 0.5), mu_squared};
  for (const auto& [law, steps] : parts) {
    const TiltedMoments one = tilted_moments(law, t);
    sum.log_moment += steps * one.log_moment;
    sum.mean += steps * one.mean;
    sum.variance += steps * one.variance;
  }
  return sum;
}

// The standard deviation of the integrand below as a function of epsilon, e^(t epsilon) delta(epsilon).
double spread_at(const TiltedMoments& moments, double t) {
  return std::sqrt(moments.variance + 1 / (t * t) + 1 / ((t + 1) * (t + 1)));
}

// The tilt at which the integrand E e^(t loss) e^(-t epsilon) / (t (t + 1)) is least, to 1 %.
double saddle_point(const Parts& parts, double mu, double epsilon) {
  double greatest_loss = 0;
  for (const auto& part : parts) greatest_loss = std::max(greatest_loss, part.law.losses.back());
  const auto falls = [&](double t) {
    return all_moments(parts, mu, t).mean - 1 / t - 1 / (t + 1) < epsilon && t * greatest_loss < kMostExponent;
  };
  double low = 1;
  while (!falls(low) && low > kLeastTilt) low /= 4;
  double high = 4 * low;
  while (falls(high) && high < kMostTilt) {
    low = high;
    high *= 4;
  }
  while (high > 1.01 * low) {
    const double middle = std::sqrt(low * high);
    (falls(middle) ? low : high) = middle;
  }
  return low;
}

// About log delta: the integrand at its saddle, as if it were Gaussian.
double log_estimate(const Parts& parts, double mu, double epsilon, double t) {
  const TiltedMoments here = all_moments(parts, mu, t);
  return here.log_moment - t * epsilon - std::log(t * (t + 1) * std::sqrt(2 * std::numbers::pi) * spread_at(here, t));
}

// How far the repetitions of the trapezoidal sum have to be apart for Chernoff's bound of each to be e^-kLogAliases of
// delta.
double period(const Parts& parts, double mu, double epsilon, double t) {
  const double spread = spread_at(all_moments(parts, mu, t), t);
  const double log_delta = log_estimate(parts, mu, epsilon, t);
  const auto nearest = [&](double direction) {
    double least = kInfinity;
    for (const double steps : {1.0, 2.0, 3.0, 4.5, 6.5, 9.0}) {
      const double u = std::max(0.0, t + direction * steps / spread);
      const double log_bound = u == 0 ? 0 : all_moments(parts, mu, u).log_moment - u * epsilon;
      least = std::min(least, (log_bound - log_delta + kLogAliases) / std::abs(u - t));
      if (u == 0) break;
    }
    return least;
  };
  return std::max(nearest(-1), nearest(1));
}

// The parts without their greatest losses, of probability `most` in all, which count as infinite. Few steps with a
// large ratio have such rare and great losses that they decide how fine the sum has to be, and not what it is.
Parts without_tails(const Parts& parts, double most) {
  Parts cut = parts;
  for (auto& [law, steps] : cut) {
    const double most_of_one = most / (steps * static_cast<double>(parts.size()));
    while (law.losses.size() > 2 && add_up(law.infinite, law.probabilities.back()) <= most_of_one) {
      law.infinite = add_up(law.infinite, law.probabilities.back());
      law.losses.pop_back();
      law.probabilities.pop_back();
    }
  }
  return cut;
}

double infinite_of(const Parts& parts) {
  double sum = 0;
  for (const auto& [law, steps] : parts) sum = add_up(sum, mul_up(steps, law.infinite));
  return std::min(1.0, sum);
}

// A bound for all epsilon and mu that is tight around one of them.
struct TightBound {
  FourierSum sum;
  double infinite;

  [[nodiscard]] double delta(double epsilon, double mu) const {
    return std::min(1.0, add_up(infinite, sum.delta(epsilon, mu)));
  }
};

// Around an epsilon and mu at which delta is about `likely`.
TightBound bound_around(const Parts& all, double epsilon, double mu, double likely, double share = kSmoothing) {
  const Parts parts = without_tails(all, kTails * likely);
  const double t = saddle_point(parts, mu, epsilon);
  const double spacing = 2 * std::numbers::pi / period(parts, mu, epsilon, t);
  const double smoothing = std::sqrt(2 * share / (t * (t + 1)));
  const double wanted = kDamping / (std::max(smoothing, mu / 2) * spacing);
  const double frequencies = std::ceil(std::clamp(wanted, kFewestFrequencies, kMostFrequencies));
  TightBound bound{
      FourierSum({.tilt = t,
                  .spacing = spacing,
                  .frequencies = static_cast<std::size_t>(frequencies),
                  .least_mu = wanted <= kMostFrequencies ? smoothing : kDamping / (frequencies * spacing)}),
      infinite_of(parts)};
  for (const auto& [law, steps] : parts) bound.sum.add(law, steps);
  return bound;
}

// delta at this epsilon and mu, within a factor of about 2.
double likely_delta(const Parts& all, double epsilon, double mu) {
  double likely = 1;
  for (int round = 0; round < kMostRounds; ++round) {
    const Parts parts = without_tails(all, kTails * likely);
    const double estimate = std::exp(log_estimate(parts, mu, epsilon, saddle_point(parts, mu, epsilon)));
    if (!(estimate < likely / 2)) break;
    likely = std::max(estimate, kLeastDelta);
  }
  return likely;
}

// A single step needs no transform.
bool is_one_step(const Parts& parts, double mu) { return mu == 0 && parts.size() == 1 && parts.front().steps == 1; }

double delta_of_one(const LossLaw& law, double epsilon) {
  double sum = 0;
  for (std::size_t i = 0; i < law.losses.size(); ++i)
    if (law.losses[i] > epsilon) sum += law.probabilities[i] * -std::expm1(epsilon - law.losses[i]);
  return std::min(1.0, add_up(law.infinite, sum * (1 + 0x1p-36)));
}

// The end of [bad, good] that holds when it has shrunk to `width`.
template <class Condition>
double bisect(double bad, double good, double width, const Condition& holds) {
  while (std::abs(good - bad) > width) {
    const double middle = bad + (good - bad) / 2;
    if (middle == bad || middle == good) break;
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

// The least epsilon that satisfies a condition which holds from there on, searched from a guess; infinity if none does.
template <class Condition>
double least_epsilon(double guess, const Condition& holds) {
  if (holds(0)) return 0;
  double low = 0;
  double high = guess > 0 ? guess : 1e-3;
  while (!holds(high)) {
    low = high;
    high *= 2;
    if (!std::isfinite(high)) return kInfinity;
  }
  return bisect(low, high, high * kTolerance * 0x1p-4, holds);
}

}  // namespace

double ComposedLoss::infinite() const { return infinite_of(parts_); }

double ComposedLoss::log_moment(double t) const {
  constexpr double sum_margin = 0x1p-38;  // for up to 2^15 additions
  constexpr double exponent_margin = 0x1p-48;
  double sum = 0;
  for (const auto& [law, steps] : parts_) {
    const double exponent = t * std::max(std::abs(law.losses.front()), std::abs(law.losses.back()));
    const double one = tilted_moments(law, t).log_moment;
    sum = add_up(sum, mul_up(steps, one + sum_margin + exponent_margin * exponent));
  }
  return sum;
}

double ComposedLoss::delta(double epsilon, double mu) const {
  if (is_one_step(parts_, mu)) return delta_of_one(parts_.front().law, epsilon);
  const double within = std::min(epsilon, kMostEpsilon);
  return bound_around(parts_, within, mu, likely_delta(parts_, within, mu)).delta(within, mu);
}

double ComposedLoss::log_delta_estimate(double epsilon) const {
  if (is_one_step(parts_, 0)) return std::log(delta(epsilon, 0));
  const double within = std::min(epsilon, kMostEpsilon);
  const TightBound bound = bound_around(parts_, within, 0, likely_delta(parts_, within, 0), kMuchSmoothing);
  return std::log(bound.delta(within, 0)) - kMuchSmoothing;
}

// Each round uses the bound that is tight around the last answer.
double ComposedLoss::epsilon(double delta, double mu) const {
  if (!(delta > infinite())) return kInfinity;
  const double spread = std::sqrt(all_moments(parts_, mu, kNoTilt).variance);
  double answer = *to_epsilon(Gdp{spread}, delta);
  if (is_one_step(parts_, mu))
    return least_epsilon(answer, [&](double epsilon) { return this->delta(epsilon, mu) <= delta; });
  for (int round = 0; round < kMostRounds; ++round) {
    const TightBound bound = bound_around(parts_, answer, mu, delta);
    const auto holds = [&](double epsilon) { return bound.delta(epsilon, mu) <= delta; };
    const double before = std::exchange(answer, least_epsilon(answer, holds));
    if (std::abs(answer - before) <= kSettled * answer) break;
  }
  // delta() uses a slightly different one.
  for (double more = 10 * kTolerance; std::isfinite(answer) && this->delta(answer, mu) > delta; more *= 4)
    answer += more * std::max(answer, spread);
  return answer;
}

double ComposedLoss::room_for_gaussian(ApproxDp total) const {
  const auto most = to_gdp(total);
  if (!(total.delta > infinite()) || !most) return 0;
  double answer = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    const TightBound bound = bound_around(parts_, total.epsilon, answer, total.delta);
    const auto holds = [&](double mu) { return bound.delta(total.epsilon, mu) <= total.delta; };
    const double before = answer;
    while (answer > 0 && !holds(answer)) answer = answer < kTolerance * most->mu ? 0 : answer / 2;
    if (answer == 0 && !holds(0)) return 0;
    answer = bisect(most->mu, answer, kTolerance * most->mu, holds);
    if (std::abs(answer - before) <= kSettled * answer) break;
  }
  for (double less = 10 * kTolerance; delta(total.epsilon, answer) > total.delta; less *= 2) {
    answer *= 1 - less;
    if (!(answer > 0) || less > 0.1) return 0;
  }
  return answer;
}

}  // namespace tailcoat
