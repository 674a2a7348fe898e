// Tables of text: columns aligned, the first to the left, the others to the right.
#pragma once

#include <string>
#include <vector>

namespace tailcoat::experiments {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : lines_{std::move(header)} {}
  void add(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> lines_;
};

// Three figures: "0.0123", "1.2e-05"; "-" for what is not finite.
std::string figures(double value);

// Words of `text` in lines of at most `width` columns, each behind `indent`.
std::string wrapped(const std::string& text, const std::string& indent, std::size_t width = 100);

}  // namespace tailcoat::experiments
