// kamath-liu-zhang: gradient descent with a coordinate-wise median-of-means oracle, of Kamath, Liu and Zhang (ICML
// 2022, SCOF with CDPCWME), a baseline. Statement, and where we leave it: kamath_liu_zhang.md.
#pragma once

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

struct KamathLiuZhangPlan : Forecast {
  double clip = 0;         // 3 tau: coordinates are clipped to [-clip, clip]
  std::size_t groups = 0;  // m
  double step = 0;         // eta
  std::size_t steps = 0;   // T
};

Result<KamathLiuZhangPlan> plan_kamath_liu_zhang(const Setting&, const Budget&, const Options&);
Result<Solution> kamath_liu_zhang(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

}  // namespace tailcoat
