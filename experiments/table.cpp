#include "experiments/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tailcoat::experiments {

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (const auto& line : lines_) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines_) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i)
      row += i == 0 ? fmt::format("{:<{}}", line[i], widths[i]) : fmt::format("  {:>{}}", line[i], widths[i]);
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  }
  return text;
}

std::string figures(double value) { return std::isfinite(value) ? fmt::format("{:.3g}", value) : "-"; }

std::string wrapped(const std::string& text, const std::string& indent, std::size_t width) {
  std::istringstream words(text);
  std::string lines, line = indent;
  for (std::string word; words >> word;) {
    if (line.size() > indent.size() && line.size() + 1 + word.size() > width) {
      lines += line + '\n';
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + word;
  }
  return lines + line + '\n';
}

}  // namespace tailcoat::experiments
