#include "tailcoat/report/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/report/text.hpp"

namespace tailcoat::report {
namespace {

constexpr double kRoom = 0.05;  // of the range, at each end

}  // namespace

Scale::Scale(const std::vector<double>& values, bool logarithmic, double first_pixel, double last_pixel)
    : logarithmic_(logarithmic), first_pixel_(first_pixel), last_pixel_(last_pixel) {
  if (values.empty()) return;
  const auto [least, most] = std::ranges::minmax(values);
  low_ = logarithmic ? std::log10(least) : least;
  high_ = logarithmic ? std::log10(most) : most;
  if (!(high_ > low_)) {
    const double half = logarithmic ? 0.5 : std::max(1.0, std::abs(low_) / 2);
    low_ -= half;
    high_ += half;
  }
  const double room = kRoom * (high_ - low_);
  low_ -= room;
  high_ += room;
}

double Scale::power_of_ten(double exponent) { return std::pow(10, exponent); }

double Scale::pixel(double value) const {
  const double at = logarithmic_ ? std::log10(value) : value;
  return first_pixel_ + (at - low_) / (high_ - low_) * (last_pixel_ - first_pixel_);
}

// The distance of the ticks: of a linear scale 1, 2 or 5 times a power of ten, of a logarithmic one whole decades.
double Scale::step() const {
  constexpr double kMostTicks = 8;
  const double range = high_ - low_;
  if (logarithmic_) return std::max(1.0, std::ceil(range / kMostTicks));
  const double power = power_of_ten(std::floor(std::log10(range / 5)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (range / (factor * power) <= kMostTicks) return factor * power;
  return 10 * power;
}

std::vector<double> Scale::ticks() const {
  std::vector<double> ticks;
  const double distance = step();
  if (!logarithmic_) {
    for (double i = std::ceil(low_ / distance); i * distance <= high_; ++i) ticks.push_back(i * distance);
    return ticks;
  }
  const bool few = high_ - low_ < 2.2;
  for (double decade = std::floor(low_ / distance) * distance; decade <= high_; decade += distance) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double at = decade + std::log10(factor);
      if ((factor == 1 || few) && at >= low_ && at <= high_) ticks.push_back(factor * power_of_ten(decade));
    }
  }
  return ticks;
}

std::string Scale::tick_label(double value) const {
  if (!logarithmic_) return fmt::format("{:.6g}", std::abs(value) < 1e-12 * step() ? 0 : value);
  const int decade = static_cast<int>(std::floor(std::log10(value) + 1e-9));
  const double factor = std::round(value / power_of_ten(decade));
  if (decade >= -2 && decade <= 2) return fmt::format("{:.6g}", value);
  return factor == 1 ? power_of_ten_text(decade) : fmt::format("{}·{}", factor, power_of_ten_text(decade));
}

}  // namespace tailcoat::report
