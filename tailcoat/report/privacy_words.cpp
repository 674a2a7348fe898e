#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/report/promise.hpp"
#include "tailcoat/report/sections.hpp"
#include "tailcoat/report/text.hpp"

namespace tailcoat::report {
namespace {

constexpr double kFalseAlarm = 0.05, kGroup = 5, kRuns = 4;
constexpr double kEmptyPromise = 0.5;  // who is caught more often than not is hardly protected

std::string at_most(double value, int digits = 3) { return number(rounded_up(value, digits), digits); }

// Rounded up, and never to a 100 % that is not reached.
std::string chance_at_most(double chance) {
  if (chance > 0.999 && chance < 1) return "more than 99.9\u202F%";
  return percent(std::min(1.0, rounded_up(chance, 3)), 3);
}

std::string plus_one_in(double chance) {
  return chance > 0 ? fmt::format(", plus one in {}", number(std::floor(1 / chance))) : "";
}

// How often the odds may be beyond e^epsilon: more often than delta, which weighs by how far.
std::string missed_text(const Promise& promise) {
  const double chance = beyond_odds(promise);
  if (!(chance > 0)) return "";
  return fmt::format(" What is published may be such that the bet is better than that with a chance of at most {}.",
                     chance_at_most(chance));
}

std::string odds_text(const Promise& promise) {
  const double factor = odds(promise);
  if (!(factor < 1e6))
    return fmt::format("<p>With ε = {} the promise about odds is empty: e<sup>ε</sup> is beyond a million.</p>\n",
                       number(promise.epsilon));
  return fmt::format(
      "<p><strong>As a bet.</strong> Somebody knows every row but yours and would bet at even odds, 1 : 1, on "
      "something about you. Having seen all that is published here, that person may at most bet {0} : 1 (a chance of "
      "{1} in place of 50\u202F%), whatever else they know or compute. {0} is e<sup>ε</sup> for ε = {2}.{3}</p>\n",
      at_most(factor), chance_at_most(factor / (1 + factor)), number(promise.epsilon), missed_text(promise));
}

std::string test_text(const Promise& promise) {
  return fmt::format(
      "<p><strong>As a test.</strong> An attacker wants to find out whether your row was in the file or another one in "
      "its place. With false alarms in {} of cases the attacker detects your row in at most {} of cases; blind "
      "guessing would detect {}. Who must name one of two equally likely rows is right with a chance of at most {}, "
      "where a coin has 50\u202F%.</p>\n",
      percent(kFalseAlarm), chance_at_most(detection(promise, kFalseAlarm)), percent(kFalseAlarm),
      chance_at_most(guess(promise)));
}

// A hundred attackers in a picture: those who detect by luck and those the release adds.
std::string test_picture(const Promise& promise) {
  const double found = 100 * std::min(1.0, detection(promise, kFalseAlarm)), luck = 100 * kFalseAlarm;
  return fmt::format(
      "<figure><figcaption>Attackers who detect a row, at {0} false alarms</figcaption><svg class=\"bar\" "
      "width=\"100%\" height=\"18\" role=\"img\"><title>{0} by blind guessing, at most {1} with what is published "
      "here</title><rect class=\"rest\" width=\"100%\" height=\"18\"/><rect class=\"s1\" width=\"{2:.2f}%\" "
      "height=\"18\"/><rect class=\"s0\" width=\"{3:.2f}%\" height=\"18\"/></svg><ul class=\"legend\"><li>{4}{0} by "
      "blind guessing</li><li>{5}up to {6} more with what is published here</li><li>{7}not "
      "detected</li></ul></figure>\n",
      percent(kFalseAlarm), chance_at_most(found / 100), found, luck,
      "<svg class=\"swatch\" aria-hidden=\"true\"><rect class=\"s0\" width=\"100%\" height=\"100%\"/></svg>",
      "<svg class=\"swatch\" aria-hidden=\"true\"><rect class=\"s1\" width=\"100%\" height=\"100%\"/></svg>",
      percent(rounded_up((found - luck) / 100, 2)),
      "<svg class=\"swatch\" aria-hidden=\"true\"><rect class=\"rest\" width=\"100%\" height=\"100%\"/></svg>");
}

std::string weak_promise(const Promise& promise) {
  if (detection(promise, kFalseAlarm) <= kEmptyPromise) return "";
  return "<p class=\"warning\"><strong>This is a weak promise.</strong> At this budget an attacker who knows enough "
         "may detect a row more often than not. A smaller epsilon protects better.</p>\n";
}

std::string group_text(const Promise& promise) {
  const std::string start =
      "<li><strong>Groups.</strong> The promise is for one row. A person with several rows, or a family, is protected "
      "less";
  if (!promise.gaussian) return start + ".</li>";
  return start +
         fmt::format(": {} rows that are replaced together are detected in up to {} of cases in the test above.</li>",
                     number(kGroup), chance_at_most(detection(for_group(promise, kGroup), kFalseAlarm)));
}

std::string runs_text(const Promise& promise) {
  const Promise all = for_runs(promise, kRuns);
  return fmt::format(
      "<li><strong>Several runs add up.</strong> {} runs like this one on the same rows have ε = {} together{}.</li>",
      number(kRuns), at_most(all.epsilon),
      all.delta == promise.delta ? " at the same δ" : fmt::format(" and δ = {}", at_most(all.delta)));
}

std::string not_protected(const Model& model, const Promise& promise) {
  return fmt::format(
      "<h3>What is not protected</h3>\n<ul><li><strong>The number of rows</strong>, {}, and the names of the columns. "
      "They are published as they are, and so is all that was given on the command line (bounds, levels, "
      "classes).</li>{}{}<li><strong>What is true of people in general.</strong> If a feature goes with the outcome, "
      "this page says so, and it applies to you whether or not your row was in the file.</li></ul>\n",
      count(model.rows), group_text(promise), runs_text(promise));
}

std::string exact_numbers(const Receipt& receipt, const Promise& promise) {
  std::string rows = fmt::format(
      "<tr><th scope=\"row\">epsilon (ε)</th><td>{}</td></tr><tr><th scope=\"row\">delta (δ)</th><td>{}</td></tr>",
      number(promise.epsilon, 10), number(promise.delta, 10));
  if (receipt.gaussian_budget.mu > 0)
    rows += fmt::format(
        "<tr><th scope=\"row\">Gaussian budget (μ)</th><td>{}</td></tr><tr><th scope=\"row\">of it "
        "spent</th><td>{}</td></tr>",
        number(receipt.gaussian_budget.mu, 10), number(receipt.gaussian_spent.mu, 10));
  rows += fmt::format(
      "<tr><th scope=\"row\">neighbours</th><td>replace one row</td></tr><tr><th "
      "scope=\"row\">noise</th><td>{}</td></tr>",
      receipt.secure ? "secure random source" : "<strong>not secure</strong>");
  return fmt::format(
      "<details class=\"printed\"><summary>The exact numbers</summary><div class=\"wide\"><table "
      "class=\"facts\"><tbody>{}</tbody></table></div></details>\n",
      rows);
}

}  // namespace

std::string privacy_section(const Model& model) {
  const Promise promise = promise_of(model.receipt);
  std::string out = "<section aria-labelledby=\"privacy\"><h2 id=\"privacy\">What privacy means here</h2>\n";
  out += fmt::format(
      "<p>Every row of the file is protected by <em>differential privacy</em>: random noise was mixed into all that "
      "was computed, so that this page would look much the same had any one row been replaced by any other. Any "
      "conclusion that somebody may draw about you would be drawn with at most {} times the chance that it has with "
      "another row in place of yours{}.</p>\n",
      at_most(odds(promise)), plus_one_in(promise.delta));
  if (!model.receipt.secure)
    out +=
        "<p class=\"warning\">Of this run the promises do not hold: its noise was not secure. They are those of a run "
        "like it with "
        "secure noise.</p>\n";
  out += weak_promise(promise) + odds_text(promise) + test_text(promise) + test_picture(promise);
  return out + not_protected(model, promise) + exact_numbers(model.receipt, promise) + "</section>\n";
}

}  // namespace tailcoat::report
