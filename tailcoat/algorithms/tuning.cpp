#include "tailcoat/algorithms/tuning.hpp"

#include <numbers>

namespace tailcoat {

double minimise_posynomial(const std::function<double(std::span<const double> logs)>& bound, std::span<double> logs) {
  double best = bound(logs);
  for (double stride = 2; stride > 1e-4;) {
    const double before = best;
    for (double& coordinate : logs) {
      for (const double move : {stride, -stride}) {
        for (;;) {
          coordinate += move;
          const double value = bound(logs);
          if (!(value < best)) {
            coordinate -= move;
            break;
          }
          best = value;
        }
      }
    }
    if (!(best < before * (1 - 1e-3))) stride /= 2;
  }
  return best;
}

double least_of_unimodal(const std::function<double(double)>& value, double low, double high, double tolerance) {
  constexpr double kSection = 1 / std::numbers::phi;
  double left = high - kSection * (high - low), right = low + kSection * (high - low);
  double at_left = value(left), at_right = value(right);
  while (high - low > tolerance) {
    if (at_left < at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kSection * (high - low);
      at_left = value(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kSection * (high - low);
      at_right = value(right);
    }
  }
  return (low + high) / 2;
}

}  // namespace tailcoat
