#include "options.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tailcoat::cli {

CLI::Option* add_number(CLI::App& parser, const NumberOption& option, std::optional<double>& value) {
  std::string meaning = fmt::format("{}, in {}", option.meaning, range_text(option));
  if (option.default_value) meaning += fmt::format("; {} if not given", *option.default_value);
  return parser.add_option(fmt::format("--{}", option.name), value, meaning)->type_name("NUMBER");
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
