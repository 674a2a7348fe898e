// Predicted chances against the share of rows of which they came true, from noisy counts, and what that says in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/report/picture.hpp"
#include "tailcoat/report/text.hpp"

namespace tailcoat::report {
namespace {

using Chance = Diagnosis::Chance;

constexpr double kLeastRows = 3;       // in noise deviations, of a bin that is shown
constexpr double kBar = 2;             // length of an error bar, in standard errors
constexpr double kSmallGap = 0.02;     // between chance and share, that hardly matters
constexpr double kBlurred = 0.1;       // standard error at which nothing can be told
constexpr double kMostlyOneWay = 0.7;  // of the gaps
constexpr std::size_t kMostBins = 200;

// Noise may carry a share out of its range.
double drawn(double share) { return std::clamp(share, 0.0, 1.0); }

bool is_chance(double value) { return value >= 0 && value <= 1; }

std::vector<Chance> bins_of(const Diagnosis& diagnosis) {
  std::vector<Chance> bins;
  for (const Chance& bin : diagnosis.calibration)
    if (is_chance(bin.predicted) && std::isfinite(bin.observed) && bin.observed_error > 0 &&
        std::isfinite(bin.observed_error) && std::isfinite(bin.rows) && bin.rows > 0 &&
        bin.rows >= kLeastRows * diagnosis.noise && bins.size() < kMostBins)
      bins.push_back(bin);
  std::ranges::sort(bins, {}, &Chance::predicted);
  return bins;
}

// Over the rows of all bins.
struct Summary {
  double gap = 0;         // mean distance of share and chance
  double signed_gap = 0;  // mean of share minus chance
  double error = 0;       // mean standard error of a share
  double slope = 0;       // of the share on the chance; 1 where they agree
  bool differ = false;    // by more than errors explain: a chance of about 1 % or less if they agree
};

Summary summary_of(const std::vector<Chance>& bins) {
  Summary all;
  double rows = 0, predicted = 0, observed = 0, squares = 0;
  for (const Chance& bin : bins) {
    const double gap = bin.observed - bin.predicted, plain_gap = drawn(bin.observed) - bin.predicted;
    rows += bin.rows;
    predicted += bin.rows * bin.predicted;
    observed += bin.rows * bin.observed;
    all.gap += bin.rows * std::abs(plain_gap);
    all.signed_gap += bin.rows * plain_gap;
    all.error += bin.rows * bin.observed_error;
    squares += gap * gap / (bin.observed_error * bin.observed_error);
  }
  double common = 0, spread = 0;
  for (const Chance& bin : bins) {
    const double from_mean = bin.predicted - predicted / rows;
    common += bin.rows * from_mean * (bin.observed - observed / rows);
    spread += bin.rows * from_mean * from_mean;
  }
  all.gap /= rows;
  all.signed_gap /= rows;
  all.error /= rows;
  all.slope = spread > 0 ? common / spread : 1;
  const auto k = static_cast<double>(bins.size());
  all.differ = squares > k + 3 * std::sqrt(2 * k);  // mean and deviation of a sum of k squares
  return all;
}

std::string points(double share) { return fmt::format("{} percentage points", number(100 * share, 2)); }

std::string direction(const Summary& all) {
  if (std::abs(all.signed_gap) > kMostlyOneWay * all.gap)
    return all.signed_gap > 0 ? "they are too low on the whole" : "they are too high on the whole";
  return all.slope < 1 ? "they are too extreme, and the truth is nearer to the middle"
                       : "they are too cautious, and the truth is further from the middle";
}

std::string verdict_in_words(const Summary& all) {
  if (!all.differ && all.error > kBlurred)
    return "Whether predicted chances can be taken at face value cannot be told: the noise is too large.";
  if (!all.differ)
    return fmt::format(
        "Predicted chances can be taken at face value, as far as can be told: what was observed agrees with them "
        "within its errors (typically {}).",
        points(all.error));
  if (all.gap < kSmallGap)
    return fmt::format("Predicted chances can nearly be taken at face value: they are off by about {} on average.",
                       points(all.gap));
  return fmt::format("Predicted chances cannot be taken at face value: they are off by about {} on average; {}.",
                     points(all.gap), direction(all));
}

std::string mark(const Chance& bin, const Frame& frame) {
  const double x = frame.x.pixel(bin.predicted), reach = kBar * bin.observed_error;
  return fmt::format(
      "<g class=\"up\"><title>predicted {}: observed {}, standard error {}</title><line class=\"range\" x1=\"{:.2f}%\" "
      "x2=\"{:.2f}%\" y1=\"{:.1f}\" y2=\"{:.1f}\"/><circle class=\"dot\" cx=\"{:.2f}%\" cy=\"{:.1f}\" r=\"4\"/></g>",
      percent(bin.predicted, 3), percent(drawn(bin.observed), 3), percent(bin.observed_error, 2), x, x,
      frame.y.pixel(drawn(bin.observed - reach)), frame.y.pixel(drawn(bin.observed + reach)), x,
      frame.y.pixel(drawn(bin.observed)));
}

// All chances, or the half of them where the bins are.
std::vector<double> range_of(const std::vector<Chance>& bins) {
  double low = 1, high = 0;
  for (const Chance& bin : bins) {
    low = std::min({low, bin.predicted, drawn(bin.observed - kBar * bin.observed_error)});
    high = std::max({high, bin.predicted, drawn(bin.observed + kBar * bin.observed_error)});
  }
  return {low < 0.5 ? 0 : low, high > 0.5 ? 1 : high};
}

std::string picture(const std::vector<Chance>& bins, const std::string& name) {
  constexpr double kHeight = 330, kTop = 10, kBottom = 286;
  const std::vector<double> range = range_of(bins);
  const Frame frame{
      .x{range, false, 13, 97}, .y{range, false, kBottom, kTop}, .height = kHeight, .top = kTop, .bottom = kBottom};
  std::string marks;
  for (const Chance& bin : bins) marks += mark(bin, frame);
  return fmt::format(
      "<figure class=\"square fits\"><figcaption>Share of rows that are {0}, by predicted chance</figcaption><svg "
      "width=\"100%\" height=\"{1}\" role=\"img\"><title>Predicted chance against observed "
      "share</title>{2}<line class=\"diagonal\" x1=\"{3:.2f}%\" y1=\"{4:.1f}\" x2=\"{5:.2f}%\" "
      "y2=\"{6:.1f}\"/>{7}</svg></figure>\n",
      name, kHeight, axes(frame, Labels::percents, Labels::percents, "predicted chance"), frame.x.pixel(range[0]),
      frame.y.pixel(range[0]), frame.x.pixel(range[1]), frame.y.pixel(range[1]), marks);
}

std::string left_out(std::size_t bins) {
  if (bins == 0) return "";
  return fmt::format(" {} too few rows to be told from noise {} left out.",
                     bins == 1 ? "One group of" : fmt::format("{} groups of", bins), bins == 1 ? "is" : "are");
}

}  // namespace

std::string calibration_html(const Diagnosis& diagnosis, const Model& model) {
  if (diagnosis.calibration.empty()) return "";
  const std::vector<Chance> bins = bins_of(diagnosis);
  if (bins.empty())
    return "<p>Whether predicted chances come true cannot be told: the noise for privacy is as large as the "
           "counts.</p>\n";
  const std::string name = model.classes.size() > 1 ? name_html(model.classes[1], 40) : "of the class";
  return fmt::format(
      "<p>{}</p>\n{}<p class=\"small\">Each dot is a group of rows with about the same predicted chance; lines "
      "are {} standard errors to both sides, from noise and sampling. On the dashed diagonal chances come true as "
      "predicted.{}</p>\n",
      verdict_in_words(summary_of(bins)), picture(bins, name), number(kBar),
      left_out(diagnosis.calibration.size() - bins.size()));
}

}  // namespace tailcoat::report
