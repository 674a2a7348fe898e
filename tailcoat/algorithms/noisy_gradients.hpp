// The private gradient oracle of the full-batch algorithms: mean clipped gradients of a block of samples with Gaussian
// noise, a number of times fixed in advance that shares the whole budget of a meter. Proofs: noisy_gradients.md.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

class NoisyGradients {
 public:
  // `count` gradients, each at the price of mu / sqrt(count).
  static Result<NoisyGradients> open(Engine&, const Samples&, double clip, std::size_t count, Outlet);

  // The next one. What is referred to in open() must still be there.
  Result<std::vector<double>> at(std::span<const double> x);

 private:
  NoisyGradients(Engine& engine, const Samples& samples, double clip, Gdp cost, Outlet outlet)
      : engine_(&engine), samples_(samples), clip_(clip), cost_(cost), outlet_(outlet) {}

  Engine* engine_;
  Samples samples_;
  double clip_;
  Gdp cost_;
  Outlet outlet_;
  std::size_t released_ = 0;
};

// The same for steps that read one of `batches` parts of the samples each, in an order drawn from the noise before
// anything is read. Each part has the whole budget for `uses` gradients: a sample is in one part. A part that has no
// more uses is passed over for the next.
class BatchGradients {
 public:
  static Result<BatchGradients> open(Engine&, const Samples&, double clip, std::size_t batches, std::size_t uses,
                                     Outlet);
  Result<std::vector<double>> at(std::span<const double> x);
  // Enters the releases in the receipt. Nothing can be released afterwards.
  void close() && { meter_->join(std::move(*part_meters_)); }

 private:
  BatchGradients(PrivacyMeter& meter, BitStream order) : meter_(&meter), order_(std::move(order)) {}

  PrivacyMeter* meter_;
  std::unique_ptr<std::vector<PrivacyMeter>> part_meters_ =
      std::make_unique<std::vector<PrivacyMeter>>();  // parts refer to them
  std::vector<NoisyGradients> parts_;
  std::vector<std::size_t> left_;
  BitStream order_;
};

// Standard deviation of a coordinate of its noise: `count` releases of sensitivity 2 clip / rows share mu. Lattice
// rounding takes sqrt(d) of the 2^26 mu / sqrt(count) units that a release is allowed to move by.
double gradient_noise(const Setting&, double rows, Gdp budget, double clip, double count);

// The same options with max_passes at most what keeps that part below one hundredth.
Options for_lattice(const Setting&, Gdp budget, Options);

// Refuses what open() would refuse, from public numbers.
Result<void> check_gradients(const Setting&, Gdp budget, double clip, std::size_t count);

// Refuses a run of more releases than its noise source and its receipt have room for.
Result<void> check_releases(const Setting&, double releases);

// How many steps over all the rows max_passes allows of those wanted; at least 1.
std::size_t allowed_steps(double wanted, const Options&);

}  // namespace tailcoat
