#include "tailcoat/report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "tailcoat/report/text.hpp"

namespace tailcoat::report {
namespace {

std::string class_html(const Model& model, std::size_t part) {
  const std::size_t index = model.parts.size() > 1 ? part : 1;
  return index < model.classes.size() ? name_html(model.classes[index], 40) : "the positive class";
}

struct Describe {
  const Model& model;
  std::size_t part;
  std::string target = name_html(model.target, 40);

  [[nodiscard]] Words number(const std::string& what) const { return {what, "predicted " + target, false}; }
  [[nodiscard]] std::string which_class() const {
    return fmt::format("which of {} classes <em>{}</em> belongs to", model.parts.size(), target);
  }

  Words operator()(const SquaredLoss&) const { return number("the average of <em>" + target + "</em>"); }
  Words operator()(const LinearLoss&) const { return number("<em>" + target + "</em>"); }
  Words operator()(const AbsoluteLoss&) const { return number("the median of <em>" + target + "</em>"); }
  Words operator()(const HuberLoss&) const {
    return number("the typical <em>" + target + "</em> (an average that extreme values sway little)");
  }
  Words operator()(const QuantileLoss& loss) const {
    return number(fmt::format("the <em>{}</em> that {} of cases stay below", target, percent(loss.level, 3)));
  }
  Words operator()(const PoissonLoss&) const {
    const std::string per = model.exposure.empty() ? "" : fmt::format(" per unit of {}", name_html(model.exposure, 40));
    return {fmt::format("the expected number of <em>{}</em>{}", target, per), "expected " + target, true};
  }
  Words operator()(const LogisticLoss&) const {
    const std::string name = class_html(model, part);
    if (model.parts.size() > 1) return {which_class(), "odds of " + name + " against the rest", true};
    return {fmt::format("the probability that <em>{}</em> is {}", target, name), "odds of " + name, true};
  }
  template <class Hinge>
  Words operator()(const Hinge&) const {
    const std::string name = class_html(model, part);
    if (model.parts.size() > 1) return {which_class(), "score for " + name, false};
    return {fmt::format("whether <em>{}</em> is {}", target, name), "score for " + name, false};
  }
};

Estimate scaled(const Estimate& estimate, double scale) {
  return {estimate.value * scale, estimate.standard_error * scale, estimate.low * scale, estimate.high * scale};
}

double magnitude(double value) { return std::isnan(value) ? 0 : std::abs(value); }

double strongest(const Model& model, std::size_t feature) {
  double most = 0;
  for (std::size_t part = 0; part < model.parts.size(); ++part)
    if (feature < features_of(model, part))
      most = std::max(most, magnitude(effect_of(model, part, feature).size.value));
  return most;
}

}  // namespace

Words words_of(const Model& model, std::size_t part) { return std::visit(Describe{model, part}, model.loss); }

std::size_t features_of(const Model& model, std::size_t part) {
  return part < model.parts.size() ? std::min(model.features.size(), model.parts[part].coefficients.size()) : 0;
}

std::vector<Role> roles_of(const Model& model) {
  std::vector<Role> roles(model.features.size(), Role::unused);
  for (std::size_t j = 0; j < roles.size(); ++j)
    if (is_fitted(model, j)) roles[j] = Role::fitted;
  if (std::ranges::find(roles, Role::fitted) == roles.end()) return roles;  // a constant compares nothing
  for (std::size_t j = 0; j < roles.size(); ++j) {
    if (roles[j] == Role::fitted) continue;
    if (is_of_text(model.features[j].kind)) roles[j] = Role::reference;
    if (model.features[j].kind == FeatureKind::beyond) roles[j] = Role::faint;
  }
  return roles;
}

bool is_clear(const Estimate& estimate) { return estimate.low > 0 || estimate.high < 0; }

std::vector<std::size_t> strongest_first(const Model& model) {
  std::vector<double> sizes(model.features.size());
  for (std::size_t j = 0; j < sizes.size(); ++j) sizes[j] = strongest(model, j);
  for (std::size_t j = 1; j < sizes.size(); ++j)  // the slopes of a column that bends stay together
    if (model.features[j].kind == FeatureKind::above) sizes[j] = sizes[j - 1] = std::max(sizes[j - 1], sizes[j]);
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  return order;
}

bool is_indicator(const Feature& feature) {
  return is_of_text(feature.kind) || feature.kind == FeatureKind::nonzero || feature.kind == FeatureKind::missing;
}

Effect effect_of(const Model& model, std::size_t part, std::size_t feature) {
  const Feature& of = model.features[feature];
  return {feature, scaled(model.parts[part].coefficients[feature], is_indicator(of) ? 1 : of.scale)};
}

std::string interval_text(double low, double high, int digits) {
  return number(low, digits) + " to " + number(high, digits);
}

std::string change_in_words(const Estimate& size, const Words& words, double confidence) {
  const auto sure = [&](double low, double high) {
    const bool known = std::isfinite(size.low) && std::isfinite(size.high);
    return known ? fmt::format(" ({} interval {})", percent(confidence, 3), interval_text(low, high, 3)) : "";
  };
  if (words.multiplies)
    return fmt::format("multiplies the {} by {}{}", words.quantity, number(std::exp(size.value), 3),
                       sure(std::exp(size.low), std::exp(size.high)));
  const bool up = size.value >= 0;
  return fmt::format("{} the {} by {}{}", up ? "raises" : "lowers", words.quantity, number(std::abs(size.value), 3),
                     up ? sure(size.low, size.high) : sure(-size.high, -size.low));
}

std::string knots_text(const Feature& tail) {
  return has_both_ends(tail) ? interval_text(tail.knot_low, tail.knot_high) : number(only_end(tail));
}

std::string level_html(const Feature& feature) {
  return feature.kind == FeatureKind::other ? "another text, or none," : name_html(feature.level, 40);
}

std::string feature_html(const Feature& feature) {
  switch (feature.kind) {
    case FeatureKind::number:
      return name_html(feature.column);
    case FeatureKind::below:
      return fmt::format("{} below {}", name_html(feature.column, 40), number(feature.high));
    case FeatureKind::above:
      return fmt::format("{} above {}", name_html(feature.column, 40), number(feature.low));
    case FeatureKind::beyond:
      return fmt::format("{} beyond {}", name_html(feature.column, 40), knots_text(feature));
    case FeatureKind::level:
      return fmt::format("{} = {}", name_html(feature.column, 40), level_html(feature));
    case FeatureKind::other:
      return fmt::format("{} is other", name_html(feature.column));
    case FeatureKind::nonzero:
      return fmt::format("{} is not 0", name_html(feature.column));
    case FeatureKind::missing:
      return fmt::format("{} is missing", name_html(feature.column));
  }
  return "";
}

}  // namespace tailcoat::report
