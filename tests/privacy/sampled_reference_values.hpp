// Written by sampled_reference.py: do not edit.
#pragma once

#include <cstddef>

namespace tailcoat::reference {

struct SampledRow {
  double rate, ratio;
  std::size_t steps;
  double delta;
  double epsilon;        // exact, to about 1e-8
  double dp_accounting;  // upper bound of version 0.6.0; 0 where not computed
};

inline constexpr SampledRow kSampled[] = {
    {0.1, 1, 10, 1e-06, 4.071479466, 4.0714795},      {0.01, 0.5, 1000, 1e-06, 1.374493373, 1.3745056},
    {0.01, 1, 1000, 1e-06, 3.214230967, 3.214237},    {0.01, 1, 1000, 1e-09, 4.188100281, 4.1880866},
    {0.02, 0.2, 2500, 1e-06, 1.765214803, 1.7652399}, {0.00024, 0.8, 200000, 1e-06, 0.7341336291, 0.73429731},
    {8.28e-05, 0.7, 4000000, 1e-06, 0.9989791847, 0}, {0.000536, 0.7, 4000000, 1e-06, 7.993886068, 0},
    {0.5, 0.5, 3, 0.001, 2.540500036, 2.5405},        {0.2, 2, 20, 1e-12, 49.19802275, 0},
    {1e-07, 0.8, 4000000, 1e-06, 0.000782764625, 0},
};

}  // namespace tailcoat::reference
