#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tailcoat/report/scale.hpp"
#include "tailcoat/report/sections.hpp"
#include "tailcoat/report/text.hpp"
#include "tailcoat/report/words.hpp"

namespace tailcoat::report {
namespace {

using Curve = std::vector<std::pair<double, double>>;

constexpr double kChartHeight = 230, kTop = 22, kBottom = 190;  // of the error chart, in pixels
constexpr double kLeft = 13, kRight = 97;                       // in per cent of its width
constexpr double kLittleNoise = 0.5, kMuchNoise = 1.5;          // in sampling errors
constexpr double kLittleClipping = 0.02, kMuchClipping = 0.25;
constexpr double kMostlySampling = 0.3;  // of the error, at the largest epsilon

bool known(const Limits& limits) {
  return std::isfinite(limits.sampling) && std::isfinite(limits.privacy_noise) && limits.sampling > 0 &&
         limits.privacy_noise >= 0;
}

// How much wider intervals are than without privacy.
double widening(const Limits& limits) { return std::hypot(limits.sampling, limits.privacy_noise) / limits.sampling; }

std::string wider(double factor) {
  if (factor < 1.005) return "as wide as";
  return factor < 2 ? percent(factor - 1) + " wider than" : number(factor, 2) + " times as wide as";
}

std::string clear_effects(const Model& model) {
  const std::vector<Role> roles = roles_of(model);
  const auto all = static_cast<std::size_t>(std::ranges::count(roles, Role::fitted));
  std::size_t clear = 0;
  for (std::size_t j = 0; j < roles.size(); ++j)
    for (std::size_t part = 0; part < model.parts.size(); ++part)
      if (j < features_of(model, part) && is_clear(model.parts[part].coefficients[j])) {
        ++clear;
        break;
      }
  if (clear == 0)
    return all == 1 ? "its one effect could be zero" : fmt::format("none of its {} effects is clear", count(all));
  return fmt::format("{} of {} effects {} clearly different from zero", count(clear), count(all),
                     clear == 1 ? "is" : "are");
}

std::string limit_in_words(const Fit& fit) {
  if (!known(fit.limits)) return "What limits its accuracy is not known.";
  const double noise = fit.limits.privacy_noise / fit.limits.sampling;
  const std::string width = wider(widening(fit.limits));
  if (fit.constant) return fmt::format("A model with features would have had intervals {} without privacy.", width);
  if (noise < kLittleNoise)
    return fmt::format("Privacy costs little here: intervals are {} they would be without it.", width);
  if (noise < kMuchNoise)
    return fmt::format("Privacy costs some accuracy: intervals are {} they would be without it.", width);
  return fmt::format("Noise for privacy is what limits it: intervals are {} they would be without it.", width);
}

std::string rows_in_words(const Fit& fit) {
  const double factor = widening(fit.limits);
  const double rows = static_cast<double>(fit.model.rows) / (factor * factor);
  if (fit.constant || factor < 1.005 || rows < 1) return "";
  return fmt::format(" The model is about as exact as one fitted to {} of the {} rows without privacy.",
                     number(rounded(rows, rows < 10 ? 1 : 2)), count(fit.model.rows));
}

std::string swatch(const char* tone) {
  return fmt::format(
      "<svg class=\"swatch\" aria-hidden=\"true\"><rect class=\"{}\" width=\"100%\" height=\"100%\"/></svg>", tone);
}

std::string sources_bar(const Limits& limits) {
  const double s = limits.sampling * limits.sampling, p = limits.privacy_noise * limits.privacy_noise;
  const double share = s / (s + p);
  return fmt::format(
      "<figure><figcaption>Where the uncertainty of the coefficients comes from (variance)</figcaption><svg "
      "class=\"bar\" width=\"100%\" height=\"22\" role=\"img\"><title>Sampling {2}, noise for privacy {3}</title><rect "
      "class=\"s0\" width=\"{0:.2f}%\" height=\"22\"/><rect class=\"s1\" x=\"{0:.2f}%\" width=\"{1:.2f}%\" "
      "height=\"22\"/></svg><ul class=\"legend\"><li>{4}chance in the data {2}</li><li>{5}noise for privacy "
      "{3}</li></ul></figure>\n",
      100 * share, 100 * (1 - share), percent(share, 3), percent(1 - share, 3), swatch("s0"), swatch("s1"));
}

std::string clipping_bar(double share) {
  return fmt::format(
      "<figure><figcaption>Rows whose pull was limited in the last step</figcaption><svg class=\"bar\" width=\"100%\" "
      "height=\"22\" role=\"img\"><title>{1} of rows</title><rect class=\"rest\" width=\"100%\" height=\"22\"/><rect "
      "class=\"s3\" width=\"{0:.2f}%\" height=\"22\"/></svg><ul class=\"legend\"><li>{2}limited {1}</li><li>{3}counted "
      "in full {4}</li></ul></figure>\n",
      100 * share, percent(share), swatch("s3"), swatch("rest"), percent(1 - share, 3));
}

std::string clipping_in_words(double share) {
  const std::string start = "To protect each row, none may pull on the model more than a set amount. ";
  if (share < kLittleClipping)
    return start +
           "Hardly any row reached that limit. Where the largest values are very large, even those few "
           "would have moved an ordinary fit.";
  if (share < kMuchClipping)
    return start +
           "Some rows reached it: the model follows them less than an ordinary fit would, as a robust fit does.";
  return start +
         "Many rows reached it: the model follows the bulk of the rows rather than all of them, and may differ from an "
         "ordinary fit by more than its intervals say.";
}

bool drawable(const std::pair<double, double>& point) {
  const auto plain = [](double value) { return value > 1e-100 && value < 1e100; };
  return plain(point.first) && plain(point.second);
}

Curve drawable_points(const Fit& fit) {
  Curve points;
  std::ranges::copy_if(fit.error_against_epsilon, std::back_inserter(points), drawable);
  std::ranges::sort(points);
  return points;
}

// On the straight line, in logarithms, between the two points around it; NaN outside the curve.
double factor_at(const Curve& curve, double epsilon) {
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const auto [x0, y0] = curve[i - 1];
    const auto [x1, y1] = curve[i];
    if (epsilon < x0 || epsilon > x1 || x0 == x1) continue;
    return y0 * std::pow(y1 / y0, std::log(epsilon / x0) / std::log(x1 / x0));
  }
  return NAN;
}

struct Frame {
  Scale x, y;
};

std::string chart_axes(const Frame& frame) {
  std::string out;
  const std::vector<double> xs = frame.x.ticks();
  for (std::size_t i = 0; i < xs.size(); ++i)
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0:.2f}%\" x2=\"{0:.2f}%\" y1=\"{1}\" y2=\"{2}\"/><text class=\"tick{5}\" "
        "x=\"{0:.2f}%\" y=\"{3}\">{4}</text>",
        frame.x.pixel(xs[i]), kTop, kBottom, kBottom + 17, frame.x.tick_label(xs[i]),
        xs.size() > 5 && i % 2 == 1 ? " minor" : "");
  for (const double tick : frame.y.ticks())
    out += fmt::format(
        "<line class=\"{5}\" x1=\"{0}%\" x2=\"{1}%\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text class=\"tick end\" "
        "x=\"{0}%\" dx=\"-6\" y=\"{3:.1f}\">×{4}</text>",
        kLeft, kRight, frame.y.pixel(tick), frame.y.pixel(tick) + 4, frame.y.tick_label(tick),
        tick == 1 ? "zero" : "grid");
  return out +
         fmt::format("<text class=\"tick\" x=\"{}%\" y=\"{}\">epsilon</text>", (kLeft + kRight) / 2, kChartHeight - 6);
}

