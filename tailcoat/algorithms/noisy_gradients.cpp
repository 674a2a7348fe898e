#include "tailcoat/algorithms/noisy_gradients.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tailcoat/mechanisms/gaussian_release.hpp"

namespace tailcoat {

Result<NoisyGradients> NoisyGradients::open(Engine& engine, const Samples& samples, double clip, std::size_t count,
                                            Outlet outlet) {
  const Gdp cost = outlet.meter.share(1 / static_cast<double>(count));
  TAILCOAT_TRY(lattice, clip_lattice(clip, samples.dimension(), cost));
  return NoisyGradients(engine, samples, lattice, outlet);
}

Result<std::vector<double>> NoisyGradients::at(std::span<const double> x) {
  TAILCOAT_TRY(sum, engine_->clipped_gradient_sum(samples_, x, lattice_));
  TAILCOAT_TRY(gradient, gaussian_release(fmt::format("gradient, step {}", ++released_), std::move(sum), outlet_));
  for (double& part : gradient) part /= static_cast<double>(samples_.size());
  return std::move(gradient);
}

Result<BatchGradients> BatchGradients::open(Engine& engine, const Samples& samples, double clip, std::size_t batches,
                                            std::size_t uses, Outlet outlet) {
  BatchGradients gradients(outlet.meter, outlet.noise.stream(outlet.noise.next_release(), 0));
  if (batches > 1) {
    TAILCOAT_TRY(meters, outlet.meter.split(batches, outlet.meter.total()));
    *gradients.part_meters_ = std::move(meters);
  }
  const std::size_t rows = samples.size() / batches;
  for (std::size_t j = 0; j < batches; ++j) {
    TAILCOAT_TRY(part, NoisyGradients::open(engine, samples.block(j * rows, rows), clip, uses,
                                            {batches > 1 ? (*gradients.part_meters_)[j] : outlet.meter, outlet.noise}));
    gradients.parts_.push_back(part);
    gradients.left_.push_back(uses);
  }
  return gradients;
}

Result<std::vector<double>> BatchGradients::at(std::span<const double> x) {
  std::size_t j = order_.word() % parts_.size();
  while (left_[j] == 0) j = (j + 1) % parts_.size();
  --left_[j];
  return parts_[j].at(x);
}

Result<void> check_gradients(const Setting& setting, Gdp budget, double clip, std::size_t count) {
  TAILCOAT_CHECK(clip_lattice(clip, setting.dimension, Gdp{budget.mu / std::sqrt(static_cast<double>(count))}));
  return {};
}

std::size_t allowed_steps(double wanted, const Options& options) {
  return static_cast<std::size_t>(std::clamp(wanted, 1.0, std::max(1.0, std::floor(options.max_passes))));
}

}  // namespace tailcoat
