#include "experiments/chart.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "experiments/table.hpp"

namespace tailcoat::experiments {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Chart sample_chart() {
  return {.title = "a < b & \"c\"",
          .x = {"rows"},
          .y = {"excess"},
          .series = {{"measured", {{10, 1, 0.1}, {100, 0.1, 0.2}, {1000, 0.01}}, Mark::line_points, 0},
                     {"bound", {{10, 5}, {1000, 0.5}}, Mark::dashed, 0}}};
}

// Every element that opens closes, in order; enough of XML for what we write.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  return open.empty();
}

TEST(Chart, IsWellFormedAndSelfContained) {
  const std::string picture = svg(sample_chart());
  EXPECT_TRUE(well_formed(picture));
  EXPECT_TRUE(has(picture, "a &lt; b &amp; &quot;c&quot;"));
  EXPECT_TRUE(has(picture, "prefers-color-scheme:dark"));
  EXPECT_FALSE(has(picture, "href")) << "nothing is fetched";
  EXPECT_FALSE(has(picture, "<script"));
}

TEST(Chart, LeavesOutWhatCannotBeDrawn) {
  Chart chart = sample_chart();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  chart.series[0].points.insert(chart.series[0].points.end(),
                                {{50, kInf}, {60, 0}, {70, -1}, {80, std::nan("")}, {0, 1}, {90, 0.1, kInf}});
  const std::string picture = svg(chart);
  EXPECT_FALSE(has(picture, "nan"));
  EXPECT_FALSE(has(picture, "inf"));
  EXPECT_TRUE(well_formed(picture));
}

TEST(Chart, CopesWithNothingAndWithOnePoint) {
  EXPECT_TRUE(well_formed(svg(Chart{.title = "empty"})));
  const std::string one = svg(Chart{.title = "one", .series = {{"p", {{5, 5}}}}});
  EXPECT_FALSE(has(one, "nan"));
  EXPECT_FALSE(has(one, "inf\""));
}

TEST(Chart, NamesReplaceNumbersOnTheAxis) {
  const std::string picture = svg(Chart{.title = "named",
                                        .x = {"", false, {"one-pass", "a <b>"}},
                                        .y = {"excess"},
                                        .series = {{"s", {{1, 0.1}, {2, 0.2}}, Mark::points, 0}}});
  EXPECT_TRUE(well_formed(picture));
  EXPECT_TRUE(has(picture, ">one-pass</text>"));
  EXPECT_TRUE(has(picture, "a &lt;b&gt;"));
  EXPECT_FALSE(has(picture, ">1.5</text>"));
}

TEST(Chart, PageHoldsEveryChart) {
  const std::vector<Chart> charts{sample_chart(), sample_chart()};
  const std::string page = html_page("two", charts);
  std::size_t count = 0;
  for (std::size_t at = page.find("<svg"); at != std::string::npos; at = page.find("<svg", at + 1)) ++count;
  EXPECT_EQ(count, 2u);
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
}

TEST(Table, AlignsColumnsAndWrapsWords) {
  TextTable table({"name", "x"});
  table.add({"a", "10"});
  EXPECT_EQ(table.text(), "name   x\na     10\n");
  EXPECT_EQ(wrapped("one two three", "  ", 9), "  one two\n  three\n");
  EXPECT_EQ(figures(std::nan("")), "-");
}

}  // namespace
}  // namespace tailcoat::experiments
