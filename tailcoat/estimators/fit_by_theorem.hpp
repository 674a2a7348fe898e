// A fit by an algorithm of the catalogue, with its theorem's bound. It needs what the adaptive fit finds out: a domain,
// moments of the gradients, levels and classes. Nothing of that is looked up in the data.
#pragma once

#include "tailcoat/algorithms/catalogue.hpp"
#include "tailcoat/estimators/fit.hpp"

namespace tailcoat {

struct Theorem {
  Algorithm algorithm;
  Moments moments;
  double diameter;  // of the ball of coefficients, around 0, in the units of the fit
  double smoothness = std::numeric_limits<double>::infinity();
  Options options{};
  double strong_convexity = 0;
  bool intercept = true;  // one more coefficient, of the constant 1; moments and diameter are with it
};

// The units of the fit: a column with bounds, a scale or a public sketch is standardised by them, any other is taken as
// it is; levels are 0 or 1. Refuses text columns without levels, classifiers of other than two classes, exposures. The
// intervals are infinite: a theorem bounds the risk, not the coefficients. A budget with delta = 0 is pure epsilon-DP.
Result<Fit> fit_by_theorem(const Frame& frame, const FitOptions&, const Theorem&, RunContext);

}  // namespace tailcoat
