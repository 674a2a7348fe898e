// Fields of JSON objects that come from files: each is there and has its type, or an Error is thrown that names it. For
// the .cpp files of readers, which catch it at their boundary; no installed header includes this one.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"

namespace tailcoat::json_fields {

using Json = nlohmann::json;

[[noreturn]] inline void wrong(const std::string& name, const std::string& wanted) {
  throw data_error(fmt::format("field '{}' {}", name, wanted));
}

inline const Json& field(const Json& object, const std::string& name) {
  if (!object.is_object()) wrong(name, "has no object around it");
  const auto found = object.find(name);
  if (found == object.end()) wrong(name, "is missing");
  return *found;
}

inline double number(const Json& object, const std::string& name) {
  const Json& value = field(object, name);
  if (!value.is_number()) wrong(name, "must be a number");
  return value.get<double>();
}

inline double number_or(const Json& object, const std::string& name, double otherwise) {
  return object.contains(name) ? number(object, name) : otherwise;
}

// A number, or "inf" or "-inf", which JSON has no number for.
inline double extended(const Json& object, const std::string& name) {
  const Json& value = field(object, name);
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  return number(object, name);
}

inline std::size_t count(const Json& object, const std::string& name) {
  const Json& value = field(object, name);
  if (!value.is_number_unsigned()) wrong(name, "must be a whole number that is not negative");
  return value.get<std::size_t>();
}

inline bool flag(const Json& object, const std::string& name) {
  const Json& value = field(object, name);
  if (!value.is_boolean()) wrong(name, "must be true or false");
  return value.get<bool>();
}

inline std::string text(const Json& object, const std::string& name) {
  const Json& value = field(object, name);
  if (!value.is_string()) wrong(name, "must be a text");
  return value.get<std::string>();
}

inline const Json& list(const Json& object, const std::string& name) {
  const Json& value = field(object, name);
  if (!value.is_array()) wrong(name, "must be a list");
  return value;
}

inline std::vector<std::string> texts(const Json& object, const std::string& name) {
  std::vector<std::string> found;
  for (const Json& value : list(object, name)) {
    if (!value.is_string()) wrong(name, "must be a list of texts");
    found.push_back(value.get<std::string>());
  }
  return found;
}

}  // namespace tailcoat::json_fields
