#include "tailcoat/algorithms/rates.hpp"

#include <algorithm>
#include <cmath>

namespace tailcoat {

double clip_bias_constant(double k) { return std::exp((k - 1) * std::log(k - 1) - k * std::log(k)); }

double clip_bias(const Moments& moments, double clip) {
  return clip_bias_constant(moments.k) * moments.gk * std::pow(moments.gk / clip, moments.k - 1);
}

double clip_variance(const Moments& moments, double clip) {
  const auto [k, g2, gk] = moments;
  // sup_t (t - 1)^2 / t^k = 4 (k-2)^(k-2) / k^k, with 0^0 = 1.
  const double constant = 4 * std::exp((k > 2 ? (k - 2) * std::log(k - 2) : 0) - k * std::log(k));
  return std::min(g2 * g2, constant * gk * gk * std::pow(gk / clip, k - 2));
}

double clipped_second_moment(const Moments& moments, double clip) {
  const auto [k, g2, gk] = moments;
  return std::min(clip * clip, k < 2 ? std::pow(clip, 2 - k) * std::pow(gk, k) : g2 * g2);
}

double mean_slope(const Moments& moments) { return moments.k < 2 ? moments.gk : moments.g2; }

namespace {

// `per_row`: the noise that privacy adds, per row and unit of clipping.
double rate_of(const Setting& setting, double per_row) {
  const auto n = static_cast<double>(setting.rows);
  const auto [k, g2, gk] = setting.moments;
  const double sampling = k < 2 ? gk * std::pow(n, 1 / k - 1) : g2 / std::sqrt(n);
  const double per_diameter = sampling + gk * std::pow(per_row, 1 - 1 / k);
  if (setting.strong_convexity > 0)
    return std::min(per_diameter * per_diameter / setting.strong_convexity, trivial_bound(setting));
  return std::min(per_diameter * setting.diameter, trivial_bound(setting));
}

}  // namespace

double optimal_rate(const Setting& setting, Gdp budget) {
  const double n = static_cast<double>(setting.rows), d = static_cast<double>(setting.dimension);
  return rate_of(setting, std::sqrt(d) / (n * std::sqrt(rho_of(budget))));
}

double optimal_rate(const Setting& setting, PureDp budget) {
  return rate_of(setting,
                 static_cast<double>(setting.dimension) / (static_cast<double>(setting.rows) * budget.epsilon));
}

double trivial_bound(const Setting& setting) { return mean_slope(setting.moments) * setting.start_distance; }

Bound shown_bound(const Bound& certified, const Setting& setting) {
  const double trivial = trivial_bound(setting);
  if (certified.excess_risk < trivial || !std::isfinite(certified.excess_risk)) return certified;
  return {.excess_risk = trivial, .trivial = true};
}

}  // namespace tailcoat
