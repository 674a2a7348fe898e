#include "options.hpp"

#include <fmt/format.h>

namespace tailcoat::cli {

CLI::Option* add_number(CLI::App& parser, const NumberOption& option, std::optional<double>& value) {
  return parser
      .add_option(fmt::format("--{}", option.name), value, fmt::format("{}, in {}", option.meaning, range_text(option)))
      ->type_name("NUMBER");
}

}  // namespace tailcoat::cli
