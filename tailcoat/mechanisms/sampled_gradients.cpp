#include "tailcoat/mechanisms/sampled_gradients.hpp"

#include <fmt/format.h>

#include <utility>

#include "tailcoat/noise/gaussian.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

// A contribution has norm at most clip_units + sqrt(d)/2 after rounding, which is at most ratio 2^26: half of what a
// sum over all rows may move by that costs mu = 2 ratio.
Result<ClipLattice> sampled_lattice(double clip, std::size_t dimension, double ratio) {
  return clip_lattice(clip, dimension, Gdp{2 * ratio});
}

}  // namespace

SampledGradients::SampledGradients(BatchSums sums, PoissonBatches batches, BitStream batch_bits, BitStream noise_bits,
                                   std::size_t steps, double unit)
    : sums_(std::move(sums)),
      batches_(std::move(batches)),
      batch_bits_(std::move(batch_bits)),
      noise_bits_(std::move(noise_bits)),
      steps_left_(steps),
      unit_(unit) {
  for (std::vector<std::uint32_t>& batch : ahead_) {
    batches_.draw(batch_bits_, batch);
    sums_.prefetch(batch);
  }
}

Result<SampledGradients> SampledGradients::open(Engine& engine, const Samples& samples, double clip,
                                                const SampledGaussianEvent& event, std::string what, Outlet outlet) {
  TAILCOAT_TRY(lattice, sampled_lattice(clip, samples.dimension(), event.ratio));
  TAILCOAT_TRY(batches, PoissonBatches::create(samples.size(), event.rate));
  TAILCOAT_TRY(sums, engine.batch_sums(samples, lattice));
  const double unit = lattice.unit() / (event.rate * static_cast<double>(samples.size()));
  TAILCOAT_CHECK(outlet.meter.charge({.what = std::move(what),
                                      .mechanism = "sampled-gaussian",
                                      .values = event.steps * samples.dimension(),
                                      .sensitivity = event.ratio * kGaussianScale * unit,
                                      .noise_scale = kGaussianScale * unit,
                                      .secure_noise = outlet.noise.secure()},
                                     Event{event}));
  BitStream batch_bits = outlet.noise.stream(outlet.noise.next_release(), 0);
  BitStream noise_bits = outlet.noise.stream(outlet.noise.next_release(), 0);
  return SampledGradients(std::move(sums), std::move(batches), std::move(batch_bits), std::move(noise_bits),
                          event.steps, unit);
}

Result<void> SampledGradients::at(std::span<const double> x, std::span<double> gradient) {
  if (gradient.size() != x.size())
    return usage_error(fmt::format("room for {} numbers of a gradient in {} dimensions", gradient.size(), x.size()));
  if (steps_left_ == 0) return over_budget("all steps of a sampled Gaussian mechanism have been released");
  const std::size_t left = std::exchange(steps_left_, 0) - 1;  // none if this one fails: its batch is not drawn again
  std::vector<std::uint32_t>& batch = ahead_[next_];
  TAILCOAT_TRY(sum, sums_.at(x, batch));
  steps_left_ = left;
  batches_.draw(batch_bits_, batch);
  sums_.prefetch(batch);
  next_ = (next_ + 1) % kAhead;

  const std::vector<std::int64_t>& units = SensitiveKey::open(sum);
  for (std::size_t j = 0; j < units.size(); ++j)
    gradient[j] = static_cast<double>(units[j] + rounded_gaussian(noise_bits_)) * unit_;
  return {};
}

Result<double> sampled_gradient_noise(double clip, std::size_t dimension, std::size_t rows,
                                      const SampledGaussianEvent& event) {
  TAILCOAT_TRY(lattice, sampled_lattice(clip, dimension, event.ratio));
  return kGaussianScale * lattice.unit() / (event.rate * static_cast<double>(rows));
}

}  // namespace tailcoat
