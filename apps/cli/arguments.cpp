#include "arguments.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "options.hpp"
#include "tailcoat/data/text.hpp"
#include "tailcoat/privacy/budget_option.hpp"

namespace tailcoat::cli {
namespace {

constexpr double kDefaultDelta = 1e-6;
constexpr std::size_t kLargestModel = std::size_t{1} << 28;  // bytes

constexpr NumberOption kSeed{
    .name = "seed", .meaning = "of the noise, for tests only: not private", .lowest = 0, .highest = 1e15};
constexpr NumberOption kThreads{
    .name = "threads", .meaning = "how many; 0: one per core", .lowest = 0, .highest = 1024, .default_value = 0};

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

using Pair = std::pair<double, double>;

std::optional<Pair> parse_pair(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto first = parse_number(text.substr(0, colon));
  const auto second = colon == std::string_view::npos ? std::nullopt : parse_number(text.substr(colon + 1));
  return first && second ? std::optional(Pair{*first, *second}) : std::nullopt;
}

// "column=first:second", which `make` turns into what it stands for, or nothing if it stands for nothing.
template <class T, class Make>
Result<std::map<std::string, T>> parse_pairs(const std::vector<std::string>& texts, const char* option,
                                             const char* form, const Make& make) {
  std::map<std::string, T> found;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    const auto pair =
        equals == std::string::npos ? std::nullopt : parse_pair(std::string_view(text).substr(equals + 1));
    const std::optional<T> value = pair ? make(pair->first, pair->second) : std::nullopt;
    if (!value) return usage_error(fmt::format("{} {} are not {}", option, in_quotes(text, 80), form));
    if (!found.emplace(text.substr(0, equals), *value).second)
      return usage_error(fmt::format("--{} names column {} twice", option, in_quotes(text.substr(0, equals))));
  }
  return found;
}

Result<void> check_texts(const std::vector<std::string>& texts, const std::string& option) {
  for (const std::string& text : texts) {
    if (text.empty()) return usage_error(fmt::format("--{} has an empty name; see --help for how to write it", option));
    if (!is_utf8(text)) return usage_error(fmt::format("--{} {} is not UTF-8", option, in_quotes(text)));
  }
  return {};
}

}  // namespace

CLI::Option* add_list(CLI::App& parser, const std::string& name, std::vector<std::string>& values,
                      const std::string& meaning) {
  return parser.add_option(name, values, meaning)->delimiter(',')->allow_extra_args(false)->type_name("A,B");
}

CLI::Option* add_repeated(CLI::App& parser, const std::string& name, std::vector<std::string>& values,
                          const std::string& meaning) {
  return parser.add_option(name, values, meaning)->allow_extra_args(false);
}

CLI::Option* add_file(CLI::App& parser, const std::string& name, std::string& path, const std::string& meaning) {
  const auto named = [](const std::string& text) { return text.empty() ? "the name of the file is empty" : ""; };
  return parser.add_option(name, path, meaning)->type_name("FILE")->check(named);
}

Result<std::map<std::string, std::vector<std::string>>> parse_categorical(const std::vector<std::string>& texts) {
  std::map<std::string, std::vector<std::string>> levels;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const bool given = equals != std::string::npos;
    const auto columns = given ? std::vector{text.substr(0, equals)} : split(text);
    const auto values = given ? split(std::string_view(text).substr(equals + 1)) : std::vector<std::string>{};
    TAILCOAT_CHECK(check_texts(columns, "categorical"));
    TAILCOAT_CHECK(check_texts(values, "categorical"));
    for (const std::string& column : columns) {
      if (!levels.emplace(column, values).second)
        return usage_error(fmt::format("--categorical names column {} twice", in_quotes(column)));
    }
  }
  return levels;
}

Result<std::map<std::string, Range>> parse_bounds(const std::vector<std::string>& texts) {
  return parse_pairs<Range>(texts, "bounds", "column=low:high with low below high, e.g. age=0:120",
                            [](double low, double high) {
                              return low < high ? std::optional(Range{low, high}) : std::nullopt;
                            });
}

Result<std::map<std::string, Scale>> parse_scales(const std::vector<std::string>& texts) {
  return parse_pairs<Scale>(texts, "scale", "column=centre:spread with a spread above 0, e.g. age=45:15",
                            [](double centre, double spread) {
                              return spread > 0 ? std::optional(Scale{centre, spread}) : std::nullopt;
                            });
}

void add_noise_arguments(CLI::App& parser, NoiseArguments& arguments) {
  add_number(parser, kEpsilonOption, arguments.epsilon);
  add_number(parser, kBudgetDeltaOption, arguments.delta)->type_name("NUMBER=1e-6");
  add_number(parser, kSeed, arguments.seed);
  add_number(parser, kThreads, arguments.threads);
}

Result<ApproxDp> budget_of(const NoiseArguments& arguments) {
  TAILCOAT_TRY(epsilon, number(kEpsilonOption, arguments.epsilon));
  return check_budget({epsilon, arguments.delta.value_or(kDefaultDelta)});
}

Result<ApproxDp> theorem_budget_of(const NoiseArguments& arguments) {
  TAILCOAT_TRY(epsilon, number(kEpsilonOption, arguments.epsilon));
  return check_theorem_budget({epsilon, arguments.delta.value_or(kDefaultDelta)});
}

void warn_of_delta(ApproxDp budget, std::size_t rows) {
  if (budget.delta * static_cast<double>(rows) <= 1) return;
  fmt::print(stderr,
             "tailcoat: warning: delta = {} is above 1 / rows = {:.3g}; publishing a whole row at random would be "
             "allowed by it\n",
             budget.delta, 1 / static_cast<double>(rows));
}

Result<BitSource> noise_of(const NoiseArguments& arguments) {
  if (!arguments.seed) return BitSource::from_kernel();
  TAILCOAT_TRY(seed, whole_number(kSeed, arguments.seed));
  fmt::print(stderr, "tailcoat: warning: the noise comes from a seed; the result is not private\n");
  return BitSource::insecure_seeded(seed);
}

Result<std::size_t> threads_of(const NoiseArguments& arguments) { return whole_number(kThreads, arguments.threads); }

void add_model_arguments(CLI::App& parser, ModelArguments& arguments, const std::string& rows) {
  parser.add_option("DATA", arguments.data, rows + ": .csv, .tsv (also .gz), .npy")->required()->type_name("");
  add_file(parser, "--model", arguments.model, "model file of `tailcoat fit`");
}

Result<Model> model_of(const ModelArguments& arguments) {
  const std::string& path = arguments.model;
  if (path.empty()) return usage_error("give --model, the file that `tailcoat fit --model` wrote");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (file) {
    std::vector<char> block(1 << 16);
    while (text.size() <= kLargestModel &&
           (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0))
      text.append(block.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.is_open() || file.bad())
    return system_error(fmt::format("cannot read {}: {}", in_quotes(path, 200), std::strerror(errno)));
  if (text.size() > kLargestModel) return data_error(fmt::format("{} is too large for a model", in_quotes(path, 200)));
  auto model = model_from_json(text);
  if (!model) return Error{model.error().kind, fmt::format("{}: {}", in_quotes(path, 200), model.error().message)};
  return model;
}

}  // namespace tailcoat::cli
