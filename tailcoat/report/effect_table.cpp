#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

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

std::string level_treatment(const Feature& feature, const Model& model) {
  const bool has_other = std::ranges::any_of(model.features, [&](const Feature& other) {
    return other.kind == FeatureKind::other && other.column == feature.column;
  });
  if (has_other) return fmt::format("1 if {}, else 0", level_html(feature));
  return fmt::format("1 if {}, 0 if another known level; {} if missing or unknown", level_html(feature),
                     number(feature.centre));
}

std::string treatment(const Feature& feature, const Model& model) {
  switch (feature.kind) {
    case FeatureKind::number:
    case FeatureKind::below:
    case FeatureKind::above:
      return number_treatment(feature);
    case FeatureKind::beyond:
      return fmt::format("how far beyond {}{}; {}", knots_text(feature),
                         has_both_ends(feature) ? ", negative below" : "", number_treatment(feature));
    case FeatureKind::level:
      return level_treatment(feature, model);
    case FeatureKind::other:
      return "1 if the cell is missing or holds another text than the levels, else 0";
    case FeatureKind::nonzero:
      return fmt::format("1 if the cell is not 0, else 0; {} if missing", number(feature.centre));
    case FeatureKind::missing:
      return "1 if the cell is missing, else 0";
  }
  return "";
}

const char* mark(Role role) {
  switch (role) {
    case Role::fitted:
      return "";
    case Role::reference:
      return "reference";
    case Role::faint:
      return "left out: too faint to tell";
    case Role::unused:
      return "not used";
  }
  return "";
}

// A theorem gives no errors: then there are no columns for them.
std::string estimate_cells(const Estimate& estimate, bool errors) {
  if (!errors) return fmt::format("<td>{}</td>", number(estimate.value));
  return fmt::format("<td>{}</td><td>{}</td><td>{}</td>", number(estimate.value), number(estimate.standard_error, 3),
                     interval_text(estimate.low, estimate.high));
}

std::string marked_cells(Role role, bool errors) {
  return fmt::format("<td colspan=\"{}\">{}</td>", errors ? 3 : 1, mark(role));
}

// A feature of the model may be left out of some of its parts.
Role role_in_part(const Feature& feature, const Estimate& coefficient, Role role) {
  if (role != Role::fitted || !is_left_out(coefficient)) return role;
  return feature.kind == FeatureKind::beyond ? Role::faint : Role::unused;
}

std::string row(const Model& model, std::size_t part, std::size_t j, Role role_in_model, bool errors) {
  const Feature& feature = model.features[j];
  const Estimate& coefficient = model.parts[part].coefficients[j];
  const Role role = role_in_part(feature, coefficient, role_in_model);
  const bool quiet = role != Role::fitted || (errors && !is_clear(coefficient));
  return fmt::format("<tr{}><th scope=\"row\">{}</th>{}<td>{}</td><td class=\"text\">{}</td></tr>\n",
                     quiet ? " class=\"vague\"" : "", feature_html(feature),
                     role == Role::fitted ? estimate_cells(coefficient, errors) : marked_cells(role, errors),
                     number(feature.scale, 3), treatment(feature, model));
}

std::string header(const Model& model, bool errors) {
  return fmt::format(
      "<thead><tr><th scope=\"col\">Feature</th><th scope=\"col\">Coefficient</th>{}<th scope=\"col\">{}</th><th "
      "scope=\"col\" class=\"text\">How its cells are read</th></tr></thead>\n",
      errors ? fmt::format("<th scope=\"col\">Standard error</th><th scope=\"col\">{} interval</th>",
                           percent(model.confidence, 3))
             : "",
      errors ? "Typical spread" : "Unit of the fit");
}

// Items of a list in a sentence; of many the first.
std::string listed(const std::vector<std::string>& items, const char* separator) {
  std::string out;
  for (std::size_t i = 0; i < std::min(items.size(), kMostNamed); ++i) out += (i == 0 ? "" : separator) + items[i];
  if (items.size() > kMostNamed) out += fmt::format("{}and {} more", separator, count(items.size() - kMostNamed));
  return out;
}

}  // namespace

std::string left_out_text(const Model& model) {
  const std::vector<Role> roles = roles_of(model);
  std::set<std::string> compared;  // columns with a level that is fitted
  for (std::size_t j = 0; j < roles.size(); ++j)
    if (roles[j] == Role::fitted && is_of_text(model.features[j].kind)) compared.insert(model.features[j].column);
  std::vector<std::string> references, faint;
  for (std::size_t j = 0; j < roles.size(); ++j) {
    const Feature& feature = model.features[j];
    if (roles[j] == Role::reference && compared.contains(feature.column))
      references.push_back(fmt::format("{}: compared with {}", name_html(feature.column, 40), level_html(feature)));
    if (roles[j] == Role::faint) faint.push_back(feature_html(feature));
  }
  if (references.empty() && faint.empty()) return "";
  std::string out;
  if (!references.empty()) out = listed(references, "; ") + ". ";
  if (!faint.empty()) out += fmt::format("Left out, too faint to tell: {}.", listed(faint, ", "));
  return fmt::format("<p class=\"small\">{}</p>\n", out);
}

std::string effect_table(const Fit& fit, std::size_t part, const std::vector<std::size_t>& order) {
  const Model& model = fit.model;
  const Words words = words_of(model, part);
  const std::vector<Role> roles = roles_of(model);
  const bool errors = !fit.certified;
  const auto fitted = static_cast<std::size_t>(std::ranges::count(roles, Role::fitted));
  const std::size_t listed = std::min(order.size(), kMostListed);
  std::string out = fmt::format(
      "<details class=\"printed\"><summary>All {} in the units of the file{}</summary>\n<div class=\"wide\" "
      "role=\"region\" aria-label=\"Table of coefficients\" tabindex=\"0\"><table>\n{}<tbody>\n",
      counted(fitted > 0 ? fitted : order.size(), "coefficient"),
      model.parts.size() > 1 ? fmt::format(": {}", words.quantity) : "", header(model, errors));
  out += fmt::format("<tr><th scope=\"row\">intercept</th>{}<td></td><td class=\"text\">all features at 0</td></tr>\n",
                     estimate_cells(model.parts[part].intercept, errors));
  for (std::size_t i = 0; i < listed; ++i)
    if (order[i] < features_of(model, part)) out += row(model, part, order[i], roles[order[i]], errors);
  out += "</tbody></table></div>\n";
  if (words.multiplies)
    out += fmt::format("<p class=\"small\">Coefficients add to the logarithm of the {}.</p>\n", words.quantity);
  if (listed < order.size())
    out += fmt::format("<p class=\"small\">The {} strongest are listed; the model file has all {}.</p>\n",
                       count(listed), count(order.size()));
  return out + "</details>\n";
}

}  // namespace tailcoat::report
