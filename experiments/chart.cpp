#include "experiments/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tailcoat/report/scale.hpp"
#include "tailcoat/report/text.hpp"

namespace tailcoat::experiments {
namespace {

using report::escaped;
using report::Scale;

constexpr double kPlotWidth = 470, kPlotHeight = 300, kLeft = 76, kTop = 58, kBelow = 56, kLegendGap = 22;
constexpr double kLegendRow = 19, kLegendSwatch = 30, kCharacter = 6.9;  // wide enough for common sans fonts at 12 px
constexpr std::size_t kColors = 10, kMarkers = 4;

// Colours that are told apart with colour-blind eyes as well, darker on white and lighter on black.
constexpr const char* kStyle = R"(<style>
.tc{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-size:12px}
.tc .paper{fill:#fff}.tc .ink{fill:#1d2129}.tc .muted{fill:#5c6470}.tc .title{font-size:15px;font-weight:600}
.tc .grid{stroke:#e4e7ec}.tc .axis{stroke:#8a93a0}
.tc .c0{color:#0066b3}.tc .c1{color:#c8450b}.tc .c2{color:#08825f}.tc .c3{color:#a3417f}.tc .c4{color:#a67800}
.tc .c5{color:#2b8fc4}.tc .c6{color:#5b4bb5}.tc .c7{color:#6b6b6b}.tc .c8{color:#b3123a}.tc .c9{color:#4c7a00}
@media (prefers-color-scheme:dark){
.tc .paper{fill:#15181d}.tc .ink{fill:#e8eaee}.tc .muted{fill:#a2abb8}
.tc .grid{stroke:#2c323b}.tc .axis{stroke:#6d7683}
.tc .c0{color:#58aef0}.tc .c1{color:#f4854f}.tc .c2{color:#3cc79b}.tc .c3{color:#e08ac2}.tc .c4{color:#e3b53c}
.tc .c5{color:#8cd3f5}.tc .c6{color:#a99cf5}.tc .c7{color:#b8bdc5}.tc .c8{color:#f57894}.tc .c9{color:#a5d25a}
}</style>
)";

// Characters, not bytes, of UTF-8.
double text_width(const std::string& text) {
  const auto characters = std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
  return kCharacter * static_cast<double>(characters);
}

bool drawable(const Chart& chart, const Point& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && (!chart.x.logarithmic || point.x > 0) &&
         (!chart.y.logarithmic || point.y > 0);
}

struct Frame {
  Scale x, y;
};

Frame frame_of(const Chart& chart) {
  std::vector<double> xs, ys;
  if (!chart.x.names.empty()) xs = {0.5, static_cast<double>(chart.x.names.size()) + 0.5};
  for (const Series& series : chart.series) {
    for (const Point& point : series.points) {
      if (!drawable(chart, point)) continue;
      xs.push_back(point.x);
      ys.push_back(point.y);
      if (!(point.error > 0) || !std::isfinite(point.error)) continue;
      ys.push_back(point.y + point.error);
      if (!chart.y.logarithmic || point.error < point.y) ys.push_back(point.y - point.error);
    }
  }
  return {{xs, chart.x.logarithmic, kLeft, kLeft + kPlotWidth}, {ys, chart.y.logarithmic, kTop + kPlotHeight, kTop}};
}

std::string x_ticks(const Frame& frame) {
  std::string out;
  for (const double tick : frame.x.ticks()) {
    const double x = frame.x.pixel(tick), bottom = kTop + kPlotHeight;
    out += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>", x, kTop, bottom);
    out += fmt::format("<text class=\"muted\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x, bottom + 18,
                       frame.x.tick_label(tick));
  }
  return out;
}

// Slanted, so that long names fit side by side.
std::string x_names(const Chart& chart, const Frame& frame) {
  std::string out;
  for (std::size_t i = 0; i < chart.x.names.size(); ++i) {
    const double x = frame.x.pixel(static_cast<double>(i + 1)), bottom = kTop + kPlotHeight;
    out += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>", x, kTop, bottom);
    out += fmt::format(
        "<text class=\"muted\" text-anchor=\"end\" transform=\"translate({:.1f} {}) rotate(-30)\">{}</text>\n", x + 4,
        bottom + 16, escaped(chart.x.names[i]));
  }
  return out;
}

// Slanted names need room below, numbers do not.
double names_height(const Chart& chart) {
  double longest = 0;
  for (const std::string& name : chart.x.names) longest = std::max(longest, text_width(name));
  return longest / 2;
}

std::string axes(const Chart& chart, const Frame& frame) {
  std::string out;
  auto to = std::back_inserter(out);
  const double bottom = kTop + kPlotHeight, right = kLeft + kPlotWidth;
  out += chart.x.names.empty() ? x_ticks(frame) : x_names(chart, frame);
  for (const double tick : frame.y.ticks()) {
    const double y = frame.y.pixel(tick);
    fmt::format_to(to, "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>", kLeft, right, y);
    fmt::format_to(to, "<text class=\"muted\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y + 4,
                   frame.y.tick_label(tick));
  }
  fmt::format_to(to, "<path class=\"axis\" fill=\"none\" d=\"M{0} {1}V{2}H{3}\"/>\n", kLeft, kTop, bottom, right);
  fmt::format_to(to, "<text class=\"ink\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", kLeft + kPlotWidth / 2,
                 bottom + 40, escaped(chart.x.label));
  fmt::format_to(to,
                 "<text class=\"ink\" text-anchor=\"middle\" transform=\"translate(18 {}) rotate(-90)\">{}</text>\n",
                 kTop + kPlotHeight / 2, escaped(chart.y.label));
  return out;
}

std::string marker(std::size_t shape, double x, double y) {
  constexpr double r = 3.6;
  switch (shape % kMarkers) {
    case 0:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>", x, y, r);
    case 1:
      return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"6.4\" height=\"6.4\"/>", x - 3.2, y - 3.2);
    case 2:
      return fmt::format("<path d=\"M{:.1f} {:.1f}l4.2 7.2h-8.4z\"/>", x, y - 4.6);
    default:
      return fmt::format("<path d=\"M{:.1f} {:.1f}l4.4 4.4l-4.4 4.4l-4.4 -4.4z\"/>", x, y - 4.4);
  }
}

const char* dash(Mark mark) {
  if (mark == Mark::dashed) return " stroke-dasharray=\"7 4\"";
  return mark == Mark::dotted ? " stroke-dasharray=\"1.5 3.5\" stroke-linecap=\"round\"" : "";
}

bool has_line(Mark mark) { return mark != Mark::points; }
bool has_markers(Mark mark) { return mark == Mark::points || mark == Mark::line_points; }

std::string error_bar(const Frame& frame, const Point& point) {
  const double lower = point.y - point.error;
  const double top = frame.y.pixel(point.y + point.error), x = frame.x.pixel(point.x);
  const double bottom = frame.y.logarithmic() && lower <= frame.y.lowest() ? kTop + kPlotHeight : frame.y.pixel(lower);
  return fmt::format("<path fill=\"none\" d=\"M{0:.1f} {1:.1f}V{2:.1f}M{3:.1f} {1:.1f}h6M{3:.1f} {2:.1f}h6\"/>", x, top,
                     bottom, x - 3);
}

std::string drawn(const Chart& chart, const Frame& frame, const Series& series) {
  std::string line, marks;
  for (const Point& point : series.points) {
    if (!drawable(chart, point)) continue;
    const double x = frame.x.pixel(point.x), y = frame.y.pixel(point.y);
    line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x, y);
    if (!has_markers(series.mark)) continue;
    if (point.error > 0 && std::isfinite(point.error)) marks += error_bar(frame, point);
    marks += marker(series.color, x, y);
  }
  std::string out = fmt::format("<g class=\"c{}\" stroke=\"currentColor\" fill=\"currentColor\" stroke-width=\"1.7\">",
                                series.color % kColors);
  if (has_line(series.mark) && !line.empty())
    out += fmt::format("<path fill=\"none\" stroke-linejoin=\"round\" d=\"{}\"{}/>", line, dash(series.mark));
  return out + marks + "</g>\n";
}

double chart_width(const Chart& chart) {
  double widest = 0;
  for (const Series& series : chart.series) widest = std::max(widest, text_width(series.label));
  constexpr double kTitleCharacter = 1.25;  // titles are larger
  const double with_legend = kLeft + kPlotWidth + kLegendGap + kLegendSwatch + 8 + widest + 12;
  return std::max({with_legend, kLeft + kTitleCharacter * text_width(chart.title), kLeft + text_width(chart.subtitle)});
}

double chart_height(const Chart& chart) {
  return std::max(kTop + kPlotHeight + kBelow + names_height(chart),
                  kTop + kLegendRow * static_cast<double>(chart.series.size()) + 10);
}

std::string legend(const Chart& chart) {
  std::string out;
  double y = kTop + 8;
  const double x = kLeft + kPlotWidth + kLegendGap;
  for (const Series& series : chart.series) {
    out += fmt::format("<g class=\"c{}\" stroke=\"currentColor\" fill=\"currentColor\" stroke-width=\"1.7\">",
                       series.color % kColors);
    if (has_line(series.mark))
      out += fmt::format("<path fill=\"none\" d=\"M{} {}h{}\"{}/>", x, y, kLegendSwatch, dash(series.mark));
    if (has_markers(series.mark)) out += marker(series.color, x + kLegendSwatch / 2, y);
    out += fmt::format("</g><text class=\"ink\" x=\"{}\" y=\"{}\">{}</text>\n", x + kLegendSwatch + 8, y + 4,
                       escaped(series.label));
    y += kLegendRow;
  }
  return out;
}

std::string body(const Chart& chart) {
  const Frame frame = frame_of(chart);
  std::string out = fmt::format("<text class=\"ink title\" x=\"{}\" y=\"24\">{}</text>\n", kLeft, escaped(chart.title));
  out += fmt::format("<text class=\"muted\" x=\"{}\" y=\"43\">{}</text>\n", kLeft, escaped(chart.subtitle));
  out += axes(chart, frame);
  for (const Series& series : chart.series) out += drawn(chart, frame, series);
  return out + legend(chart);
}

}  // namespace

std::string svg(const Chart& chart) { return svg(std::span(&chart, 1)); }

std::string svg(std::span<const Chart> charts) {
  double width = 0, height = 0;
  std::string inside;
  for (const Chart& chart : charts) {
    inside += fmt::format("<g transform=\"translate(0 {:.0f})\">\n{}</g>\n", height, body(chart));
    width = std::max(width, chart_width(chart));
    height += chart_height(chart);
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tc\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" aria-label=\"{2}\">\n{3}<rect class=\"paper\" width=\"100%\" "
      "height=\"100%\"/>\n{4}</svg>\n",
      width, height, charts.empty() ? "" : escaped(charts[0].title), kStyle, inside);
}

std::string html_page(const std::string& title, std::span<const Chart> charts) {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>{0}</title>\n"
      "<style>body{{font-family:system-ui,sans-serif;margin:2rem auto;max-width:56rem;padding:0 1rem;background:#fff;"
      "color:#1d2129}}svg{{max-width:100%;height:auto;display:block;margin:1.5rem 0}}@media "
      "(prefers-color-scheme:dark){{body{{background:#15181d;color:#e8eaee}}}}</style>\n</head>\n<body>\n<h1>{0}</"
      "h1>\n",
      escaped(title));
  for (const Chart& chart : charts) page += svg(chart);
  return page + "</body>\n</html>\n";
}

}  // namespace tailcoat::experiments
