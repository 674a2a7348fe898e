// Command-line options from the library's option records: name, meaning and range come from the record, so that --help
// and the library's own check cannot disagree.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>

#include "tailcoat/base/option.hpp"

namespace tailcoat::cli {

// `value` stays empty if the option is not given. The range is checked by the library, which names it.
CLI::Option* add_number(CLI::App&, const NumberOption&, std::optional<double>& value);

// The value or the option's default; a usage error names what is missing or out of range.
Result<double> number(const NumberOption&, const std::optional<double>& value);
// The same for counts, which may be given as 1e6.
Result<std::size_t> whole_number(const NumberOption&, const std::optional<double>& value);

}  // namespace tailcoat::cli
