// SamplingRates: about the rate at which so many steps on Poisson samples cost a budget, for a search that asks for
// thousands of them. The closed form of sampled_descent.md, times what accounting says of it where the number of steps
// is a power of 8, and in between by straight lines in the logarithms. How near that is: localized_plan.md.
#pragma once

#include <map>
#include <utility>

#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

class SamplingRates {
 public:
  // `gaussian`: what the budget is for Gaussian releases.
  SamplingRates(ApproxDp budget, Gdp gaussian) : budget_(budget), gaussian_(gaussian) {}

  // In (0, 1]; 0 where there is none.
  [[nodiscard]] double operator()(double ratio, double steps) const;

 private:
  [[nodiscard]] double correction(double ratio, int exponent) const;  // accounted over closed form, at 8^exponent

  ApproxDp budget_;
  Gdp gaussian_;
  mutable std::map<std::pair<double, int>, double> known_;  // by ratio and exponent
};

}  // namespace tailcoat
