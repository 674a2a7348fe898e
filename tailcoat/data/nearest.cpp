#include "tailcoat/data/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tailcoat {
namespace {

constexpr std::size_t kLongest = 256;    // the distance takes time with the square of it
constexpr std::size_t kLeastPrefix = 3;  // fewer letters are the begin of too much

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Levenshtein distance, blind to ASCII case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

const std::string* nearest(std::span<const std::string> names, std::string_view name) {
  const std::string* found = nullptr;
  std::size_t best = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& other : names) {
    if (name.size() >= kLeastPrefix && other.starts_with(name)) return &other;
    const std::size_t shorter = std::min(other.size(), name.size()), longer = std::max(other.size(), name.size());
    if (longer - shorter >= best || longer > kLongest) continue;
    const std::size_t distance = edit_distance(other, name);
    if (distance < best) {
      best = distance;
      found = &other;
    }
  }
  if (found != nullptr || name.size() < kLeastPrefix) return found;
  const auto containing =
      std::ranges::find_if(names, [&](const std::string& other) { return other.find(name) != std::string::npos; });
  return containing == names.end() ? nullptr : &*containing;
}

}  // namespace tailcoat
