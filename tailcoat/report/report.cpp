#include "tailcoat/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tailcoat/report/effects.hpp"
#include "tailcoat/report/promise.hpp"
#include "tailcoat/report/sections.hpp"
#include "tailcoat/report/text.hpp"
#include "tailcoat/report/words.hpp"

namespace tailcoat {
namespace report {
namespace {

// Nothing may be fetched or run, even if something of the page were taken for code.
constexpr const char* kPolicy = "default-src 'none'; style-src 'unsafe-inline'";

std::string head(const Model& model) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>Private model of "
      "{}</title>\n<style>{}</style>\n</head>\n",
      kPolicy, shortened(model.target, 80), kStyle);
}

std::string warning(const Receipt& receipt) {
  if (receipt.secure) return "";
  const bool seeded =
      std::ranges::any_of(receipt.lines, [](const ReceiptLine& line) { return !line.release.secure_noise; });
  const char* why = "the list of its releases is not complete, so nobody can say what was published.";
  if (seeded) why = "its noise was drawn from a seed, and whoever knows the seed can take the noise away.";
  return fmt::format(
      "<p class=\"warning\" role=\"alert\"><strong>This model is not private:</strong> {} Use it for tests, and do not "
      "publish it or this page.</p>\n",
      why);
}

std::string figure(const std::string& value, const std::string& what) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", what, value);
}

std::string figures(const Model& model) {
  const Promise promise = promise_of(model.receipt);
  const std::size_t features = fitted_features(model);
  return fmt::format("<dl class=\"figures\">{}{}{}{}</dl>\n",
                     figure(count(model.rows), model.rows == 1 ? "row" : "rows"),
                     figure(count(features), features == 1 ? "feature" : "features"),
                     figure(number(promise.epsilon), "epsilon"), figure(number(promise.delta), "delta"));
}

// Of a squared loss that held rows back nobody can say that it gives the average; and a few that were held back may be
// too few to be seen.
std::string predicted(const Fit& fit) {
  if (follows_the_bulk(fit)) return fmt::format("a typical <em>{}</em>", name_html(fit.model.target, 40));
  const bool may_hold_back = std::holds_alternative<SquaredLoss>(fit.model.loss) && !fit.certified;
  return words_of(fit.model, 0).predicted + (may_hold_back ? " (rows that are far off count less)" : "");
}

std::string caveat(const Fit& fit) {
  if (!follows_the_bulk(fit)) return "";
  return fmt::format(
      "<p>Typical rather than average: {} of the rows were far off and count less than in full, to "
      "protect each of them. Where <em>{}</em> has a long tail to one side, the average lies further that way than the "
      "model says, and so do sums over many rows.</p>\n",
      percent(fit.limits.clipped_share), name_html(fit.model.target, 40));
}

std::string headline(const Fit& fit, const ReportInput& input) {
  const Model& model = fit.model;
  const std::string from = input.data_name.empty() ? "" : fmt::format(" of <em>{}</em>", name_html(input.data_name));
  return fmt::format(
      "<header>\n<p class=\"kicker\">Private model{}</p>\n<h1>{}</h1>\n{}<p class=\"lede\">A linear model that "
      "predicts {}, fitted to {}{}. {}</p>\n{}{}</header>\n",
      input.date.empty() ? "" : fmt::format(" · {}", shortened(input.date, 80)), name_html(model.target),
      warning(model.receipt), predicted(fit), counted(model.rows, "row"), from, verdict(fit), caveat(fit),
      figures(model));
}

std::string notes(const Model& model) {
  if (model.notes.empty()) return "";
  std::string out = "<section aria-labelledby=\"notes\"><h2 id=\"notes\">Notes</h2>\n<ul>";
  for (const std::string& note : model.notes) out += fmt::format("<li>{}</li>\n", name_html(note, 1000));
  return out + "</ul></section>\n";
}

std::string reproduce(const Fit& fit, const ReportInput& input) {
  std::string out = "<section aria-labelledby=\"again\"><h2 id=\"again\">How to make it again</h2>\n";
  if (!input.command.empty())
    out += fmt::format("<pre tabindex=\"0\"><code>{}</code></pre>\n", shortened(input.command, 10000));
  out += fmt::format("<p class=\"small\">{}</p>\n",
                     fit.model.receipt.secure
                         ? "Another run draws other noise, so its numbers differ, and it spends its own "
                           "budget: to use the model again, keep the model file."
                         : "The noise came from a seed: another run with it gives the same numbers.");
  return out + "</section>\n";
}

std::string footer(const Fit& fit, const ReportInput& input) {
  return fmt::format("<footer><p>tailcoat {} · loss {} · {} over the data</p></footer>\n", shortened(input.version, 80),
                     escaped(loss_name(fit.model.loss)),
                     fit.work.passes == 1 ? "1 pass" : number(fit.work.passes, 3) + " passes");
}

}  // namespace
}  // namespace report

std::string report_html(const Fit& fit, const ReportInput& input) {
  using namespace report;
  return head(fit.model) + "<body>\n<main>\n" + headline(fit, input) + effects_section(fit) + diagnosis_section(fit) +
         accuracy_section(fit) + privacy_section(fit.model) + budget_section(fit.model.receipt) + notes(fit.model) +
         reproduce(fit, input) + footer(fit, input) + "</main>\n</body>\n</html>\n";
}

}  // namespace tailcoat
