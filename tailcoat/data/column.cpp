#include "tailcoat/data/column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "tailcoat/data/nearest.hpp"
#include "tailcoat/data/text.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kListedNames = 30;

// " Did you mean 'x'?", or nothing if no name is near.
std::string suggestion(std::span<const Column> columns, std::string_view name) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  const std::string* found = nearest(names, name);
  return found == nullptr ? "" : fmt::format(" Did you mean {}?", in_quotes(*found));
}

std::string listing(std::span<const Column> columns) {
  std::string list;
  for (const Column& column : columns.first(std::min(columns.size(), kListedNames))) {
    list += (list.empty() ? "" : ", ") + in_quotes(column.name);
  }
  if (columns.size() > kListedNames) list += fmt::format(" and {} more", columns.size() - kListedNames);
  return list;
}

}  // namespace

Result<void> check_columns(std::span<const Column> columns) {
  if (columns.empty()) return data_error("there are no columns; at least one is needed");
  if (columns.size() > kMaxColumns) {
    return data_error(fmt::format("{} columns are more than the limit of {}", columns.size(), kMaxColumns));
  }
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = columns[i].name;
    if (name.empty()) {
      return data_error(fmt::format(
          "column {} has no name; give it one, or leave it out (pandas writes its index so: use to_csv(index=False))",
          i + 1));
    }
    if (!is_utf8(name) || name.find('\0') != std::string::npos) {
      return data_error(fmt::format("the name of column {}, {}, is not UTF-8 text; convert the file, e.g. with iconv",
                                    i + 1, in_quotes(name)));
    }
    if (!seen.insert(name).second) {
      return data_error(fmt::format("two columns are called {}; names must differ", in_quotes(name)));
    }
  }
  return {};
}

Result<std::size_t> find_column(std::span<const Column> columns, std::string_view name) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return i;
  }
  if (columns.size() == 1 && columns[0].name.find_first_of(";\t|") != std::string::npos)
    return usage_error(
        fmt::format("there is no column {}. All of the header, {}, is one name: fields must be separated "
                    "by commas, or by tabs in a file that ends in .tsv",
                    in_quotes(name), in_quotes(columns[0].name)));
  return usage_error(fmt::format("there is no column {}.{} The columns are {}", in_quotes(name),
                                 suggestion(columns, name), listing(columns)));
}

Result<std::vector<std::size_t>> find_columns(std::span<const Column> columns, std::span<const std::string> names) {
  std::unordered_map<std::string_view, std::size_t> left;
  for (std::size_t i = 0; i < columns.size(); ++i) left.emplace(columns[i].name, i);
  std::vector<std::size_t> positions;
  for (const std::string& name : names) {
    const auto found = left.find(name);
    if (found == left.end()) {
      TAILCOAT_CHECK(find_column(columns, name));
      return usage_error(fmt::format("column {} is named twice", in_quotes(name)));
    }
    positions.push_back(found->second);
    left.erase(found);
  }
  return positions;
}

Result<std::vector<std::size_t>> find_columns_or_all(std::span<const Column> columns,
                                                     std::span<const std::string> names) {
  if (!names.empty()) return find_columns(columns, names);
  std::vector<std::size_t> all(columns.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace tailcoat
