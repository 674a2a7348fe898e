#include "output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tailcoat::cli {
namespace {

Result<void> check_finite(const std::vector<Figure>& figures) {
  for (const Figure& figure : figures) {
    const double* number = std::get_if<double>(&figure.value);
    if (number != nullptr && !std::isfinite(*number))
      return system_error(fmt::format("{} is too large or too small to be written as a number", figure.name));
  }
  return {};
}

std::string value_text(const Figure& figure) {
  constexpr std::size_t kWidest = 70;
  if (const double* number = std::get_if<double>(&figure.value)) return fmt::format("{:.6g}", *number);
  if (const std::size_t* count = std::get_if<std::size_t>(&figure.value)) return fmt::format("{}", *count);
  const auto& text = std::get<std::string>(figure.value);
  return text.size() <= kWidest ? text : text.substr(0, kWidest - 3) + "...";
}

std::string label(const Figure& figure) {
  std::string text = figure.name;
  std::ranges::replace(text, '_', ' ');
  return text;
}

}  // namespace

Result<std::string> json_text(const std::string& schema, const std::vector<Figure>& figures) {
  TAILCOAT_CHECK(check_finite(figures));
  nlohmann::ordered_json json{{"schema", schema}};
  for (const Figure& figure : figures) std::visit([&](const auto& value) { json[figure.name] = value; }, figure.value);
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<std::string> table_text(const std::vector<Figure>& figures) {
  TAILCOAT_CHECK(check_finite(figures));
  std::size_t label_width = 0;
  std::size_t value_width = 0;
  for (const Figure& figure : figures) {
    label_width = std::max(label_width, label(figure).size());
    if (!figure.meaning.empty()) value_width = std::max(value_width, value_text(figure).size());
  }
  std::string text;
  for (const Figure& figure : figures) {
    text += fmt::format("{:<{}}  {}", label(figure), label_width, value_text(figure));
    if (!figure.meaning.empty())
      text += fmt::format("{:{}}  {}", "", value_width - value_text(figure).size(), figure.meaning);
    text += '\n';
  }
  return text;
}

}  // namespace tailcoat::cli
