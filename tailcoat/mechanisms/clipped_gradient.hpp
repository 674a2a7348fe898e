// The private mean of gradients clipped to a ball: (1/n) sum_i clip(grad f_i(x)) plus Gaussian noise. A sample whose
// gradient is not finite counts as zero; n is public.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/mechanisms/outlet.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

struct NoisyGradient {
  std::vector<double> mean;
  double noise;  // standard deviation of each coordinate
};

Result<NoisyGradient> clipped_gradient(Engine&, const Samples&, std::span<const double> x, double clip,
                                       std::string what, Gdp cost, Outlet);

}  // namespace tailcoat
