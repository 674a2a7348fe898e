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

constexpr double kDot = 4.5;
constexpr double kMostDrawnValue = 1e200, kLeastDrawnValue = 1e-200;  // beyond, coordinates would overflow
constexpr double kLongestInterval = 3;  // a longer one, in the largest effect, is cut at the edge and ends in an arrow

struct Tick {
  double at;  // in effects
  std::string label;
  bool minor;  // hidden where there is little room
};

// How effects are written: as sums, or as factors, which are changes in per cent where they are small.
enum class Unit { sum, percent, factor };

// All panels of a page share it, so that classes compare.
struct Axis {
  Scale scale;  // to per cent of the width
  double low, high;
  Unit unit;
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
  constexpr double kPercents = 0.7;  // about a factor 2
  if (!words_of(model, 0).multiplies) return Unit::sum;
  return std::max(-low, high) < kPercents ? Unit::percent : Unit::factor;
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
  const Unit unit = unit_of(model, low, high);
  if (unit == Unit::sum) return {scale, low, high, unit, linear_ticks(scale)};
  return {scale, low, high, unit, unit == Unit::percent ? percent_ticks(low, high) : factor_ticks(low, high)};
}

// Rows grow with long names, so heights are percentages as well.
std::string grid(const Axis& axis) {
  std::string lines;
  for (const Tick& tick : axis.ticks)
    lines += fmt::format("<line class=\"{0}\" x1=\"{1:.2f}%\" x2=\"{1:.2f}%\" y1=\"0\" y2=\"100%\"/>",
                         tick.at == 0 ? "zero" : "grid", axis.scale.pixel(tick.at));
  return lines;
}

// Where an interval goes on beyond the edge.
std::string arrow(double percent, bool right) {
  return fmt::format("<svg x=\"{:.2f}%\" y=\"50%\"><path class=\"tip\" d=\"M0-4.5L{} 0L0 4.5\"/></svg>", percent,
                     right ? 6 : -6);
}