// Lines take no percentages: the curve is drawn in a box of its own that stretches, its stroke does not.
std::string chart_curve(const Curve& curve, const Frame& frame) {
  std::string path, dots;
  for (const auto& [epsilon, factor] : curve) {
    const double x = frame.x.pixel(epsilon), y = frame.y.pixel(factor);
    path += fmt::format("{}{:.2f} {:.2f}", path.empty() ? "M" : "L", x, y);
    dots += fmt::format(
        "<circle class=\"s0\" cx=\"{:.2f}%\" cy=\"{:.1f}\" r=\"3\"><title>epsilon {}: {} times the "
        "error</title></circle>",
        x, y, number(epsilon, 3), number(factor, 3));
  }
  return fmt::format(
      "<svg width=\"100%\" height=\"{0}\" viewBox=\"0 0 100 {0}\" preserveAspectRatio=\"none\"><path class=\"curve\" "
      "vector-effect=\"non-scaling-stroke\" d=\"{1}\"/></svg>{2}",
      kChartHeight, path, dots);
}

std::string chart_here(double epsilon, const Frame& frame) {
  const double x = frame.x.pixel(epsilon);
  const char* anchor = x > 70 ? "end" : x < 30 ? "start" : "middle";
  return fmt::format(
      "<line class=\"here\" x1=\"{0:.2f}%\" x2=\"{0:.2f}%\" y1=\"{1}\" y2=\"{2}\"/><circle class=\"heredot\" "
      "cx=\"{0:.2f}%\" cy=\"{3:.1f}\" r=\"5.5\"/><text class=\"herelabel\" x=\"{0:.2f}%\" y=\"{4}\" "
      "text-anchor=\"{5}\">this model, ε = {6}</text>",
      x, kTop, kBottom, frame.y.pixel(1), kTop - 8, anchor, number(epsilon, 3));
}

