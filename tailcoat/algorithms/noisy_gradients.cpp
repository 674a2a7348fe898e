#include "tailcoat/algorithms/noisy_gradients.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tailcoat/mechanisms/clipped_gradient.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {

Result<NoisyGradients> NoisyGradients::open(Engine& engine, const Samples& samples, double clip, std::size_t count,
                                            Outlet outlet) {
  const Gdp cost = outlet.meter.share(1 / static_cast<double>(count));
  TAILCOAT_CHECK(clip_lattice(clip, samples.dimension(), cost));
  return NoisyGradients(engine, samples, clip, cost, outlet);
}

Result<std::vector<double>> NoisyGradients::at(std::span<const double> x) {
  TAILCOAT_TRY(gradient, clipped_gradient(*engine_, samples_, x, clip_, fmt::format("gradient, step {}", ++released_),
                                          cost_, outlet_));
  return std::move(gradient.mean);
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

double gradient_noise(const Setting& setting, double rows, Gdp budget, double clip, double count) {
  const double units = kGaussianScale * budget.mu / std::sqrt(count);
  const double left = units - std::sqrt(static_cast<double>(setting.dimension));
  return left > 0 ? 2 * clip * kGaussianScale / (rows * left) : std::numeric_limits<double>::infinity();
}

Options for_lattice(const Setting& setting, Gdp budget, Options options) {
  const double most = std::pow(kGaussianScale * budget.mu / 100, 2) / static_cast<double>(setting.dimension);
  options.max_passes = std::clamp(most, 1.0, options.max_passes);
  return options;
}

Result<void> check_gradients(const Setting& setting, Gdp budget, double clip, std::size_t count) {
  TAILCOAT_CHECK(clip_lattice(clip, setting.dimension, Gdp{budget.mu / std::sqrt(static_cast<double>(count))}));
  return {};
}

Result<void> check_releases(const Setting& setting, double releases) {
  constexpr double kMostStreams = kMostKeys / 4.0;
  const double streams = releases * static_cast<double>((setting.dimension + kGaussianBlock - 1) / kGaussianBlock);
  if (streams <= kMostStreams) return {};
  return refusal(
      fmt::format("{:.3g} gradients of {} numbers need {:.3g} streams of noise, more than {:.3g}; give a smaller "
                  "max-passes",
                  releases, setting.dimension, streams, kMostStreams));
}

std::size_t allowed_steps(double wanted, const Options& options) {
  return static_cast<std::size_t>(std::clamp(wanted, 1.0, std::max(1.0, std::floor(options.max_passes))));
}

}  // namespace tailcoat
