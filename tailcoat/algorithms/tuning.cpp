#include "tailcoat/algorithms/tuning.hpp"

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

}  // namespace tailcoat
