#include "fit_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "tailcoat/data/text.hpp"

namespace tailcoat::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "tailcoat-fit/1";
constexpr std::size_t kNameWidth = 36, kWidth = 100;  // of the first column, and of all of a table

// JSON has neither infinity nor NaN: null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json interval(const Estimate& estimate) { return {number(estimate.low), number(estimate.high)}; }

// The label of a part: its class where there is one per class.
std::string part_class(const Model& model, std::size_t part) {
  return model.parts.size() > 1 ? model.classes[part] : std::string();
}

Json estimate_json(const Estimate& estimate) {
  return {{"value", number(estimate.value)},
          {"standard_error", number(estimate.standard_error)},
          {"interval", interval(estimate)}};
}

struct PartJson {
  Json coefficients = Json::object(), intervals = Json::object(), estimates = Json::array();
};

PartJson part_json(const Model& model, std::size_t p) {
  PartJson json;
  const LinearPart& part = model.parts[p];
  json.intervals["intercept"] = interval(part.intercept);
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    const std::string name = feature_name(model.features[j]);
    json.coefficients[name] = number(part.coefficients[j].value);
    json.intervals[name] = interval(part.coefficients[j]);
    Json estimate{{"feature", name}};
    if (model.parts.size() > 1) estimate["class"] = model.classes[p];
    estimate.update(estimate_json(part.coefficients[j]));
    if (is_left_out(part.coefficients[j])) estimate["left_out"] = true;
    json.estimates.push_back(estimate);
  }
  return json;
}

void add_parts(Json& json, const Model& model) {
  for (const char* field : {"coefficients", "intercept", "intervals"}) json[field] = Json::object();
  json["estimates"] = Json::array();
  for (std::size_t p = 0; p < model.parts.size(); ++p) {
    PartJson part = part_json(model, p);
    const Json intercept = number(model.parts[p].intercept.value);
    const bool single = model.parts.size() == 1;
    (single ? json["coefficients"] : json["coefficients"][model.classes[p]]) = part.coefficients;
    (single ? json["intercept"] : json["intercept"][model.classes[p]]) = intercept;
    (single ? json["intervals"] : json["intervals"][model.classes[p]]) = part.intervals;
    for (Json& estimate : part.estimates) json["estimates"].push_back(estimate);
  }
  json["curve"] = nullptr;
  if (const Curve curve = curve_of(model); !curve.is_straight())
    json["curve"] = {{"knot", number(curve.knot)}, {"below", number(curve.below)}, {"above", number(curve.above)}};
}

Json diagnosis_json(const Diagnosis& diagnosis) {
  Json json{{"noise", number(diagnosis.noise)}, {"residuals", Json::array()}, {"calibration", Json::array()}};
  for (const Diagnosis::Bar& bar : diagnosis.residuals)
    json["residuals"].push_back({{"low", number(bar.low)}, {"high", number(bar.high)}, {"rows", number(bar.rows)}});
  for (const Diagnosis::Chance& chance : diagnosis.calibration) {
    json["calibration"].push_back({{"predicted", number(chance.predicted)},
                                   {"rows", number(chance.rows)},
                                   {"observed", number(chance.observed)},
                                   {"observed_error", number(chance.observed_error)}});
  }
  return json;
}

// Releases that differ by their step alone.
struct ReleaseGroup {
  std::string what, mechanism;
  bool of_block = false;  // of some rows: within the price of the line that opened disjoint blocks
  std::size_t count = 0, values = 0;
  double mu_squared = 0, epsilon = 0, delta = 0;
};

