// Noisy mean gradients over Poisson samples of the rows, as many times as were paid for: the sampled Gaussian
// mechanism. Which rows a step drew, and how many, stays secret: who knows that has a weaker guarantee. Proof:
// mechanisms.md, "Sampled gradients".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/mechanisms/outlet.hpp"
#include "tailcoat/noise/poisson_batches.hpp"
#include "tailcoat/privacy/event.hpp"

namespace tailcoat {

class SampledGradients {
 public:
  // Charges the meter with `event`, which was reserved when it was opened: one line of the receipt.
  static Result<SampledGradients> open(Engine&, const Samples&, double clip, const SampledGaussianEvent& event,
                                       std::string what, Outlet);

  // The next of event.steps gradients:  (1 / (rate n)) [ sum over a batch of clip(grad f_i(x)) + noise ].  Divided by
  // the expected number of rows, never by the secret number of those drawn: its mean is that over all rows.
  Result<void> at(std::span<const double> x, std::span<double> gradient);

 private:
  static constexpr std::size_t kAhead = 4;  // batches are drawn so many steps ahead, for their rows to come from memory

  SampledGradients(BatchSums sums, PoissonBatches batches, BitStream batch_bits, BitStream noise_bits,
                   std::size_t steps, double unit);

  BatchSums sums_;
  PoissonBatches batches_;
  BitStream batch_bits_, noise_bits_;
  std::array<std::vector<std::uint32_t>, kAhead> ahead_;
  std::size_t next_ = 0;  // of ahead_
  std::size_t steps_left_;
  double unit_;  // of the lattice, in the mean
};

// Standard deviation of a coordinate of its noise, for n = rows. Refused where the lattice is too coarse for `ratio`.
Result<double> sampled_gradient_noise(double clip, std::size_t dimension, std::size_t rows,
                                      const SampledGaussianEvent& event);

}  // namespace tailcoat