std::string mark(const Axis& axis, const Estimate& size) {
  if (!drawable(size.value)) return "";
  const double low = std::clamp(std::isnan(size.low) ? size.value : size.low, axis.low, axis.high);
  const double high = std::clamp(std::isnan(size.high) ? size.value : size.high, axis.low, axis.high);
  std::string out = fmt::format("<line class=\"range\" x1=\"{:.2f}%\" x2=\"{:.2f}%\" y1=\"50%\" y2=\"50%\"/>",
                                axis.scale.pixel(low), axis.scale.pixel(high));
  if (size.low < axis.low) out += arrow(axis.scale.pixel(low), false);
  if (size.high > axis.high) out += arrow(axis.scale.pixel(high), true);
  return out + fmt::format("<circle class=\"dot\" cx=\"{:.2f}%\" cy=\"50%\" r=\"{}\"/>",
                           axis.scale.pixel(std::clamp(size.value, axis.low, axis.high)), kDot);
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

std::string short_effect(const Axis& axis, const Estimate& size) {
  switch (axis.unit) {
    case Unit::sum:
      return signed_number(size.value);
    case Unit::percent:
      return fmt::format("{}\u202F%", signed_number(100 * std::expm1(size.value)));
    case Unit::factor:
      return fmt::format("×{}", number(std::exp(size.value), 3));
  }
  return "";
}

const char* tone(const Estimate& size) {
  if (!is_clear(size)) return "vague";
  return size.value > 0 ? "up" : "down";
}

std::string plot_row(const Model& model, std::size_t part, std::size_t feature, const Axis& axis) {
  const Effect effect = effect_of(model, part, feature);
  return fmt::format(
      "<li class=\"{}\"><span class=\"name\">{}</span><div><svg role=\"img\"><title>{}</title><rect width=\"100%\" "
      "height=\"100%\" fill=\"transparent\"/>{}{}</svg></div><span class=\"size\">{}</span></li>\n",
      tone(effect.size), feature_html(model.features[feature]),
      row_title(model, model.features[feature], model.parts[part].coefficients[feature], effect.size), grid(axis),
      mark(axis, effect.size), short_effect(axis, effect.size));
}

std::string plot_axis(const Axis& axis) {
  constexpr std::size_t kMostBytes = 40;  // of all labels side by side
  std::size_t bytes = 0;
  for (const Tick& tick : axis.ticks) bytes += tick.label.size();
  std::string labels;
  for (const Tick& tick : axis.ticks)
    if (!tick.minor || bytes <= kMostBytes)
      labels += fmt::format("<text class=\"{}\" x=\"{:.2f}%\" y=\"15\">{}</text>", tick.minor ? "tick minor" : "tick",
                            axis.scale.pixel(tick.at), tick.label);
  return fmt::format(
      "<li class=\"axis\" aria-hidden=\"true\"><span></span><div><svg>{}</svg></div><span></span></li>\n", labels);
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
  const bool is_number = f.kind == FeatureKind::number;
  const Estimate size = is_number ? effect_of(model, part, feature).size : model.parts[part].coefficients[feature];
  std::string second = "is missing in the second";
  if (is_number)
    second = fmt::format("is one typical spread ({}) higher in the second", number(f.scale, 3));
  else if (f.kind == FeatureKind::level)
    second = fmt::format("is {} in the second and another level in the first", name_html(f.level));
  return fmt::format(
      "<p>For example, take two rows that are alike in all but <em>{}</em>, which {}. For the second the model "
      "{}.</p>\n",
      name_html(f.column), second, change_in_words(size, words_of(model, part), model.confidence));
}

std::string explanation(const Model& model, const std::vector<std::size_t>& shown) {
  std::string out = fmt::format(
      "<p>Each dot is what changes when a feature grows by one <em>typical spread</em>, roughly how far rows lie from "
      "the middle, while the others stay as they are. The line through it is the range that holds, in {} of cases, the "
      "value this method would find in endless data, counting both chance in the data and the noise added for privacy; "
      "that the largest values count less, which keeps them from deciding everything, is not in the range. A line that "
      "crosses zero leaves "
      "open which way the feature works. These are associations: they do not say what would happen if somebody changed "
      "a feature.</p>\n",
      percent(model.confidence, 3));
  for (const std::size_t j : shown) {
    if (model.features[j].kind == FeatureKind::beyond) continue;  // it never changes alone: its column does
    for (std::size_t part = 0; part < model.parts.size(); ++part)
      if (j < features_of(model, part) && is_clear(model.parts[part].coefficients[j]))
        return out + example(model, part, j);
  }
  return out;
}

std::string constant_text(const Model& model) {
  std::string out =
      "<p>The model is a constant: it gives every row the same answer and no feature plays a part.</p>\n<ul>";
  for (std::size_t part = 0; part < model.parts.size(); ++part) {
    const Estimate& e = model.parts[part].intercept;
    const Words words = words_of(model, part);
    const auto shown = [&](double margin) { return words.multiplies ? std::exp(margin) : margin; };
    const double chance = 1 / (1 + std::exp(-e.value));
    out += fmt::format("<li>{}: {} ({} interval {}){}</li>", words.quantity, number(shown(e.value), 3),
                       percent(model.confidence, 3), interval_text(shown(e.low), shown(e.high), 3),
                       std::holds_alternative<LogisticLoss>(model.loss)
                           ? fmt::format(", that is a chance of {}", percent(chance, 3))
                           : "");
  }
  return out + "</ul>\n";
}

std::string panels(const Model& model, const std::vector<std::size_t>& shown, const Axis& axis) {
  std::string out = legend() + "<div>";
  for (std::size_t part = 0; part < model.parts.size(); ++part) {
    if (part == kPanelsInSight)
      out += fmt::format("</div><details><summary>{} more classes</summary><div>", model.parts.size() - kPanelsInSight);
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