std::vector<ReleaseGroup> grouped(const Receipt& receipt) {
  std::vector<ReleaseGroup> groups;
  for (const ReceiptLine& line : receipt.lines) {
    const std::string what = line.release.what.substr(0, line.release.what.find(", step "));
    auto group = std::find_if(groups.begin(), groups.end(), [&](const ReleaseGroup& known) {
      return known.what == what && known.mechanism == line.release.mechanism && known.of_block == !line.block.empty();
    });
    if (group == groups.end()) group = groups.insert(groups.end(), {what, line.release.mechanism, !line.block.empty()});
    ++group->count;
    group->values += line.release.values;
    group->mu_squared += line.price.mu * line.price.mu;
    group->epsilon += line.price.epsilon;
    group->delta += line.price.delta;
  }
  return groups;
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// Columns of a terminal, one for each character of UTF-8.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

// How many bytes of the text its first so many characters have.
std::size_t bytes_within(const std::string& text, std::size_t columns) {
  std::size_t bytes = 0;
  for (; bytes < text.size(); ++bytes)
    if (begins_character(text[bytes]) && columns-- == 0) break;
  return bytes;
}

// Safe to print: control characters are not themselves. Of a very long text the begin alone.
std::string shown(const std::string& text) {
  constexpr std::size_t kMostShown = 500;
  const std::string quoted = in_quotes(text, kMostShown);
  return quoted.substr(1, quoted.rfind('\'') - 1);
}

// The first column of a line of a table. A name that does not fit has lines of its own above: the ends of names are
// what tells them apart.
std::string name_cell(const std::string& name, std::size_t indent = 0) {
  const std::string space(2 + indent, ' ');
  std::string rest = shown(name), above;
  if (columns_of(rest) + indent <= kNameWidth) return fmt::format("{}{:<{}}", space, rest, kNameWidth - indent);
  while (!rest.empty()) {
    const std::size_t bytes = bytes_within(rest, kWidth - space.size());
    above += space + rest.substr(0, bytes) + "\n";
    rest.erase(0, bytes);
  }
  return above + std::string(2 + kNameWidth, ' ');
}

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Without features because none were wanted.
bool is_mean(const Model& model) {
  return model.features.empty() &&
         std::ranges::none_of(model.notes, [](const std::string& note) { return note.starts_with("constant model"); });
}

std::string asked_text(const Model& model) {
  const Receipt& receipt = model.receipt;
  std::set<std::string> columns;
  for (std::size_t j = 0; j < model.features.size(); ++j)
    if (is_fitted(model, j)) columns.insert(model.features[j].column);
  const std::string what = is_mean(model)
                               ? fmt::format("mean of {}", in_quotes(model.target))
                               : fmt::format("{} loss for {}", loss_name(model.loss), in_quotes(model.target));
  std::string text =
      fmt::format("Asked    {}, epsilon {:g}, delta {:g}\n", what, receipt.budget.epsilon, receipt.budget.delta);
  text += fmt::format("Data     {}, {}\n", counted(model.rows, "row"),
                      columns.empty() ? "without features"
                                      : fmt::format("{} from {}", counted(fitted_features(model), "feature"),
                                                    counted(columns.size(), "column")));
  if (model.classes.size() == 2) {
    text += fmt::format("Classes  {} against {}: coefficients {} the first of these\n", in_quotes(model.classes[1]),
                        in_quotes(model.classes[0]),
                        std::holds_alternative<LogisticLoss>(model.loss) ? "are log odds of" : "speak for");
  }
  return text;
}

std::string done_text(const Fit& fit) {
  const Receipt& receipt = fit.model.receipt;
  std::string text = fmt::format("Done     {}, {:.4g} passes over the data\n", counted(receipt.lines.size(), "release"),
                                 fit.work.passes);
  if (std::isinf(fit.limits.privacy_noise))
    text += "Result   none: 0 stands for what could not be seen at this price\n";
  else if (fit.constant && !is_mean(fit.model))
    text += "Result   a constant: nothing better could be told from it at this price\n";
  if (!receipt.secure) text += "WARNING  the noise came from a seed: this result is not private\n";
  for (const std::string& note : fit.model.notes) text += fmt::format("Note     {}\n", shown(note));
  return text;
}

std::string estimate_line(const std::string& name, const Estimate& estimate, bool level = false) {
  const auto line = [&](const std::string& value) { return fmt::format("{}{:>14}\n", name_cell(name), value); };
  if (is_left_out(estimate)) return line("left out");
  if (level && estimate.value == 0 && estimate.standard_error == 0) return line("reference");
  if (std::isinf(estimate.standard_error)) return line(fmt::format("{:.6g}", estimate.value));
  return fmt::format("{}{:>14.6g}{:>14.3g}{:>14.6g}{:>14.6g}\n", name_cell(name), estimate.value,
                     estimate.standard_error, estimate.low, estimate.high);
}

std::string coefficients_text(const Fit& fit) {
  const Model& model = fit.model;
  std::string text;
  for (std::size_t p = 0; p < model.parts.size(); ++p) {
    const std::string of = part_class(model, p);
    const std::string which = of.empty() ? "" : fmt::format(" of {} against the rest", in_quotes(of));
    if (fit.certified) {  // a theorem gives no errors
      text += fmt::format("\nCoefficients{}\n", which);
    } else {
      text += fmt::format("\nCoefficients{}, with {:g} % intervals\n", which, 100 * model.confidence);
      text += fmt::format("  {:<{}}{:>14}{:>14}{:>14}{:>14}\n", "", kNameWidth, "value", "std. error", "from", "to");
    }
    text += estimate_line("(intercept)", model.parts[p].intercept);
    for (std::size_t j = 0; j < model.features.size(); ++j)
      text += estimate_line(feature_name(model.features[j]), model.parts[p].coefficients[j],
                            is_of_text(model.features[j].kind));
  }
  if (const Curve curve = curve_of(model); !curve.is_straight())
    text += fmt::format(
        "  These are averages: the model has a curve, as effects were seen to {} with the prediction.\n"
        "  Coefficients count {:.3g} times where the {} is below {:.4g}, and\n"
        "  {:.3g} times where it is above. To have none use --straight.\n",
        curve.above > 1 ? "grow" : "shrink", curve.below,
        model.exposure.empty() ? "prediction" : "rate per unit of exposure", response(model, curve.knot), curve.above);
  const auto has = [&](FeatureKind kind) {
    return std::ranges::find(model.features, kind, &Feature::kind) != model.features.end();
  };
  if (has(FeatureKind::below))
    text +=
        "  \"x below c\" and \"x above c\" are the slopes of x on either side of c, the middle of its column:\n"
        "  they were seen to differ. In a prediction they count times min(x, c) and max(x, c).\n"
        "  To have one slope each use --straight.\n";
  if (has(FeatureKind::beyond))
    text +=
        "  \"x beyond a\", or \"a to b\", is the slope of x further out, where x itself counts as a or b: a long\n"
        "  tail has a slope of its own; that of x, or none, where it is too faint to tell.\n";
  if (has(FeatureKind::other))
    text += "  \"x is other\" is what sets rows apart in which x is none of the texts above, or missing.\n";
  if (has(FeatureKind::nonzero))
    text +=
        "  \"x is not 0\" is what sets rows apart in which x is another number than 0, besides the slope of x:\n"
        "  where many cells are 0, those are often a kind of their own.\n";
  return text;
}

std::string share_text(const ReleaseGroup& group, double whole) {
  if (group.of_block) return "of its block";
  if (group.epsilon > 0) return fmt::format("epsilon {:.3g}", group.epsilon);
  if (group.delta > 0) return fmt::format("delta {:.2g}", group.delta);
  return fmt::format("{:.1f} %", 100 * group.mu_squared / whole);
}

std::string budget_text(const Receipt& receipt) {
  const double whole = receipt.gaussian_budget.mu * receipt.gaussian_budget.mu;
  const bool gaussian = whole > 0;  // the shares of other releases do not add up
  std::string text = gaussian ? fmt::format("\nBudget: {:.1f} % of what epsilon and delta allow was spent\n",
                                            100 * std::pow(receipt.gaussian_spent.mu, 2) / whole)
                              : fmt::format("\nBudget: {}, all of which was spent\n",
                                            receipt.budget.delta == 0 ? "epsilon without delta" : "epsilon and delta");
  text += fmt::format("{}{:>14}{:>14}{:>14}\n", name_cell(""), "releases", "numbers", "share");
  const std::vector<ReleaseGroup> groups = grouped(receipt);
  for (const ReleaseGroup& group : groups) {
    text += fmt::format("{}{:>14}{:>14}{:>14}\n", name_cell(group.what, group.of_block ? 2 : 0), group.count,
                        group.values, share_text(group, whole));
  }
  if (gaussian)
    text += fmt::format(
        "  Shares are of mu^2, which adds up. mu, here {:.4g} in all, is by how many standard deviations\n"
        "  of the noise one row can move what is released.\n",
        receipt.gaussian_budget.mu);
  if (std::ranges::any_of(groups, &ReleaseGroup::of_block))
    text += "  Each block has rows of its own, so all blocks together cost the share of the line above them.\n";
  return text;
}

// Standard errors relative to now, with `times` as many rows: sampling falls with the root of n, noise with n.
double with_more_rows(const Limits& limits, double times) {
  return std::hypot(limits.sampling / std::sqrt(times), limits.privacy_noise / times) /
         std::hypot(limits.sampling, limits.privacy_noise);
}

std::string bound_text(const Fit& fit) {
  const auto& [excess_risk, failure_probability, trivial] = *fit.certified;
  const std::string holds = failure_probability > 0 ? fmt::format("with probability {:g}", 1 - failure_probability)
                                                    : std::string("on average");
  const std::string bound =
      trivial
          ? fmt::format(
                "\nCertified: nothing beyond the trivial bound {:.4g} on the excess risk, in the units of the\n"
                "  fit, which all coefficients 0 have without a look at the data\n",
                excess_risk)
          : fmt::format("\nCertified: excess risk, in the units of the fit, at most {:.4g} {}\n", excess_risk, holds);
  if (fit.work.wanted_passes <= fit.work.passes) return bound;
  return bound + fmt::format("  its theorem asks for {:.4g} passes; see --max-passes\n", fit.work.wanted_passes);
}

// What a model gives a row before it is made a chance or a rate.
const char* margin_words(const Loss& loss) {
  if (std::holds_alternative<LogisticLoss>(loss)) return "the log odds";
  if (std::holds_alternative<PoissonLoss>(loss)) return "the logarithm of the rate";
  return predicts_classes(loss) ? "the scores" : "the prediction";
}

std::string limits_text(const Fit& fit) {
  if (fit.certified) return bound_text(fit);
  const Limits& limits = fit.limits;
  std::string text = "\nWhat limits accuracy\n";
  if (std::isinf(limits.privacy_noise)) return text + "  nothing of the target was visible\n";
  if (limits.sampling > 0 || limits.privacy_noise > 0) {
    text += fmt::format("  {} of a row {} typically off by {:.3g} from sampling and by {:.3g} from noise\n",
                        margin_words(fit.model.loss), predicts_classes(fit.model.loss) ? "are" : "is", limits.sampling,
                        limits.privacy_noise);
    if (!std::holds_alternative<PoissonLoss>(fit.model.loss) && !predicts_classes(fit.model.loss))
      text += "  (so far is the fitted line from where it should be; rows scatter around it besides)\n";
    text += fmt::format("  4 times as many rows: errors times {:.2f}\n", with_more_rows(limits, 4));
  }
  text +=
      fmt::format("  rows that were held back (their gradients were clipped): {:.2g} %\n", 100 * limits.clipped_share);
  if (follows_the_bulk(fit))
    text += fmt::format(
        "  hence predictions are typical rather than average: if {} has a long tail to one side, its\n"
        "  average lies further that way\n",
        in_quotes(fit.model.target));
  for (const auto& [epsilon, factor] : fit.error_against_epsilon)
    text += fmt::format("  epsilon {:g}: errors times {:.2f}\n", epsilon, factor);
  return text;
}

std::string diagnosis_text(const Fit& fit) {
  if (!fit.diagnosis) return "";
  std::string text = "\nHow well it fits\n";
  if (!fit.diagnosis->calibration.empty())
    text += fmt::format("  {:>14}{:>14}{:>14}{:>14}\n", "chance", "happened", "+-", "rows");
  for (const Diagnosis::Chance& chance : fit.diagnosis->calibration)
    text += fmt::format("  {:>14.3f}{:>14.3f}{:>14.3f}{:>14.0f}\n", chance.predicted, chance.observed,
                        chance.observed_error, chance.rows);
  if (!fit.diagnosis->residuals.empty())
    text += fmt::format("  {:>14}{:>14}{:>14}   (target less prediction)\n", "residual from", "to", "rows");
  for (const Diagnosis::Bar& bar : fit.diagnosis->residuals)
    text += fmt::format("  {:>14.6g}{:>14.6g}{:>14.0f}\n", bar.low, bar.high, std::max(bar.rows, 0.0));
  return text;
}

}  // namespace

