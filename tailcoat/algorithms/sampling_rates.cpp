#include "tailcoat/algorithms/sampling_rates.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tailcoat/privacy/sampled_gaussian.hpp"

namespace tailcoat {

double SamplingRates::correction(double ratio, int exponent) const {
  const auto found = known_.find({ratio, exponent});
  if (found != known_.end()) return found->second;
  const auto neighbour = [&](int away) {
    const auto place = known_.find({ratio, exponent + away});
    return place == known_.end() ? 0.0 : place->second;
  };
  double guess = 1;  // on the line through two neighbours
  for (const int side : {1, -1})
    if (const double near = neighbour(side), far = neighbour(2 * side); near > 0 && far > 0)
      guess = std::min(near * near / far, 1.0);
  const double steps = std::ldexp(1, 3 * exponent), closed = estimated_sampling_rate(gaussian_, ratio, steps);
  const auto rate = nearly_largest_sampling_rate(budget_, ratio, static_cast<std::size_t>(steps), guess * closed);
  return known_[{ratio, exponent}] = rate ? *rate / closed : 0;
}

double SamplingRates::operator()(double ratio, double steps) const {
  const double exponent = std::log2(steps) / 3, below = std::floor(exponent), part = exponent - below;
  const double low = correction(ratio, static_cast<int>(below));
  const double high = part == 0 ? low : correction(ratio, static_cast<int>(below) + 1);
  if (!(low > 0 && high > 0)) return 0;
  return std::min(1.0, estimated_sampling_rate(gaussian_, ratio, steps) * low * std::pow(high / low, part));
}

}  // namespace tailcoat
