#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/report/effects.hpp"
#include "tailcoat/report/text.hpp"
#include "tailcoat/report/words.hpp"

namespace tailcoat::report {
namespace {

std::string number_treatment(const Feature& feature) {
  std::string cut = "as it is";
  if (std::isfinite(feature.low) && std::isfinite(feature.high))
    cut = fmt::format("cut at {} and {}", number(feature.low), number(feature.high));
  else if (std::isfinite(feature.low))
    cut = fmt::format("cut at {} from below", number(feature.low));
  else if (std::isfinite(feature.high))
    cut = fmt::format("cut at {} from above", number(feature.high));
  return fmt::format("{}; {} if missing", cut, number(feature.centre));
}

std::string treatment(const Feature& feature) {
  switch (feature.kind) {
    case FeatureKind::number:
      return number_treatment(feature);
    case FeatureKind::beyond:
      return fmt::format("how far outside {}, negative below; {}", interval_text(feature.knot_low, feature.knot_high),
                         number_treatment(feature));
    case FeatureKind::level:
      return fmt::format("1 if {}, 0 if another known level; {} if missing or unknown", name_html(feature.level, 40),
                         number(feature.centre));
    case FeatureKind::missing:
      return "1 if the cell is missing, else 0";
  }
  return "";
}

std::string estimate_cells(const Estimate& estimate) {
  return fmt::format("<td>{}</td><td>{}</td><td>{}</td>", number(estimate.value), number(estimate.standard_error, 3),
                     interval_text(estimate.low, estimate.high));
}

std::string row(const Feature& feature, const Estimate& coefficient) {
  return fmt::format("<tr{}><th scope=\"row\">{}</th>{}<td>{}</td><td class=\"text\">{}</td></tr>\n",
                     is_clear(coefficient) ? "" : " class=\"vague\"", feature_html(feature),
                     estimate_cells(coefficient), number(feature.scale, 3), treatment(feature));
}

}  // namespace

std::string effect_table(const Model& model, std::size_t part, const std::vector<std::size_t>& order) {
  const Words words = words_of(model, part);
  const std::size_t listed = std::min(order.size(), kMostListed);
  std::string out = fmt::format(
      "<details class=\"printed\"><summary>All {} in the units of the file{}</summary>\n<div class=\"wide\" "
      "role=\"region\" aria-label=\"Table of coefficients\" tabindex=\"0\"><table>\n<thead><tr><th "
      "scope=\"col\">Feature</th><th scope=\"col\">Coefficient</th><th scope=\"col\">Standard error</th><th "
      "scope=\"col\">{} interval</th><th scope=\"col\">Typical spread</th><th scope=\"col\" class=\"text\">How its "
      "cells are read</th></tr></thead>\n<tbody>\n",
      counted(order.size(), "coefficient"), model.parts.size() > 1 ? fmt::format(": {}", words.quantity) : "",
      percent(model.confidence, 3));
  out += fmt::format("<tr><th scope=\"row\">intercept</th>{}<td></td><td class=\"text\">all features at 0</td></tr>\n",
                     estimate_cells(model.parts[part].intercept));
  for (std::size_t i = 0; i < listed; ++i)
    if (order[i] < features_of(model, part))
      out += row(model.features[order[i]], model.parts[part].coefficients[order[i]]);
  out += "</tbody></table></div>\n";
  if (words.multiplies)
    out += fmt::format("<p class=\"small\">Coefficients add to the logarithm of the {}.</p>\n", words.quantity);
  if (listed < order.size())
    out += fmt::format("<p class=\"small\">The {} strongest are listed; the model file has all {}.</p>\n",
                       count(listed), count(order.size()));
  return out + "</details>\n";
}

}  // namespace tailcoat::report
