#include "tailcoat/algorithms/smooth_svt.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat {
namespace {
TEST(SmoothSvt, Explore) {
  for (double n : {1e4, 1e5, 1e6})
    for (double beta : {1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1.0}) {
      Setting s{.rows = size_t(n), .dimension = 5, .diameter = 2, .start_distance = 1, .moments = {4, 1, 1.5}, .smoothness = beta};
      auto p = plan_smooth_svt(s, ApproxDp{1, 1e-6}, {});
      if (p) printf("n %g beta %g bound %g trivial %g phases %zu clip %g step %g cutoff %ld+-%ld halt %g\n", n, beta, p->bound.excess_risk, trivial_bound(s), p->phases.size(), p->phases[0].clip, p->phases[0].step, p->phases[0].cutoff, p->phases[0].cutoff_bound, p->halt_probability);
      else printf("n %g beta %g: %s\n", n, beta, p.error().message.c_str());
      auto q = plan_smooth_svt(s, ApproxDp{1, 1e-6}, {.constants = Constants::paper});
      if (q) printf("   paper bound %g clip %g step %g cutoff %ld halt %g\n", q->bound.excess_risk, q->phases[0].clip, q->phases[0].step, q->phases[0].cutoff, q->halt_probability);
      else printf("   paper: %s\n", q.error().message.c_str());
    }
}
}  // namespace
}  // namespace tailcoat
