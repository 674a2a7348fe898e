// Command-line options from the library's option records: name, meaning and range come from the record, so that --help
// and the library's own check cannot disagree.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "tailcoat/base/option.hpp"

namespace tailcoat::cli {

// `value` stays empty if the option is not given. The range is checked by the library, which names it.
CLI::Option* add_number(CLI::App&, const NumberOption&, std::optional<double>& value);

}  // namespace tailcoat::cli
