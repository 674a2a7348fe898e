#include "tailcoat/report/effect_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/report/text.hpp"
#include "tailcoat/report/words.hpp"

namespace tailcoat::report {
namespace {

constexpr double kMostDrawnValue = 1e200, kLeastDrawnValue = 1e-200;
constexpr double kLongestInterval = 3;  // a longer one, in the largest effect, is cut at the edge and ends in an arrow

// Even multiples of the distance between the ticks stay where there is little room: zero always does.
bool odd_multiple(double tick, double distance) { return std::fmod(std::round(std::abs(tick) / distance), 2) == 1; }

std::vector<Tick> linear_ticks(const Scale& scale) {
  const std::vector<double> at = scale.ticks();
  std::vector<Tick> ticks;
  for (const double tick : at) {
    const double distance = at.size() > 1 ? at[1] - at[0] : 1;
    const bool zero = std::abs(tick) < distance / 2;
    ticks.push_back({zero ? 0 : tick, zero ? "0" : signed_number(tick, 6), odd_multiple(tick, distance)});
  }
  return ticks;
}

std::vector<Tick> percent_ticks(double low, double high) {
  const Scale percents({std::expm1(low), std::expm1(high)}, false, 0, 1);
  std::vector<Tick> ticks;
  for (const Tick& tick : linear_ticks(percents))
    if (tick.at > -1 && std::log1p(tick.at) >= low && std::log1p(tick.at) <= high)
      ticks.push_back({std::log1p(tick.at),
                       tick.at == 0 ? "same" : fmt::format("{}\u202F%", signed_number(100 * tick.at, 4)), tick.minor});
  return ticks;
}

// Powers of 2 or of 10.
std::vector<Tick> factor_ticks(double low, double high) {
  constexpr double kMostTicks = 7;
  double step = std::log(2);
  if ((high - low) / step > kMostTicks)
    step = std::log(10) * std::max(1.0, std::ceil((high - low) / std::log(10) / kMostTicks));
  std::vector<Tick> ticks;
  for (double i = std::ceil(low / step); i * step <= high; ++i)
    ticks.push_back({i * step, i == 0 ? "same" : fmt::format("×{}", number(std::exp(i * step), 3)),
                     std::fmod(std::abs(i), 2) == 1});
  return ticks;
}

Unit unit_of(const Model& model, double low, double high) {
  constexpr double kPercents = 1.1;  // about a factor 3
  if (!words_of(model, 0).multiplies) return Unit::sum;
  return std::max(-low, high) < kPercents ? Unit::percent : Unit::factor;
}

}  // namespace

bool drawable(double value) {
  const double size = std::abs(value);
  return value == 0 || (size >= kLeastDrawnValue && size <= kMostDrawnValue);
}

Axis axis_of(const Model& model, const std::vector<std::size_t>& shown, bool intervals) {
  double largest = 0;
  std::vector<Estimate> sizes;
  for (std::size_t part = 0; part < model.parts.size(); ++part)
    for (const std::size_t j : shown)
      if (j < features_of(model, part)) sizes.push_back(effect_of(model, part, j).size);
  for (const Estimate& size : sizes)
    if (drawable(size.value)) largest = std::max(largest, std::abs(size.value));
  const double edge = largest > 0 ? kLongestInterval * largest : 1;
  std::vector<double> ends{0};
  for (const Estimate& size : sizes)
    for (const double end : {size.value, intervals ? size.low : size.value, intervals ? size.high : size.value})
      if (!std::isnan(end)) ends.push_back(std::clamp(end, -edge, edge));
  if (ends.size() == 1 || std::ranges::minmax(ends).min == std::ranges::minmax(ends).max) ends = {-edge, edge};
  const auto [low, high] = std::ranges::minmax(ends);
  const Scale scale(ends, false, 0, 100);
  const Unit unit = unit_of(model, low, high);
  if (unit == Unit::sum) return {scale, low, high, unit, linear_ticks(scale)};
  return {scale, low, high, unit, unit == Unit::percent ? percent_ticks(low, high) : factor_ticks(low, high)};
}

}  // namespace tailcoat::report
