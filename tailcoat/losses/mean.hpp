// The loss of a mean of vectors, f(x; s) = |x - s|^2 / 2 for a sample s: least in the mean at the mean. Spans of one
// call have the same length; results are finite for finite x and s (saturating).
#pragma once

#include <cassert>
#include <cstddef>
#include <span>

#include "tailcoat/losses/scalar.hpp"

namespace tailcoat {

struct MeanLoss {
  double value(std::span<const double> x, std::span<const double> sample) const {
    assert(x.size() == sample.size());
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += 0.5 * residual(x[i], sample[i]) * residual(x[i], sample[i]);
    return saturate(sum);
  }

  void gradient(std::span<const double> x, std::span<const double> sample, std::span<double> result) const {
    assert(x.size() == sample.size() && x.size() == result.size());
    for (std::size_t i = 0; i < x.size(); ++i) result[i] = residual(x[i], sample[i]);
  }

  // The proximal step of size eta >= 0: (x + eta sample) / (1 + eta), in place.
  void implicit_step(std::span<double> x, std::span<const double> sample, double eta) const {
    assert(x.size() == sample.size() && eta >= 0);
    const double keep = 1 / (1 + eta), take = eta / (1 + eta);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = saturate(keep * x[i] + take * sample[i]);
  }
};

}  // namespace tailcoat
