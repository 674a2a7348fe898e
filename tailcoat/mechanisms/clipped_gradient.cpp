#include "tailcoat/mechanisms/clipped_gradient.hpp"

#include "tailcoat/mechanisms/gaussian_release.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {

Result<NoisyGradient> clipped_gradient(Engine& engine, const Samples& samples, std::span<const double> x, double clip,
                                       std::string what, Gdp cost, Outlet outlet) {
  TAILCOAT_TRY(lattice, clip_lattice(clip, samples.dimension(), cost));
  TAILCOAT_TRY(sum, engine.clipped_gradient_sum(samples, x, lattice));
  const auto n = static_cast<double>(samples.size());
  const double noise = kGaussianScale * sum.unit / n;
  TAILCOAT_TRY(mean, gaussian_release(std::move(what), std::move(sum), outlet));
  for (double& part : mean) part /= n;
  return NoisyGradient{std::move(mean), noise};
}

}  // namespace tailcoat
