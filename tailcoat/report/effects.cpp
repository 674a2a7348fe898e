#include "tailcoat/report/effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tailcoat/report/scale.hpp"
#include "tailcoat/report/text.hpp"
#include "tailcoat/report/words.hpp"

namespace tailcoat::report {
namespace {

constexpr double kRowHeight = 26, kAxisHeight = 22, kDot = 4.5;
constexpr double kMostDrawnValue = 1e200, kLeastDrawnValue = 1e-200;  // beyond, coordinates would overflow
constexpr double kLongestInterval = 3;  // a longer one, in the largest effect, is cut at the edge and ends in an arrow

struct Tick {
  double at;  // in effects
  std::string label;
  bool minor;  // hidden where there is little room
};

// All panels of a page share it, so that classes compare.
struct Axis {
  Scale scale;  // to per cent of the width
  double low, high;
  std::vector<Tick> ticks;
};

bool drawable(double value) {
  const double size = std::abs(value);
  return value == 0 || (size >= kLeastDrawnValue && size <= kMostDrawnValue);
}

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

// Factors: small ones as changes in per cent, large ones as powers of 2 or 10.
std::vector<Tick> factor_ticks(double low, double high) {
  constexpr double kPercents = 0.8, kMostTicks = 7;
  std::vector<Tick> ticks;
  if (std::max(-low, high) < kPercents) {
    const Scale percents({std::expm1(low), std::expm1(high)}, false, 0, 1);
    for (const Tick& tick : linear_ticks(percents))
      if (tick.at > -1 && std::log1p(tick.at) >= low && std::log1p(tick.at) <= high)
        ticks.push_back({std::log1p(tick.at),
                         tick.at == 0 ? "same" : signed_number(std::round(1e4 * tick.at) / 100, 4) + "\u202F%",
                         tick.minor});
    return ticks;
  }
  double step = std::log(2);
  if ((high - low) / step > kMostTicks)
    step = std::log(10) * std::max(1.0, std::ceil((high - low) / std::log(10) / kMostTicks));
  for (double i = std::ceil(low / step); i * step <= high; ++i)
    ticks.push_back({i * step, i == 0 ? "same" : fmt::format("×{}", number(std::exp(i * step), 3)),
                     std::fmod(std::abs(i), 2) == 1});
  return ticks;
}

Axis axis_of(const Model& model, const std::vector<std::size_t>& shown) {
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
    for (const double end : {size.value, size.low, size.high})
      if (!std::isnan(end)) ends.push_back(std::clamp(end, -edge, edge));
  if (ends.size() == 1 || std::ranges::minmax(ends).min == std::ranges::minmax(ends).max) ends = {-edge, edge};
  const auto [low, high] = std::ranges::minmax(ends);
  const Scale scale(ends, false, 0, 100);
  return {scale, low, high, words_of(model, 0).multiplies ? factor_ticks(low, high) : linear_ticks(scale)};
}

std::string grid(const Axis& axis, double height) {
  std::string lines;
  for (const Tick& tick : axis.ticks)
    lines += fmt::format("<line class=\"{0}\" x1=\"{1:.2f}%\" x2=\"{1:.2f}%\" y1=\"0\" y2=\"{2}\"/>",
                         tick.at == 0 ? "zero" : "grid", axis.scale.pixel(tick.at), height);
  return lines;
}

// Where an interval goes on beyond the edge.
std::string arrow(double percent, bool right) {
  return fmt::format(
      "<svg x=\"{:.2f}%\" y=\"{}\" overflow=\"visible\"><path class=\"tip\" d=\"M0-4.5L{} 0L0 4.5\"/></svg>", percent,
      kRowHeight / 2, right ? 6 : -6);
}

std::string mark(const Axis& axis, const Estimate& size) {
  if (!drawable(size.value)) return "";
  const double low = std::clamp(std::isnan(size.low) ? size.value : size.low, axis.low, axis.high);
  const double high = std::clamp(std::isnan(size.high) ? size.value : size.high, axis.low, axis.high);
  std::string out = fmt::format("<line class=\"range\" x1=\"{:.2f}%\" x2=\"{:.2f}%\" y1=\"{}\" y2=\"{}\"/>",
                                axis.scale.pixel(low), axis.scale.pixel(high), kRowHeight / 2, kRowHeight / 2);
  if (size.low < axis.low) out += arrow(axis.scale.pixel(low), false);
  if (size.high > axis.high) out += arrow(axis.scale.pixel(high), true);
  return out + fmt::format("<circle class=\"dot\" cx=\"{:.2f}%\" cy=\"{}\" r=\"{}\"/>",
                           axis.scale.pixel(std::clamp(size.value, axis.low, axis.high)), kRowHeight / 2, kDot);
}

// What the eye cannot read off, for the pointer and for screen readers.
std::string row_title(const Model& model, const Feature& feature, const Estimate& coefficient, const Estimate& effect) {
  constexpr int kDigits = 10;
  return fmt::format(
      "{}: effect of one typical spread ({}) {}, {} interval {}. Coefficient {}, standard error {}, interval {}.",
      shortened(feature_name(feature), 200), number(feature.scale, kDigits), signed_number(effect.value, kDigits),
      percent(model.confidence, 3), interval_text(effect.low, effect.high, kDigits), number(coefficient.value, kDigits),
      number(coefficient.standard_error, kDigits), interval_text(coefficient.low, coefficient.high, kDigits));
}

std::string short_effect(const Estimate& size, bool multiplies) {
  if (!multiplies) return signed_number(size.value);
  const double factor = std::exp(size.value);
  return factor > 0.5 && factor < 2 ? fmt::format("{}\u202F%", signed_number(100 * (factor - 1)))
                                    : fmt::format("×{}", number(factor, 3));
}

const char* tone(const Estimate& size) {
  if (!is_clear(size)) return "vague";
  return size.value > 0 ? "up" : "down";
}

std::string plot_row(const Model& model, std::size_t part, std::size_t feature, const Axis& axis) {
  const Effect effect = effect_of(model, part, feature);
  return fmt::format(
      "<li class=\"{}\"><span class=\"name\">{}</span><svg width=\"100%\" height=\"{}\" role=\"img\"><title>{}</title>"
      "<rect width=\"100%\" height=\"100%\" fill=\"transparent\"/>{}{}</svg><span class=\"size\">{}</span></li>\n",
      tone(effect.size), name_html(feature_name(model.features[feature])), kRowHeight,
      row_title(model, model.features[feature], model.parts[part].coefficients[feature], effect.size),
      grid(axis, kRowHeight), mark(axis, effect.size), short_effect(effect.size, words_of(model, part).multiplies));
}

std::string plot_axis(const Axis& axis) {
  std::string labels;
  for (const Tick& tick : axis.ticks)
    labels += fmt::format("<text class=\"{}\" x=\"{:.2f}%\" y=\"15\">{}</text>", tick.minor ? "tick minor" : "tick",
                          axis.scale.pixel(tick.at), tick.label);
  return fmt::format(
      "<li class=\"axis\" aria-hidden=\"true\"><span></span><svg width=\"100%\" height=\"{}\">{}</svg>"
      "<span></span></li>\n",
      kAxisHeight, labels);
}

std::string panel(const Model& model, std::size_t part, const std::vector<std::size_t>& shown, const Axis& axis) {
  const Words words = words_of(model, part);
  std::string out = fmt::format(
      "<figure class=\"effects\"><figcaption>Change in the {}, per typical spread</figcaption><ol>\n", words.quantity);
  for (const std::size_t j : shown)
    if (j < features_of(model, part)) out += plot_row(model, part, j, axis);
  return out + plot_axis(axis) + "</ol></figure>\n";
}

std::string legend() {
  const auto sample = [](const char* tone, const char* text) {
    return fmt::format(
        "<li class=\"{}\"><svg width=\"34\" height=\"14\" aria-hidden=\"true\"><line class=\"range\" x1=\"2\" "
        "x2=\"32\" y1=\"7\" y2=\"7\"/><circle class=\"dot\" cx=\"17\" cy=\"7\" r=\"{}\"/></svg>{}</li>",
        tone, kDot, text);
  };
  return fmt::format("<ul class=\"legend\">{}{}{}</ul>\n", sample("up", "clearly raises"),
                     sample("down", "clearly lowers"), sample("vague", "could be zero"));
}

// The strongest effect that is clear, told as a comparison of two rows.
std::string example(const Model& model, std::size_t part, std::size_t feature) {
  const Feature& f = model.features[feature];
  const Estimate& coefficient = model.parts[part].coefficients[feature];
  const Words words = words_of(model, part);
  const std::string change =
      change_in_words(f.kind == FeatureKind::number ? effect_of(model, part, feature).size : coefficient,
                      words.multiplies, model.confidence);
  std::string what;
  if (f.kind == FeatureKind::number)
    what = fmt::format("<em>{}</em> is higher by one typical spread ({})", name_html(f.column), number(f.scale, 3));
  else if (f.kind == FeatureKind::level)
    what = fmt::format("<em>{}</em> is {} rather than another level", name_html(f.column), name_html(f.level));
  else
    what = fmt::format("<em>{}</em> is missing", name_html(f.column));
  return fmt::format("<p>For example: of two rows alike in all else, the one in which {} has a {} that is {}.</p>\n",
                     what, words.quantity, change);
}

std::string explanation(const Model& model, const std::vector<std::size_t>& shown) {
  std::string out = fmt::format(
      "<p>Each dot is what changes when a feature grows by one <em>typical spread</em>, roughly how far rows lie "
      "from the middle, while the others stay as they are. The line through it is the range that holds the true value "
      "in {} of "
      "cases, counting both chance in the data and the noise added for privacy. A line that crosses zero leaves open "
      "which way the feature works. These are associations: they do not say what would happen if somebody changed a "
      "feature.</p>\n",
      percent(model.confidence, 3));
  for (const std::size_t j : shown)
    for (std::size_t part = 0; part < model.parts.size(); ++part)
      if (j < features_of(model, part) && is_clear(model.parts[part].coefficients[j]))
        return out + example(model, part, j);
  return out;
}

std::string constant_text(const Model& model) {
  std::string out =
      "<p>The model is a constant: it gives every row the same answer and no feature plays a part.</p>\n<ul>";
  for (std::size_t part = 0; part < model.parts.size(); ++part) {
    const Estimate& e = model.parts[part].intercept;
    const bool score = words_of(model, part).multiplies;
    out += fmt::format("<li>{}{}: {} ({} interval {})</li>", score ? "logarithm of the " : "",
                       words_of(model, part).quantity, number(e.value), percent(model.confidence, 3),
                       interval_text(e.low, e.high));
  }
  return out + "</ul>\n";
}

std::string panels(const Model& model, const std::vector<std::size_t>& shown, const Axis& axis) {
  std::string out = legend() + fmt::format("<div class=\"{}\">", model.parts.size() > 1 ? "panels" : "panel");
  for (std::size_t part = 0; part < model.parts.size(); ++part) {
    if (part == kPanelsInSight)
      out += fmt::format("</div><details><summary>{} more classes</summary><div class=\"panels\">",
                         model.parts.size() - kPanelsInSight);
    out += panel(model, part, shown, axis);
  }
  return out + (model.parts.size() > kPanelsInSight ? "</div></details>\n" : "</div>\n");
}

}  // namespace

std::string effects_section(const Fit& fit) {
  const Model& model = fit.model;
  const std::vector<std::size_t> order = strongest_first(model);
  std::string out = "<section aria-labelledby=\"says\"><h2 id=\"says\">What the model says</h2>\n";
  if (fit.constant || order.empty()) {
    out += constant_text(model);
  } else {
    const std::vector<std::size_t> shown(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), kMostDrawn)));
    out += explanation(model, shown) + panels(model, shown, axis_of(model, shown));
    if (order.size() > kMostDrawn)
      out += fmt::format("<p class=\"small\">Drawn are the {} strongest of {} features; the table has the rest.</p>\n",
                         kMostDrawn, count(order.size()));
  }
  for (std::size_t part = 0; part < model.parts.size(); ++part) out += effect_table(model, part, order);
  return out + "</section>\n";
}

}  // namespace tailcoat::report
