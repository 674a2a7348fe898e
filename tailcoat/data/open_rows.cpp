#include "tailcoat/data/open_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <string_view>

#include "tailcoat/data/readers/readers.hpp"
#include "tailcoat/data/text.hpp"

namespace tailcoat {
namespace {

// The name's extension in lower case, without .gz.
std::string extension_of(std::string_view path) {
  std::string name(path.substr(path.find_last_of('/') + 1));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const std::size_t dot = name.find_last_of('.');
  return dot == std::string::npos ? "" : name.substr(dot);
}

Result<std::unique_ptr<RowSource>> open_by_name(const std::string& path, const ReadOptions& options) {
  const std::string extension = extension_of(path);
  if (extension == ".csv") return open_csv(path, options);
  if (extension == ".tsv") {
    ReadOptions with_tabs = options;
    with_tabs.delimiter = options.delimiter.value_or('\t');
    return open_csv(path, with_tabs);
  }
  if (extension == ".npy") return open_npy(path, options);
  if (extension == ".libsvm" || extension == ".svm") return open_libsvm(path, options);
  return usage_error(
      fmt::format("the format of {} is not known by its name; the names of data files end in .csv, .tsv, .libsvm, .svm "
                  "(each also with .gz) or .npy",
                  in_quotes(path, 200)));
}

}  // namespace

Result<std::unique_ptr<RowSource>> open_rows(const std::string& path, const ReadOptions& options) {
  try {
    return open_by_name(path, options);
  } catch (const std::bad_alloc&) {
    return system_error(fmt::format("no memory to open {}", in_quotes(path, 200)));
  }
}

}  // namespace tailcoat
