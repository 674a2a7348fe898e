#include "tailcoat/algorithms/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/privacy/sampled_gaussian.hpp"

namespace tailcoat {
namespace {

constexpr NumberOption kMomentOrderOption{
    .name = "k", .meaning = "order of the highest moment", .lowest = 1, .highest = 1000, .open_below = true};
constexpr NumberOption kSecondMomentOption{.name = "G2",
                                           .meaning = "root of the second moment of the Lipschitz constants",
                                           .lowest = 1e-100,
                                           .highest = 1e100};
constexpr NumberOption kHighMomentOption{.name = "Gk",
                                         .meaning = "k-th root of the k-th moment of the Lipschitz constants",
                                         .lowest = 1e-100,
                                         .highest = 1e100};
constexpr NumberOption kDiameterOption{
    .name = "diameter", .meaning = "diameter of the domain", .lowest = 1e-100, .highest = 1e100};

Result<void> check_moments(const Setting& setting, LeastOrder least) {
  const auto [k, g2, gk] = setting.moments;
  TAILCOAT_CHECK(check(kMomentOrderOption, k));
  TAILCOAT_CHECK(check(kHighMomentOption, gk));
  if (k >= 2) {
    TAILCOAT_CHECK(check(kSecondMomentOption, g2));
    if (gk >= g2) return {};
    return usage_error(
        fmt::format("Gk = {} is below G2 = {}; moments grow with their order, so give Gk >= G2", gk, g2));
  }
  if (std::isfinite(g2))
    return usage_error(fmt::format("k = {} is below 2, with G2 = {}; give K,GK alone, or k >= 2", k, g2));
  if (!setting.generalised_linear)
    return refusal(fmt::format(
        "k = {} is below 2, for which there are proofs for generalised linear models alone; give k >= 2", k));
  if (least == LeastOrder::two)
    return refusal(
        fmt::format("k = {} is below 2, which of all algorithms implicit-glm and, with tight constants, localized, "
                    "known-lipschitz and known-lipschitz-gd take; use one of these, or give k >= 2",
                    k));
  return {};
}

// A slope of at most G bounds how fast F can grow: subgradients in two points at distance D differ by mu D at least,
// and some point is D / 2 away from x*.
Result<void> check_growth(const Setting& setting) {
  const double slope = mean_slope(setting.moments), mu = setting.strong_convexity;
  const auto [theta, alpha] = setting.growth;
  if (!(mu >= 0 && std::isfinite(mu))) return usage_error(fmt::format("strong-convexity = {} is not in [0, inf)", mu));
  if (!(alpha >= 0 && std::isfinite(alpha)))
    return usage_error(fmt::format("growth: modulus = {} is not in [0, inf)", alpha));
  if (!(theta >= 2 && std::isfinite(theta)))
    return refusal(
        fmt::format("growth: exponent = {} is below 2, for which no bound is proved; give one >= 2, or none", theta));
  if (mu * setting.diameter > 2 * slope)
    return refusal(
        fmt::format("strong-convexity = {} cannot hold on a domain of diameter {} with slopes of {} on "
                    "average: at most 2 slopes / diameter = {}",
                    mu, setting.diameter, slope, 2 * slope / setting.diameter));
  if (const double most = slope / std::pow(setting.diameter / 2, theta - 1); alpha > most)
    return refusal(
        fmt::format("growth: modulus = {} cannot hold on a domain of diameter {} with slopes of {} on "
                    "average: at most {}",
                    alpha, setting.diameter, slope, most));
  return {};
}

}  // namespace

Setting setting_of(const Problem& problem, const Moments& moments) {
  double centre_size = 0;
  for (const double part : problem.domain.centre()) centre_size += std::abs(part);
  const SampleFunctions* own = problem.samples.functions();
  const GivenFunctions given = own == nullptr ? GivenFunctions{}
                                              : GivenFunctions{.gradient = static_cast<bool>(own->gradient),
                                                               .value = static_cast<bool>(own->value),
                                                               .implicit_step = static_cast<bool>(own->implicit_step),
                                                               .step_error = own->step_error,
                                                               .gradient_error = own->gradient_error};
  return {.rows = problem.samples.size(),
          .dimension = problem.samples.dimension(),
          .diameter = problem.domain.diameter(),
          .start_distance = problem.domain.radius(),
          .moments = moments,
          .smoothness = problem.smoothness,
          .strong_convexity = problem.strong_convexity,
          .generalised_linear = problem.samples.glm_loss() != nullptr,
          .given = given,
          .centre_size = centre_size,
          .growth = problem.growth};
}

Growth growth_of(const Setting& setting) {
  if (setting.growth.modulus > 0) return setting.growth;
  return {.exponent = 2, .modulus = setting.strong_convexity / 2};
}

double start_distance_of(const Setting& setting) {
  double distance = setting.start_distance;
  const double slope = mean_slope(setting.moments), mu = setting.strong_convexity;
  if (mu > 0) distance = std::min(distance, slope / mu);  // F(x_0) - F* <= slope^2 / (2 mu)
  // alpha |x_0 - x*|^theta <= F(x_0) - F* <= slope |x_0 - x*|
  if (const auto [theta, alpha] = setting.growth; alpha > 0)
    distance = std::min(distance, std::pow(slope / alpha, 1 / (theta - 1)));
  return distance;
}

Result<void> check(const Setting& setting, LeastOrder least) {
  if (setting.rows == 0) return data_error("the data has 0 rows; give at least one");
  if (setting.dimension == 0) return usage_error("the problem has dimension 0; give at least one");
  TAILCOAT_CHECK(check(kDiameterOption, setting.diameter));
  TAILCOAT_CHECK(check_moments(setting, least));
  if (!(setting.start_distance >= 0 && setting.start_distance <= setting.diameter))
    return usage_error(
        fmt::format("start-distance = {} is not in [0, {}], the diameter", setting.start_distance, setting.diameter));
  if (!(setting.smoothness > 0)) return usage_error(fmt::format("smoothness = {} is not above 0", setting.smoothness));
  TAILCOAT_CHECK(check_growth(setting));
  TAILCOAT_CHECK(check(kStepErrorOption, setting.given.step_error));
  TAILCOAT_CHECK(check(kGradientErrorOption, setting.given.gradient_error));
  return {};
}

Budget budget_of(ApproxDp stated) {
  if (stated.delta == 0) return PureDp{stated.epsilon};
  return stated;
}

Result<PrivacyMeter> open_meter(const Budget& budget, const std::vector<Event>& reserved) {
  if (const auto* approximate = std::get_if<ApproxDp>(&budget)) return PrivacyMeter::open(*approximate, reserved);
  if (holds_sampled_steps(reserved)) return usage_error(kSampledStepsNeedDelta);
  if (const auto* pure = std::get_if<PureDp>(&budget)) return PrivacyMeter::open(*pure, reserved);
  if (!reserved.empty())
    return usage_error("this algorithm is not Gaussian alone: give its budget as epsilon and delta");
  return PrivacyMeter::open(std::get<Gdp>(budget));
}

Result<Gdp> gaussian_budget(const Budget& budget) {
  if (std::holds_alternative<PureDp>(budget))
    return refusal(
        "pure epsilon-DP (delta = 0) allows no Gaussian noise: use known-lipschitz with tight constants, or give a "
        "delta above 0");
  TAILCOAT_TRY(meter, open_meter(budget));
  return meter.total();
}

Result<ApproxDp> approximate_budget(const Budget& budget, std::string_view algorithm) {
  if (const auto* approximate = std::get_if<ApproxDp>(&budget)) return *approximate;
  if (std::holds_alternative<PureDp>(budget)) return gaussian_budget(budget).error();
  return usage_error(fmt::format("{} is not Gaussian alone: give its budget as epsilon and delta", algorithm));
}

Result<std::vector<double>> moved_within(const Domain& domain, std::span<const double> start,
                                         std::span<const double> shift) {
  std::vector<double> x(start.begin(), start.end());
  for (std::size_t j = 0; j < x.size(); ++j) x[j] += shift[j];
  TAILCOAT_CHECK(domain.project(x));
  return x;
}

}  // namespace tailcoat
