#include "tailcoat/report/effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tailcoat/report/effect_axis.hpp"
#include "tailcoat/report/text.hpp"
#include "tailcoat/report/words.hpp"

namespace tailcoat::report {
namespace {

constexpr double kDot = 4.5;

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

std::string dot(const Axis& axis, double value) {
  return fmt::format("<circle class=\"dot\" cx=\"{:.2f}%\" cy=\"50%\" r=\"{}\"/>",
                     axis.scale.pixel(std::clamp(value, axis.low, axis.high)), kDot);
}

std::string interval(const Axis& axis, const Estimate& size) {
  const double low = std::clamp(std::isnan(size.low) ? size.value : size.low, axis.low, axis.high);
  const double high = std::clamp(std::isnan(size.high) ? size.value : size.high, axis.low, axis.high);
  std::string out = fmt::format("<line class=\"range\" x1=\"{:.2f}%\" x2=\"{:.2f}%\" y1=\"50%\" y2=\"50%\"/>",
                                axis.scale.pixel(low), axis.scale.pixel(high));
  if (size.low < axis.low) out += arrow(axis.scale.pixel(low), false);
  if (size.high > axis.high) out += arrow(axis.scale.pixel(high), true);
  return out;
}

// By which features grow in the picture. A theorem looks up no spread.
const char* step_of(const Fit& fit) { return fit.certified ? "unit of the fit" : "typical spread"; }

// What the eye cannot read off, for the pointer and for screen readers.
std::string row_title(const Fit& fit, const Feature& feature, const Estimate& coefficient, const Estimate& effect) {
  constexpr int kDigits = 10;
  if (is_left_out(coefficient)) return fmt::format("{}: left out", shortened(feature_name(feature), 200));
  const std::string step = is_indicator(feature)
                               ? std::string()
                               : fmt::format(" of one {} ({})", step_of(fit), number(feature.scale, kDigits));
  const std::string start =
      fmt::format("{}: effect{} {}", shortened(feature_name(feature), 200), step, signed_number(effect.value, kDigits));
  if (fit.certified) return fmt::format("{}. Coefficient {}.", start, number(coefficient.value, kDigits));
  return fmt::format("{}, {} interval {}. Coefficient {}, standard error {}, interval {}.", start,
                     percent(fit.model.confidence, 3), interval_text(effect.low, effect.high, kDigits),
                     number(coefficient.value, kDigits), number(coefficient.standard_error, kDigits),
                     interval_text(coefficient.low, coefficient.high, kDigits));
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

// A class whose slopes were no better than none; other classes have some.
bool is_constant(const Model& model, std::size_t part) {
  return model.parts.size() > 1 && std::ranges::none_of(model.parts[part].coefficients, [](const Estimate& e) {
           return !is_left_out(e) && (e.value != 0 || e.standard_error != 0);
         });
}

const char* tone(const Fit& fit, const Estimate& size) {
  if (fit.certified) return "plain";
  if (!is_clear(size)) return "vague";
  return size.value > 0 ? "up" : "down";
}

std::string plot_row(const Fit& fit, std::size_t part, std::size_t feature, const Axis& axis) {
  const Model& model = fit.model;
  const Estimate size = effect_of(model, part, feature).size;
  const bool absent = is_left_out(model.parts[part].coefficients[feature]);
  const bool constant = is_constant(model, part);
  std::string marks = constant ? dot(axis, 0) : "";
  if (drawable(size.value) && !absent) marks = (fit.certified ? "" : interval(axis, size)) + dot(axis, size.value);
  return fmt::format(
      "<li class=\"{}\"><span class=\"name\">{}</span><div><svg role=\"img\"><title>{}</title><rect width=\"100%\" "
      "height=\"100%\" fill=\"transparent\"/>{}{}</svg></div><span class=\"size\">{}</span></li>\n",
      tone(fit, size), feature_html(model.features[feature]),
      row_title(fit, model.features[feature], model.parts[part].coefficients[feature], size), grid(axis), marks,
      constant ? "constant"
      : absent ? "left out"
               : short_effect(axis, size));
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

bool has_indicators(const Model& model) { return std::ranges::any_of(model.features, is_indicator); }

std::string panel(const Fit& fit, std::size_t part, const std::vector<std::size_t>& shown, const Axis& axis) {
  const Words words = words_of(fit.model, part);
  std::string out = fmt::format("<figure class=\"effects\"><figcaption>Change in the {}, per {}{}</figcaption><ol>\n",
                                words.quantity, step_of(fit), has_indicators(fit.model) ? ", or for having it" : "");
  for (const std::size_t j : shown)
    if (j < features_of(fit.model, part)) out += plot_row(fit, part, j, axis);
  return out + plot_axis(axis) + "</ol></figure>\n";
}

std::string legend(const Model& model) {
  const auto sample = [](const char* tone, const char* text, bool line = true) {
    return fmt::format(
        "<li class=\"{}\"><svg width=\"34\" height=\"14\" aria-hidden=\"true\">{}<circle class=\"dot\" cx=\"17\" "
        "cy=\"7\" r=\"{}\"/></svg>{}</li>",
        tone, line ? "<line class=\"range\" x1=\"2\" x2=\"32\" y1=\"7\" y2=\"7\"/>" : "", kDot, text);
  };
  bool constants = false;
  for (std::size_t part = 0; part < model.parts.size(); ++part) constants = constants || is_constant(model, part);
  return fmt::format(
      "<ul class=\"legend\">{}{}{}{}</ul>\n", sample("up", "clearly raises"), sample("down", "clearly lowers"),
      sample("vague", "could be zero"),
      constants ? sample("vague", "constant: for this class no feature told more than its average chance", false) : "");
}

// The level that the feature's is compared with, if that is known.
std::string other_level(const Model& model, const Feature& feature) {
  const std::vector<Role> roles = roles_of(model);
  for (std::size_t j = 0; j < roles.size(); ++j)
    if (roles[j] == Role::reference && model.features[j].column == feature.column) return level_html(model.features[j]);
  return "another level";
}

// Of a slope that is one of two.
std::string where(const Feature& feature) {
  if (feature.kind == FeatureKind::below) return fmt::format(", and below {} in both", number(feature.high));
  if (feature.kind == FeatureKind::above) return fmt::format(", and above {} in both", number(feature.low));
  return "";
}

std::string curve_text(const Model& model) {
  const Curve curve = curve_of(model);
  if (curve.is_straight()) return "";
  const bool powers = words_of(model, 0).multiplies;
  return fmt::format(
      "<p>What features change was seen to {} with the prediction, so the model has a curve, and these are averages: "
      "where {} is below {}, {} {}, and where it is above, {} {}.</p>\n",
      curve.above > 1 ? "grow" : "shrink", model.exposure.empty() ? "its prediction" : "the rate per unit of exposure",
      number(response(model, curve.knot)), powers ? "factors are taken to the power of" : "changes count times",
      number(curve.below, 3), powers ? "of" : "times", number(curve.above, 3));
}

// What the average effect is on either side of the knot.
std::string on_both_sides(const Model& model, double effect) {
  const Curve curve = curve_of(model);
  if (curve.is_straight()) return "";
  const auto shown = [&](double slope) {
    return words_of(model, 0).multiplies ? "×" + number(std::exp(slope * effect), 3) : signed_number(slope * effect);
  };
  return fmt::format(" That is on average: {} where the prediction is small and {} where it is large.",
                     shown(curve.below), shown(curve.above));
}

// The strongest effect that is clear, told as a comparison of two rows.
std::string example(const Fit& fit, std::size_t part, std::size_t feature) {
  const Model& model = fit.model;
  const Feature& f = model.features[feature];
  const bool is_number = is_slope(f.kind);
  const Estimate size = effect_of(model, part, feature).size;
  std::string second = "is missing in the second";
  if (is_number)
    second = fmt::format("is one {} ({}) higher in the second{}", step_of(fit), number(f.scale, 3), where(f));
  else if (is_of_text(f.kind))
    second = fmt::format("is {} in the second and {} in the first", level_html(f), other_level(model, f));
  return fmt::format(
      "<p>For example, take two rows that are alike in all but <em>{}</em>, which {}. For the second the model "
      "{}.{}</p>\n",
      name_html(f.column), second, change_in_words(size, words_of(model, part), model.confidence),
      on_both_sides(model, size.value));
}

std::string explanation(const Fit& fit) {
  const std::string start = "<p>Each dot is what changes when a feature grows by one ";
  const std::string end =
      "These are associations: they do not say what would happen if somebody changed a feature.</p>\n";
  if (fit.certified)
    return start +
           "<em>unit of the fit</em> while the others stay as they are: by the spread that its bounds or its scale "
           "give, "
           "or by 1 where nothing was given. No line goes through a dot, because nothing is known of how far a single "
           "one is off; the fit comes with a bound on the error of its predictions instead (see below). " +
           end;
  return start +
         fmt::format(
             "<em>typical spread</em>, roughly how far rows lie from the middle, while the others stay as they are{}. "
             "The line through it is the range that holds, in {} of cases, the value this method would find in endless "
             "data, counting both chance in the data and the noise added for privacy; that the largest values count "
             "less, which keeps them from deciding everything, is not in the range. A line that crosses zero leaves "
             "open which way the feature works. ",
             has_indicators(fit.model) ? "; of what a row has or has not, such as a text, what having it changes" : "",
             percent(fit.model.confidence, 3)) +
         end;
}

// What two slopes of one column are, by the first that has them.
std::string bends_text(const Model& model) {
  const auto below = std::ranges::find(model.features, FeatureKind::below, &Feature::kind);
  if (below == model.features.end()) return "";
  const std::string name = name_html(below->column), knot = number(below->high);
  return fmt::format(
      "<p>Some columns bend: they have one slope below the middle of the column and another above it. “{0} below {1}” "
      "is "
      "what happens when {0} grows by one typical spread where it is below {1}, “{0} above {1}” the same where it is "
      "above. "
      "Neither compares rows on one side with rows on the other. Which columns bend was read off noisy numbers: "
      "another "
      "fit may choose others, and ranges take the choice as given.</p>\n",
      name, knot);
}

// Whether another feature tells where the column is 0.
bool has_zeros(const Model& model, std::size_t feature) {
  return std::ranges::any_of(model.features, [&](const Feature& other) {
    return other.kind == FeatureKind::nonzero && other.column == model.features[feature].column;
  });
}

std::string example_of(const Fit& fit, const std::vector<std::size_t>& shown) {
  const Model& model = fit.model;
  for (const std::size_t j : shown) {
    const FeatureKind kind = model.features[j].kind;
    // They never change alone: their column does. Nor does a number that may become 0.
    if (kind == FeatureKind::beyond || kind == FeatureKind::nonzero || has_zeros(model, j)) continue;
    for (std::size_t part = 0; part < model.parts.size(); ++part)
      if (j < features_of(model, part) && (fit.certified || is_clear(model.parts[part].coefficients[j])))
        return example(fit, part, j);
  }
  return "";
}

std::string constant_text(const Model& model) {
  if (!model.parts.empty() && std::isinf(model.parts[0].intercept.standard_error))
    return "<p>Nothing of the target could be seen at this budget. The model gives every row the same number, 0 before "
           "it "
           "is made a rate or a chance, which stands for an estimate and is none.</p>\n";
  std::string out =
      "<p>The model is a constant: it gives every row the same answer and no feature plays a part.</p>\n<ul>";
  for (std::size_t part = 0; part < model.parts.size(); ++part) {
    const Estimate& e = model.parts[part].intercept;
    const Words words = words_of(model, part);
    const auto shown = [&](double margin) { return words.multiplies ? std::exp(margin) : margin; };
    const double chance = 1 / (1 + std::exp(-e.value));
    const std::string range = std::isfinite(e.low) && std::isfinite(e.high)
                                  ? fmt::format(" ({} interval {})", percent(model.confidence, 3),
                                                interval_text(shown(e.low), shown(e.high), 3))
                                  : "";
    out += fmt::format("<li>{}: {}{}{}</li>", words.quantity, number(shown(e.value), 3), range,
                       std::holds_alternative<LogisticLoss>(model.loss)
                           ? fmt::format(", that is a chance of {}", percent(chance, 3))
                           : "");
  }
  return out + "</ul>\n";
}

std::string panels(const Fit& fit, const std::vector<std::size_t>& shown) {
  const std::size_t parts = fit.model.parts.size();
  const Axis axis = axis_of(fit.model, shown, !fit.certified);
  std::string out = (fit.certified ? "" : legend(fit.model)) + "<div>";
  for (std::size_t part = 0; part < parts; ++part) {
    if (part == kPanelsInSight)
      out += fmt::format("</div><details><summary>{} more classes</summary><div>", parts - kPanelsInSight);
    out += panel(fit, part, shown, axis);
  }
  return out + (parts > kPanelsInSight ? "</div></details>\n" : "</div>\n");
}

// The strongest first, without those that have no part in the model.
std::vector<std::size_t> fitted_of(const Model& model, const std::vector<std::size_t>& order) {
  const std::vector<Role> roles = roles_of(model);
  std::vector<std::size_t> fitted;
  std::ranges::copy_if(order, std::back_inserter(fitted), [&](std::size_t j) { return roles[j] == Role::fitted; });
  return fitted;
}

std::string picture(const Fit& fit, const std::vector<std::size_t>& fitted) {
  const std::vector<std::size_t> shown(
      fitted.begin(), fitted.begin() + static_cast<std::ptrdiff_t>(std::min(fitted.size(), kMostDrawn)));
  std::string out = explanation(fit) + curve_text(fit.model) + bends_text(fit.model) + example_of(fit, shown) +
                    panels(fit, shown) + left_out_text(fit.model);
  if (fitted.size() > kMostDrawn)
    out += fmt::format("<p class=\"small\">Drawn are the {} strongest of {} features; the table has the rest.</p>\n",
                       kMostDrawn, count(fitted.size()));
  return out;
}

}  // namespace

std::string effects_section(const Fit& fit) {
  const std::vector<std::size_t> order = strongest_first(fit.model), fitted = fitted_of(fit.model, order);
  std::string out = "<section aria-labelledby=\"says\"><h2 id=\"says\">What the model says</h2>\n";
  out += fit.constant || fitted.empty() ? constant_text(fit.model) : picture(fit, fitted);
  for (std::size_t part = 0; part < fit.model.parts.size(); ++part) out += effect_table(fit, part, order);
  return out + "</section>\n";
}

}  // namespace tailcoat::report
