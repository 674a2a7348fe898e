// SamplingRates: the rate at which so many steps on Poisson samples cost a budget, for a search that asks for thousands
// of them. Accounted where the number of steps is a power of two, and in between by straight lines in the logarithms.
#pragma once

#include <map>
#include <utility>

#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

class SamplingRates {
 public:
  explicit SamplingRates(ApproxDp budget) : budget_(budget) {}

  // About largest_sampling_rate(budget, ratio, steps), and that exactly for a power of two; 0 where there is none.
  [[nodiscard]] double operator()(double ratio, double steps) const;

 private:
  [[nodiscard]] double at_power(double ratio, int exponent) const;  // of two

  ApproxDp budget_;
  mutable std::map<std::pair<double, int>, double> known_;  // by ratio and exponent
};

}  // namespace tailcoat
