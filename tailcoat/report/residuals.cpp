// A histogram of target minus prediction, from noisy counts, and what it says in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tailcoat/report/picture.hpp"
#include "tailcoat/report/text.hpp"
#include "tailcoat/report/words.hpp"

namespace tailcoat::report {
namespace {

using Bar = Diagnosis::Bar;

constexpr std::size_t kMostBars = 400;
constexpr double kLargest = 1e100;   // beyond, coordinates would overflow
constexpr double kVisible = 2;       // counts below so many noise deviations are not told from 0
constexpr double kBandShare = 0.34;  // of a bar's width

bool has_count(const Bar& bar) { return std::abs(bar.rows) < kLargest; }

bool is_finite(const Bar& bar) {
  return bar.low < bar.high && std::abs(bar.low) < kLargest && std::abs(bar.high) < kLargest;
}

struct Residuals {
  std::vector<Bar> bars;        // finite, from left to right
  double below = 0, above = 0;  // rows of the bins at the ends
  double total = 0;             // all rows, as far as the counts say
  double noise = 0;             // of a count
  std::size_t ends = 0;         // bins at the ends
};

Residuals residuals_of(const Diagnosis& diagnosis) {
  Residuals all;
  all.noise = diagnosis.noise >= 0 && diagnosis.noise < kLargest ? diagnosis.noise : 0;
  for (const Bar& bar : diagnosis.residuals) {
    if (!has_count(bar)) continue;
    if (is_finite(bar)) {
      if (all.bars.size() == kMostBars) continue;
      all.bars.push_back(bar);
    } else if (std::isinf(bar.low) && bar.low < 0 && std::isfinite(bar.high)) {
      all.below += bar.rows;
      ++all.ends;
    } else if (std::isinf(bar.high) && bar.high > 0 && std::isfinite(bar.low)) {
      all.above += bar.rows;
      ++all.ends;
    } else {
      continue;
    }
    all.total += bar.rows;
  }
  std::ranges::sort(all.bars, {}, &Bar::low);
  return all;
}

// Rows no further off than `distance`, spread evenly within bins. Counts keep their sign, so that noise cancels.
double rows_within(const Residuals& all, double distance) {
  double rows = 0;
  for (const Bar& bar : all.bars) {
    const double common = std::min(bar.high, distance) - std::max(bar.low, -distance);
    if (common > 0) rows += bar.rows * common / (bar.high - bar.low);
  }
  return rows;
}

// Where half of the rows are nearer; infinite if fewer are within the bins. Between two ends of bins the count is a
// straight line.
double median_distance(const Residuals& all) {
  std::vector<double> ends;
  for (const Bar& bar : all.bars) ends.insert(ends.end(), {std::abs(bar.low), std::abs(bar.high)});
  std::ranges::sort(ends);
  double near = 0, near_rows = 0;
  for (const double far : ends) {
    const double rows = rows_within(all, far);
    if (rows >= all.total / 2 && rows > near_rows)
      return near + (far - near) * (all.total / 2 - near_rows) / (rows - near_rows);
    near = far;
    near_rows = rows;
  }
  return INFINITY;
}

double widest(const std::vector<Bar>& bars) {
  double width = 0;
  for (const Bar& bar : bars) width = std::max(width, bar.high - bar.low);
  return width;
}

// Bins of other widths than the widest are drawn as high as if they were as wide: areas compare.
double height_of(const Residuals& all, const Bar& bar, double rows, double width) {
  return std::max(0.0, rows) / all.total * width / (bar.high - bar.low);
}

bool even(const std::vector<Bar>& bars) {
  const double width = widest(bars);
  return std::ranges::all_of(bars, [&](const Bar& bar) { return bar.high - bar.low > 0.999 * width; });
}

std::string bar_html(const Residuals& all, const Bar& bar, double width, const Frame& frame) {
  const auto y = [&](double rows) { return frame.y.pixel(height_of(all, bar, rows, width)); };
  const double left = frame.x.pixel(bar.low), right = frame.x.pixel(bar.high), wide = right - left;
  const double low = y(bar.rows - all.noise), high = y(bar.rows + all.noise);
  return fmt::format(
      "<g><title>{}: {} of the rows</title><rect class=\"bin\" x=\"{:.2f}%\" y=\"{:.1f}\" width=\"{:.2f}%\" "
      "height=\"{:.1f}\"/><rect class=\"band\" x=\"{:.2f}%\" y=\"{:.1f}\" width=\"{:.2f}%\" "
      "height=\"{:.1f}\"/></g>",
      interval_text(bar.low, bar.high), percent(std::clamp(bar.rows / all.total, 0.0, 1.0)), left, y(bar.rows), wide,
      y(0) - y(bar.rows), left + (1 - kBandShare) / 2 * wide, high, kBandShare * wide, low - high);
}

std::string histogram(const Residuals& all, const Model& model) {
  constexpr double kHeight = 250, kTop = 10, kBottom = 206;
  const double width = widest(all.bars);
  std::vector<double> xs{0}, ys{0};
  for (const Bar& bar : all.bars) {
    xs.insert(xs.end(), {bar.low, bar.high});
    ys.push_back(height_of(all, bar, bar.rows + all.noise, width));
  }
  Frame frame{.x{xs, false, 13, 97}, .y{ys, false, kBottom, kTop}, .height = kHeight, .top = kTop, .bottom = kBottom};
  std::string bars;
  for (const Bar& bar : all.bars) bars += bar_html(all, bar, width, frame);
  const std::string target = name_html(model.target, 40);
  return fmt::format(
      "<figure class=\"chart fits\"><figcaption>Rows by how far <em>{0}</em> is above (+) or below (−) its "
      "prediction{1}</figcaption><svg width=\"100%\" height=\"{2}\" role=\"img\"><title>Histogram of target minus "
      "prediction</title>{3}{4}<line class=\"zero\" x1=\"{5:.2f}%\" x2=\"{5:.2f}%\" y1=\"{6}\" y2=\"{7}\"/></svg>"
      "<ul class=\"legend\"><li><svg class=\"swatch\" aria-hidden=\"true\"><rect class=\"bin\" width=\"100%\" "
      "height=\"100%\"/></svg>share of the rows</li><li><svg class=\"swatch\" aria-hidden=\"true\"><rect "
      "class=\"band\" x=\"33%\" width=\"34%\" height=\"100%\"/></svg>noise for privacy: about {8} up or "
      "down</li></ul></figure>\n",
      target, even(all.bars) ? "" : "; areas compare", kHeight,
      axes(frame, Labels::numbers, even(all.bars) ? Labels::percents : Labels::none, "target − prediction"), bars,
      frame.x.pixel(0), kTop, kBottom,
      all.noise < 0.5 ? "no row" : counted(static_cast<std::size_t>(std::round(std::min(all.noise, 1e15))), "row"));
}

std::string beyond_in_words(const Residuals& all) {
  if (all.ends == 0) return "";
  const double rows = all.below + all.above;
  const double unseen = kVisible * all.noise * std::sqrt(static_cast<double>(all.ends));
  if (rows <= unseen) return " Hardly any row is further off than the picture shows.";
  const auto share = [&](double of) { return percent(std::clamp(of / all.total, 0.0, 1.0)); };
  return fmt::format(" {} of the rows are further off than the picture shows: {} below it and {} above.", share(rows),
                     share(all.below), share(all.above));
}

std::string median_in_words(const Residuals& all) {
  const double half = median_distance(all);
  if (std::isfinite(half))
    return fmt::format("Half of the predictions are off by less than about {}.", number(rounded(half, 2), 2));
  const double edge = std::max(std::abs(all.bars.front().low), std::abs(all.bars.back().high));
  return fmt::format("More than half of the predictions are off by more than the picture shows (up to {}).",
                     number(rounded(edge, 3), 3));
}

}  // namespace

std::string residuals_html(const Diagnosis& diagnosis, const Model& model) {
  const Residuals all = residuals_of(diagnosis);
  if (all.bars.empty()) return "";
  const double noise = all.noise * std::sqrt(static_cast<double>(all.bars.size() + all.ends));
  if (!(all.total > kVisible * noise))
    return "<p>How far predictions are off cannot be told: the noise for privacy is as large as the counts.</p>\n";
  return fmt::format("<p>{}{}</p>\n", median_in_words(all), beyond_in_words(all)) + histogram(all, model);
}

}  // namespace tailcoat::report
