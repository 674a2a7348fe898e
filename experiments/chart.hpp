// Charts as SVG: lines, points and error bars on linear or logarithmic axes, with a legend, in the colours of the
// reader's theme (prefers-color-scheme). Self-contained: no script, no font, no file besides. Values that are not
// finite, or not positive on a logarithmic axis, are left out.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tailcoat::experiments {

struct Point {
  double x;
  double y;
  double error = 0;  // half the length of the error bar
};

enum class Mark {
  points,       // a marker at each point, with its error bar
  line_points,  // and a line through them
  line,
  dashed,
  dotted,
};

struct Series {
  std::string label;
  std::vector<Point> points{};
  Mark mark = Mark::line_points;
  std::size_t color = 0;  // series of the same number share a colour
};

struct Axis {
  std::string label;
  bool logarithmic = true;
  std::vector<std::string> names{};  // of the values 1, 2, ... of a linear x axis, instead of numbers
};

struct Chart {
  std::string title;
  std::string subtitle{};
  Axis x{};
  Axis y{};
  std::vector<Series> series{};
};

// One picture; several charts are put below each other.
std::string svg(const Chart&);
std::string svg(std::span<const Chart>);
// A page that holds the charts.
std::string html_page(const std::string& title, std::span<const Chart>);

}  // namespace tailcoat::experiments