std::string chart(const Curve& curve, double epsilon) {
  std::vector<double> xs, ys{1};
  for (const auto& [x, y] : curve) {
    xs.push_back(x);
    ys.push_back(y);
  }
  const bool here = drawable({epsilon, 1});
  if (here) xs.push_back(epsilon);
  const Frame frame{{xs, true, kLeft, kRight}, {ys, true, kBottom, kTop}};
  return fmt::format(
      "<figure class=\"chart\"><figcaption>Predicted error of the coefficients, relative to this "
      "model</figcaption><svg width=\"100%\" height=\"{}\" role=\"img\" aria-label=\"Predicted error against "
      "epsilon\">{}{}{}</svg></figure>\n",
      kChartHeight, chart_axes(frame), chart_curve(curve, frame), here ? chart_here(epsilon, frame) : "");
}

std::string at_other_budgets(const Curve& curve, double epsilon) {
  const double twice = factor_at(curve, 2 * epsilon), half = factor_at(curve, epsilon / 2);
  std::string out = "<p>A larger epsilon means less noise and weaker privacy.";
  if (std::isfinite(twice))
    out += fmt::format(" At ε = {} the error would be {} of what it is now.", number(2 * epsilon, 3), percent(twice));
  if (std::isfinite(half))
    out +=
        fmt::format(" At ε = {} the error would be {} times as large as now.", number(epsilon / 2, 3), number(half, 3));
  const auto [most, least_error] = curve.back();
  if (most > epsilon && least_error < 1)
    out += fmt::format(
        " Even at ε = {} it would be {} of what it is now{}.", number(most, 3), percent(least_error),
        least_error > kMostlySampling ? ": the rest is chance in the data, which only more rows reduce" : "");
  return out + "</p>\n";
}

}  // namespace

std::string verdict(const Fit& fit) {
  if (fit.constant)
    return "At this privacy budget the data did not show that any model beats a constant, so the model gives every row "
           "the same answer. More rows or a larger epsilon may change that.";
  if (fit.certified) return certificate_verdict(fit);
  if (std::ranges::count(roles_of(fit.model), Role::fitted) == 0) return limit_in_words(fit);
  std::string clear = clear_effects(fit.model);
  clear[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(clear[0])));
  const bool clipped = fit.limits.clipped_share > kMuchClipping && !follows_the_bulk(fit);  // which says more
  return fmt::format("{}. {}{}", clear, limit_in_words(fit),
                     clipped ? " Many rows were held back, so it describes the bulk of the rows." : "");
}

std::string accuracy_section(const Fit& fit) {
  if (fit.certified) return certificate_section(fit);
  std::string out = "<section aria-labelledby=\"trust\"><h2 id=\"trust\">What limits its accuracy</h2>\n";
  out += fmt::format("<p>{}{}</p>\n", limit_in_words(fit), known(fit.limits) ? rows_in_words(fit) : "");
  if (known(fit.limits)) out += sources_bar(fit.limits);
  if (const double share = fit.limits.clipped_share; share >= 0 && share <= 1)
    out += fmt::format("<p>{}</p>\n{}", clipping_in_words(share), clipping_bar(share));
  if (const Curve curve = drawable_points(fit); curve.size() > 1) {
    const double epsilon = fit.model.receipt.budget.epsilon;
    out += "<h3>What another budget would bring</h3>\n" + at_other_budgets(curve, epsilon) + chart(curve, epsilon);
  }
  return out + "</section>\n";
}

}  // namespace tailcoat::report
