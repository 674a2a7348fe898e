#include "tailcoat/noise/binomial_law.hpp"

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>

namespace tailcoat {
namespace {

using Real = boost::multiprecision::cpp_bin_float_100;  // 334 bits

constexpr int kMostGuideBits = 16;

// P[k] / P[most likely number], for the numbers that are kept. A tail is left out once a geometric series shows that
// it is below 2^-140.
struct Window {
  std::uint64_t smallest;
  std::vector<Real> weights;
};

// The weights after the one at `mode`, outwards; ratio(i) is the i-th divided by the one before it. Ratios fall.
template <class Ratio>
std::vector<Real> outward_weights(std::uint64_t most, const Ratio& ratio) {
  std::vector<Real> weights;
  Real weight = 1;
  for (std::uint64_t i = 1; i <= most; ++i) {
    const Real factor = ratio(i);
    weight *= factor;
    if (weight <= ldexp(1 - factor, -140)) break;  // this one and the rest: at most weight / (1 - factor)
    weights.push_back(weight);
  }
  return weights;
}

Window window_of(std::uint64_t trials, double rate) {
  const Real success = rate, failure = 1 - success;
  const auto mode = std::min(Real(floor((trials + 1) * success)), Real(trials)).convert_to<std::uint64_t>();
  const Real odds = rate < 1 ? Real(success / failure) : Real(0);  // not used at rate = 1, where mode = trials
  const Real inverse_odds = failure / success;
  const auto above = outward_weights(
      trials - mode, [&](std::uint64_t i) -> Real { return odds * (trials - mode - i + 1) / (mode + i); });
  const auto below = outward_weights(
      mode, [&](std::uint64_t i) -> Real { return inverse_odds * (mode - i + 1) / (trials - mode + i); });
  Window window{mode - below.size(), {below.rbegin(), below.rend()}};
  window.weights.push_back(1);
  window.weights.insert(window.weights.end(), above.begin(), above.end());
  return window;
}

// The next 64 bits of a number in [0, 1), which keeps the rest.
std::uint64_t leading_word(Real& fraction) {
  fraction = ldexp(fraction, 64);
  const Real whole = floor(fraction);
  fraction -= whole;
  return whole.convert_to<std::uint64_t>();
}

}  // namespace

Result<BinomialLaw> BinomialLaw::create(std::uint64_t trials, double rate) {
  TAILCOAT_CHECK(check(kTrialsOption, static_cast<double>(trials)));
  TAILCOAT_CHECK(check(kTrialRateOption, rate));
  const Window window = window_of(trials, rate);
  Real total = 0;
  for (const Real& weight : window.weights) total += weight;
  const Real unit = 1 / total;
  BinomialLaw law;
  law.smallest_ = static_cast<std::uint32_t>(window.smallest);
  Real sum = 0;
  for (std::size_t i = 0; i + 1 < window.weights.size(); ++i) {
    sum += window.weights[i];
    Real cumulative = sum * unit;
    law.high_.push_back(leading_word(cumulative));
    const std::uint64_t second = leading_word(cumulative);
    law.low_.push_back({second, leading_word(cumulative)});
  }
  law.build_guide();
  return law;
}

void BinomialLaw::build_guide() {
  const int bits = std::clamp(static_cast<int>(std::bit_width(high_.size())), 1, kMostGuideBits);
  guide_shift_ = 64 - bits;
  std::uint32_t below = 0;
  for (std::uint64_t leading = 0; leading < std::uint64_t{1} << bits; ++leading) {
    while (below < high_.size() && high_[below] < leading << guide_shift_) ++below;
    guide_.push_back(below);
  }
}

}  // namespace tailcoat