std::string fit_json(const Fit& fit) {
  const Model& model = fit.model;
  Json json{{"schema", kSchema},        {"target", model.target}, {"loss", loss_name(model.loss)},
            {"classes", model.classes}, {"rows", model.rows},     {"confidence", model.confidence},
            {"constant", fit.constant}};
  add_parts(json, model);
  json["privacy"] = Json::parse(model.receipt.summary());
  json["work"] = {{"passes", number(fit.work.passes)}, {"sample_gradients", number(fit.work.sample_gradients)}};
  json["limits"] = {{"sampling", number(fit.limits.sampling)},
                    {"privacy_noise", number(fit.limits.privacy_noise)},
                    {"clipped_share", number(fit.limits.clipped_share)}};
  json["error_against_epsilon"] = Json::array();
  for (const auto& [epsilon, factor] : fit.error_against_epsilon)
    json["error_against_epsilon"].push_back({{"epsilon", number(epsilon)}, {"factor", number(factor)}});
  if (fit.diagnosis) json["diagnosis"] = diagnosis_json(*fit.diagnosis);
  if (fit.certified) {
    json["certified"] = {{"excess_risk", number(fit.certified->excess_risk)},
                         {"failure_probability", number(fit.certified->failure_probability)},
                         {"trivial", fit.certified->trivial}};
  }
  json["notes"] = model.notes;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string fit_text(const Fit& fit) {
  return asked_text(fit.model) + done_text(fit) + coefficients_text(fit) + budget_text(fit.model.receipt) +
         limits_text(fit) + diagnosis_text(fit);
}

}  // namespace tailcoat::cli
