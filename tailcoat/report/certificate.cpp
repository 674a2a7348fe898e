#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/report/sections.hpp"
#include "tailcoat/report/text.hpp"

namespace tailcoat::report {
namespace {

bool is_useful(const Bound& bound) { return std::isfinite(bound.excess_risk) && !bound.trivial; }

std::string at_most(double value) { return number(rounded_up(value, 3), 3); }

// Rounded down, and never to a 100 % that is not reached.
std::string chance(const Bound& bound) {
  return percent(std::min(0.999, 1 - rounded_up(bound.failure_probability, 3)), 4);
}

bool is_average(const Bound& bound) { return !(bound.failure_probability > 0); }

std::string how_surely(const Bound& bound) {
  return is_average(bound) ? "on average" : fmt::format("with a chance of at least {}", chance(bound));
}

std::string over_what(const Bound& bound) {
  return fmt::format("It holds {} over the rows that chance brings into the file and over the noise for privacy{}.",
                     how_surely(bound), is_average(bound) ? "; a single fit may be worse" : "");
}

// The loss of a classifier that knows nothing, which gives every row the margin 0; it is among the models compared.
double loss_of_nothing(const Loss& loss) {
  return std::visit([](const auto& of) { return of.value(0, 1); }, loss);
}

// A bound that a model without any data meets is said to be one.
std::string emptiness(const Fit& fit) {
  if (!predicts_classes(fit.model.loss)) return "";
  const double nothing = loss_of_nothing(fit.model.loss);
  if (!(fit.certified->excess_risk >= nothing)) return "";
  return fmt::format(
      "<p class=\"warning\"><strong>This bound says nothing here.</strong> A model that treats all rows alike, without "
      "a look at them, has a loss of {} and so meets it too. The model may be far better than its bound; more rows, a "
      "larger epsilon, or a smaller diameter or smaller moments if they are true, make the bound smaller.</p>\n",
      number(nothing, 3));
}

std::string cut_short(const Work& work) {
  if (!(work.wanted_passes > work.passes)) return "";
  return fmt::format(
      "<p>The theorem asks for {} passes over the data and {} were made; the bound counts that in.</p>\n",
      number(work.wanted_passes, 3), number(work.passes, 3));
}

std::string meaning(const Fit& fit) {
  const Bound& bound = *fit.certified;
  return fmt::format(
      "<p>How wrong a model is about a row is its <em>loss</em> (here {}). A theorem bounds the loss of this model, "
      "averaged over all rows that might come from where these came from: it is at most <strong>{}</strong> above that "
      "of the best model of this form, the one that endless data without privacy would give. {}</p>\n{}{}",
      escaped(loss_name(fit.model.loss)), at_most(bound.excess_risk), over_what(bound), emptiness(fit),
      cut_short(fit.work));
}

}  // namespace

std::string certificate_verdict(const Fit& fit) {
  if (fit.certified->trivial)
    return "It was fitted by a theorem that promises no more for these settings than a model that has seen no data.";
  if (!is_useful(*fit.certified)) return "It was fitted by a theorem that gives no bound for these settings.";
  return fmt::format(
      "It was fitted by a theorem: {}, its expected loss is at most {} above that of the best model of its form.",
      how_surely(*fit.certified), at_most(fit.certified->excess_risk));
}

std::string certificate_section(const Fit& fit) {
  std::string out = "<section aria-labelledby=\"trust\"><h2 id=\"trust\">What is certain about it</h2>\n";
  if (!is_useful(*fit.certified))
    return out + fmt::format(
                     "<p>The theorem behind this fit gives {} for these settings, so nothing is certain about its "
                     "accuracy. Its promise of privacy holds all the same. More rows, a larger epsilon, or a smaller "
                     "diameter or smaller moments if they are true, make the bound smaller.</p></section>\n",
                     fit.certified->trivial
                         ? fmt::format("no better bound than <strong>{}</strong>, which a model whose coefficients "
                                       "are all 0 meets without data,",
                                       at_most(fit.certified->excess_risk))
                         : "no bound");
  return out + meaning(fit) +
         "<ul><li><strong>Units.</strong> The loss is in the units of the fit: a column with bounds or a scale is "
         "measured in the spread that they give, any other is taken as it is.</li>"
         "<li><strong>Assumptions.</strong> The best model is the best among those within the diameter that was given, "
         "and the bound is true if the moments that were given are. Nothing in the data was looked up to check them. "
         "The promise of privacy does not depend on them.</li>"
         "<li><strong>Coefficients.</strong> The bound is about predictions as a whole. It does not say how "
         "far a single coefficient is off, so there are no intervals.</li></ul></section>\n";
}

}  // namespace tailcoat::report
