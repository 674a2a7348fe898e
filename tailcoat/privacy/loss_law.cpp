#include "tailcoat/privacy/loss_law.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>

#include "tailcoat/base/rounding.hpp"

namespace tailcoat {
namespace {

// What upper tails, losses and the total are enlarged by for the errors of their evaluation; privacy.md, "Sampled
// Gaussian events", counts them.
constexpr double kTailMargin = 0x1p-39;
constexpr double kLossMargin = 0x1p-40;
constexpr double kTotalProbability = 1 + 0x1p-50;

// Outcomes further out than this, in standard deviations of the noise, count as infinite losses or as the least one.
constexpr double kReach = 12;

// Powers of 2, so that the edges of the cells are exact.
double cell_width(double ratio) { return ratio <= 1.5 ? 0x1p-7 : ratio <= 3 ? 0x1p-8 : 0x1p-9; }

double upper_tail(double x) { return std::erfc(x / std::numbers::sqrt2) / 2; }

double density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }

// The pair P = (1 - q) N(0, 1) + q N(s, 1), Q = (1 - q) N(0, 1) + q N(-s, 1).
class SampledPair {
 public:
  SampledPair(double rate, double ratio) : q_(rate), s_(ratio) {}

  // dP / dN(0, 1) at x; that of Q is the same at -x. A sum of positive terms: 1 - q is exact for q >= 1/2.
  [[nodiscard]] double odds(double x) const {
    const double e = exponent(x);
    return e < 0 ? (1 - q_) + q_ * std::exp(e) : 1 + q_ * std::expm1(e);
  }
  // The share of q N(s, 1) in it.
  [[nodiscard]] double sampled_share(double x) const { return q_ * std::exp(exponent(x)) / odds(x); }
  [[nodiscard]] double tail(double x) const { return (1 - q_) * upper_tail(x) + q_ * upper_tail(x - s_); }

  // log dP/dQ, rounded up: an odd, increasing function.
  [[nodiscard]] double loss_above(double x) const {
    const double loss = std::log1p(sampled_share(-std::abs(x)) * std::expm1(2 * s_ * std::abs(x)));
    return x < 0 ? -loss * (1 - kLossMargin) : loss * (1 + kLossMargin);
  }

  // The probability that a cell [x, x + width] sends to its upper edge; the rest stays at the lower one.
  [[nodiscard]] double raised(double x, double width) const {
    const double up = sampled_share(x);
    const double down = sampled_share(-x);
    const auto rise = [&](double step) { return up * std::expm1(s_ * step) - down * std::expm1(-s_ * step); };
    const auto integrand = [&](double step) { return density(x + step) * rise(step); };
    const double integral = boost::math::quadrature::gauss<double, 7>::integrate(integrand, 0.0, width);
    return odds(x + width) * integral / rise(width);
  }

 private:
  [[nodiscard]] double exponent(double x) const { return s_ * (x - s_ / 2); }

  double q_;
  double s_;
};

}  // namespace

LossLaw pure_loss_law(double epsilon) {
  const double plus = std::min(1.0, (1 + kLossMargin) / (1 + std::exp(-epsilon)));
  return {{-epsilon, epsilon}, {1 - plus, plus * kTotalProbability}, 0};
}

LossLaw sampled_gaussian_loss_law(double rate, double ratio) {
  const SampledPair pair(rate, ratio);
  const double width = cell_width(ratio);
  const auto cells = static_cast<std::size_t>(std::ceil((2 * kReach + ratio) / width));
  LossLaw law{std::vector<double>(cells + 1), std::vector<double>(cells + 1), 0};
  const auto edge = [&](std::size_t i) { return static_cast<double>(i) * width - kReach; };
  law.infinite = pair.tail(edge(cells)) * (1 + kTailMargin);
  double above = law.infinite;  // the probability of all greater losses
  for (std::size_t i = cells + 1; i-- > 0;) {
    const double x = edge(i);
    double from_here = kTotalProbability;
    if (i > 0) from_here = std::min(from_here, (pair.tail(x) + pair.raised(edge(i - 1), width)) * (1 + kTailMargin));
    law.losses[i] = pair.loss_above(x);
    law.probabilities[i] = std::max(0.0, from_here - above);
    above = std::max(above, from_here);
  }
  return law;
}

}  // namespace tailcoat
