#include "tailcoat/report/picture.hpp"

#include <fmt/format.h>

#include "tailcoat/report/text.hpp"

namespace tailcoat::report {
namespace {

std::string label(double value, Labels labels) {
  constexpr int kDigits = 6;
  if (labels == Labels::none) return "";
  return labels == Labels::percents ? percent(value, kDigits) : number(value, kDigits);
}

}  // namespace

std::string axes(const Frame& frame, Labels along, Labels upwards, const std::string& name) {
  constexpr std::size_t kManyTicks = 4;  // more than these lose every other one where there is little room
  std::string out;
  const std::vector<double> xs = frame.x.ticks();
  for (std::size_t i = 0; i < xs.size(); ++i)
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0:.2f}%\" x2=\"{0:.2f}%\" y1=\"{1}\" y2=\"{2}\"/><text class=\"tick{5}\" "
        "x=\"{0:.2f}%\" y=\"{3}\">{4}</text>",
        frame.x.pixel(xs[i]), frame.top, frame.bottom, frame.bottom + 17, label(xs[i], along),
        xs.size() > kManyTicks && i % 2 == 1 ? " minor" : "");
  for (const double tick : frame.y.ticks())
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0}%\" x2=\"{1}%\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text class=\"tick end\" "
        "x=\"{0}%\" dx=\"-6\" y=\"{3:.1f}\">{4}</text>",
        frame.left, frame.right, frame.y.pixel(tick), frame.y.pixel(tick) + 4, label(tick, upwards));
  return out + fmt::format("<text class=\"tick\" x=\"{}%\" y=\"{}\">{}</text>", (frame.left + frame.right) / 2,
                           frame.height - 6, name);
}

}  // namespace tailcoat::report
