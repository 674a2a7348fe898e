// Sums over Poisson samples of the rows with Gaussian noise: which events are accepted, and how large a sample a budget
// allows. Theorem and proof: privacy.md, "Sampled Gaussian events".
#pragma once

#include <cstddef>

#include "tailcoat/base/option.hpp"
#include "tailcoat/base/result.hpp"
#include "tailcoat/privacy/event.hpp"
#include "tailcoat/privacy/guarantees.hpp"
#include "tailcoat/privacy/loss_law.hpp"

namespace tailcoat {

inline constexpr NumberOption kSamplingRateOption{
    .name = "rate", .meaning = "probability with which a row is in a sample", .lowest = 1e-12, .highest = 1};
inline constexpr NumberOption kRatioOption{.name = "ratio",
                                           .meaning = "norm bound of a row's contribution / standard deviation",
                                           .lowest = 1e-6,
                                           .highest = kMostRatio};
inline constexpr NumberOption kStepsOption{
    .name = "steps", .meaning = "how many samples are summed", .lowest = 1, .highest = 1e12};

// Why a budget in mu or rho cannot pay for sampled steps.
inline constexpr const char* kSampledStepsNeedDelta =
    "steps on samples of the rows have a heavier tail than Gaussian noise, so that only (epsilon, delta) states their "
    "privacy well: give the budget as epsilon and delta";

Result<void> check(const SampledGaussianEvent&);

// Whether any of the events, or of the branches of parallel ones, is sampled.
bool holds_sampled_steps(const std::vector<Event>&);

// The rate at which `steps` steps are about as private as Gaussian releases of `budget`: mu / (2 s sqrt(steps) infl),
// infl = sqrt(sinh(s^2) / s^2), s the ratio. Cheap, for planning; not a bound, and above 1 where no sampling is needed.
double estimated_sampling_rate(Gdp budget, double ratio, double steps);

// A rate in (0, 1] at which the event was evaluated and satisfied `total`, aiming 0.05 % below the greatest; tests find
// it within 0.3 %. Refused if there is none.
// The search starts at `guess`, where that is above 0.
Result<double> largest_sampling_rate(ApproxDp total, double ratio, std::size_t steps, double guess = 0);

// The same within about 2 %, on either side: for planning, with a fraction of the evaluations.
Result<double> nearly_largest_sampling_rate(ApproxDp total, double ratio, std::size_t steps, double guess);

}  // namespace tailcoat
