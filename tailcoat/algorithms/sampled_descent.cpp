#include "tailcoat/algorithms/sampled_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/mechanisms/sampled_gradients.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {

Result<std::vector<double>> solve_sampled(Engine& engine, const Samples& samples, const Domain& domain,
                                          std::span<const double> centre, const SampledDescent& descent,
                                          std::string what, Outlet outlet) {
  TAILCOAT_TRY(gradients,
               SampledGradients::open(engine, samples, descent.clip, descent.event, std::move(what), outlet));
  std::vector<double> x(centre.begin(), centre.end()), g(x.size());
  for (std::size_t t = 0; t < descent.event.steps; ++t) {
    TAILCOAT_CHECK(gradients.at(x, g));
    const auto done = static_cast<double>(t + 1);  // eta = 1 / (modulus done)
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = (done * x[j] + centre[j] - g[j] / descent.modulus) / (done + 1);
    TAILCOAT_CHECK(domain.project(x));
  }
  return x;
}

double clipped_slope(const Setting& setting, double clip) {
  return setting.generalised_linear ? std::sqrt(clipped_second_moment(setting.moments, clip)) : setting.moments.g2;
}

double sampled_spread(const Setting& setting, std::size_t rows, double clip, const SampledGaussianEvent& event) {
  const auto noise = sampled_gradient_noise(clip, setting.dimension, rows, event);
  if (!noise) return std::numeric_limits<double>::infinity();
  const auto d = static_cast<double>(setting.dimension), steps = static_cast<double>(event.steps);
  const double batch = event.rate * static_cast<double>(rows), slope = clipped_slope(setting, clip);
  const double variance = d * *noise * *noise + slope * slope / batch;
  const double rounding = std::sqrt(d) / 2 * *noise * batch / kGaussianScale;  // of a contribution, to the lattice
  double bias = rounding;
  if (!setting.generalised_linear)
    bias += std::hypot(clip_bias(setting.moments, clip),
                       std::sqrt(clip_variance(setting.moments, clip) / static_cast<double>(rows)));
  const double few_steps = std::sqrt(slope * slope + steps * (variance + 4 * slope * slope));
  const double many_steps = slope + std::sqrt(slope * slope + steps * (variance + slope * slope + 2 * bias * slope));
  return std::min(few_steps, many_steps) / (steps + 1) + bias;
}

}  // namespace tailcoat
