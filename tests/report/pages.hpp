// What tests look for in the pages of the examples.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "examples.hpp"

namespace tailcoat::report_examples {

inline std::string page(const Example& example) { return report_html(example.fit, example.input); }
inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Every element that opens closes, in order, those of HTML that never close aside. Attributes hold no '>': all text in
// them is escaped.
inline testing::AssertionResult well_formed(const std::string& html) {
  const std::set<std::string> never_close{"meta", "!DOCTYPE", "wbr"};
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    const std::string tag = html.substr(at + 1, end - at - 1), name = tag.substr(0, tag.find_first_of(" \n"));
    if (name.starts_with('/')) {
      if (open.empty() || open.back() != name.substr(1)) return testing::AssertionFailure() << "<" << tag << ">";
      open.pop_back();
    } else if (!tag.ends_with('/') && !never_close.contains(name)) {
      open.push_back(name);
    }
  }
  return open.empty() ? testing::AssertionSuccess() : testing::AssertionFailure() << open.back() << " stays open";
}

// The part of the page between an element with this identifier and the next section.
inline std::string section(const std::string& html, const std::string& id) {
  const std::size_t at = html.find("id=\"" + id + "\"");
  return html.substr(at, html.find("</section>", at) - at);
}

}  // namespace tailcoat::report_examples
