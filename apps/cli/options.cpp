#include "options.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tailcoat::cli {

CLI::Option* add_number(CLI::App& parser, const NumberOption& option, std::optional<double>& value) {
  const std::string type = option.default_value ? fmt::format("NUMBER={}", *option.default_value) : "NUMBER";
  return parser
      .add_option(fmt::format("--{}", option.name), value, fmt::format("{}, in {}", option.meaning, range_text(option)))
      ->type_name(type);
}

Result<double> number(const NumberOption& option, const std::optional<double>& value) {
  if (!value && !option.default_value) return usage_error(fmt::format("give --{}, {}", option.name, option.meaning));
  return check(option, value ? *value : *option.default_value);
}

Result<std::size_t> whole_number(const NumberOption& option, const std::optional<double>& value) {
  TAILCOAT_TRY(checked, number(option, value));
  if (checked != std::floor(checked))
    return usage_error(fmt::format("{} = {} is not a whole number", option.name, checked));
  return static_cast<std::size_t>(checked);
}

}  // namespace tailcoat::cli
