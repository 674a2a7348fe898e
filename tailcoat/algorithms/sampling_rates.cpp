#include "tailcoat/algorithms/sampling_rates.hpp"

#include <cmath>
#include <cstddef>

#include "tailcoat/privacy/sampled_gaussian.hpp"

namespace tailcoat {

double SamplingRates::at_power(double ratio, int exponent) const {
  const auto found = known_.find({ratio, exponent});
  if (found != known_.end()) return found->second;
  const auto neighbour = [&](int away) {
    const auto place = known_.find({ratio, exponent + away});
    return place == known_.end() ? 0.0 : place->second;
  };
  double guess = 0;  // on the line through two neighbours
  for (const int side : {1, -1})
    if (const double near = neighbour(side), far = neighbour(2 * side); near > 0 && far > 0) guess = near * near / far;
  const auto rate = largest_sampling_rate(budget_, ratio, std::size_t{1} << exponent, guess);
  return known_[{ratio, exponent}] = rate ? *rate : 0;
}

double SamplingRates::operator()(double ratio, double steps) const {
  const double exponent = std::log2(steps), below = std::floor(exponent);
  const double low = at_power(ratio, static_cast<int>(below));
  if (exponent == below) return low;
  const double high = at_power(ratio, static_cast<int>(below) + 1);
  return low > 0 && high > 0 ? low * std::pow(high / low, exponent - below) : 0;
}

}  // namespace tailcoat
