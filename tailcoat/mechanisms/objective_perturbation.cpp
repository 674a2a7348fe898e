#include "tailcoat/mechanisms/objective_perturbation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/mechanisms/gaussian_release.hpp"
#include "tailcoat/noise/gaussian.hpp"
#include "tailcoat/privacy/gaussian_profile.hpp"
#include "tailcoat/privacy/search.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

constexpr NumberOption kSmoothnessOption{
    .name = "smoothness", .meaning = "largest curvature of a sample", .lowest = 0x1p-300, .highest = 0x1p300};

constexpr double kLargestDraw = 0x1p30;  // no rounded Gaussian is larger, in units
// Norms of rows, and with them the parameters of the envelopes, are known up to rounding.
constexpr double kCurvatureSlack = 1 + 0x1p-20;

// The random linear term: a draw of standard deviation `noise` per coordinate, for the sum of `rows` losses.
Tilt random_tilt(double noise, std::size_t rows, std::size_t dimension, BitSource& source) {
  std::vector<std::int64_t> draws(dimension);
  add_rounded_gaussian(draws, source, source.next_release());
  const double n = static_cast<double>(rows), unit = noise / kGaussianScale;
  std::vector<double> slope(dimension);
  for (std::size_t j = 0; j < dimension; ++j) slope[j] = static_cast<double>(draws[j]) * unit / n;
  const double root = sqrt_up(static_cast<double>(dimension)), per_unit = mul_up(root, div_up(unit, n));
  const double longest = mul_up(kLargestDraw + 1, per_unit);
  return {.slope = Sensitive(std::move(slope)),
          .longest = longest,
          .rounding = add_up(per_unit / 2, mul_up(longest, 0x1p-51))};
}

}  // namespace

Result<double> objective_noise(double curvature, ApproxDp cost) {
  TAILCOAT_CHECK(check(cost));
  const double c = std::log1p(mul_up(curvature, kCurvatureSlack)) * (1 + 0x1p-50);
  const double epsilon = sub_down(cost.epsilon, c);
  // mu = 2 C / sigma. The second condition: the tail of |Z_1| + |Z_2| is largest for correlation one (the document).
  const double mu = largest_where([&](double candidate) {
    const double far = add_up(mul_up(candidate, candidate) / 2, mul_up(candidate, sqrt_up(3)));
    return epsilon > 0 && far <= epsilon && 2 * gaussian_delta(candidate, epsilon) <= cost.delta;
  });
  if (!(mu > 0x1p-20))
    return refusal(
        fmt::format("objective perturbation with beta / (lambda n) = {:.4g} has a privacy loss of {:.4g} "
                    "before any noise, and epsilon = {}; give a smaller smoothness or more weight",
                    curvature, c, cost.epsilon));
  return div_up(2, mu);
}

Result<std::vector<double>> perturbed_minimiser(Engine& engine, const Samples& samples, const Domain& domain,
                                                std::span<const double> centre, const ObjectivePerturbation& options,
                                                Gdp output_cost, Outlet outlet) {
  if (samples.glm_loss() == nullptr)
    return usage_error(
        "objective perturbation is for generalised linear models: its proof needs slopes along the rows");
  TAILCOAT_CHECK(check_unweighted(samples, "objective perturbation"));
  TAILCOAT_CHECK(check(kClipThresholdOption, options.clip));
  TAILCOAT_CHECK(check(kSmoothnessOption, options.smoothness));
  TAILCOAT_CHECK(outlet.meter.affords("minimiser", output_cost));
  const double total_weight = mul_down(options.weight, static_cast<double>(samples.size()));
  TAILCOAT_TRY(noise_in_clips, objective_noise(div_up(options.smoothness, total_weight), options.cost));
  const double noise = mul_up(noise_in_clips, options.clip);

  TAILCOAT_CHECK(outlet.meter.charge({.what = "exact minimiser",
                                      .mechanism = "objective-perturbation",
                                      .values = samples.dimension(),
                                      .sensitivity = 2 * options.clip,
                                      .noise_scale = noise,
                                      .secure_noise = outlet.noise.secure()},
                                     ApproximateEvent{options.cost.epsilon, options.cost.delta}));
  const Tilt tilt = random_tilt(noise, samples.size(), samples.dimension(), outlet.noise);
  const Minimisation minimisation{.steep = SteepSamples::clip,
                                  .lipschitz = options.clip,
                                  .weight = options.weight,
                                  .share = kObjectiveShare,
                                  .envelope = options.smoothness};
  TAILCOAT_TRY(minimiser, engine.minimiser(samples, domain, centre, minimisation, output_cost, &tilt));
  return gaussian_release("minimiser", std::move(minimiser), outlet);
}

}  // namespace tailcoat
