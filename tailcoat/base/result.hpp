// Result<T>: a value or an Error. Everything a user can get wrong comes back through it; exceptions do not cross the
// library's boundary, and our own bugs are assertions.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tailcoat {

enum class ErrorKind {
  usage,    // an option or argument that can never be served
  data,     // input rows or a file that cannot be served
  refused,  // a privacy budget or a theorem's precondition says no
  system,   // the machine failed: disk, memory, random source
};

// The budget of a run that counts as spent although the run has failed: epsilon and delta, or mu if it was given as
// that.
struct Spent {
  double epsilon = 0, delta = 0, mu = 0;
};

struct Error {
  ErrorKind kind;
  std::string message;           // what was wrong, with the value, and what would be right
  bool over_budget = false;      // of a refusal: by a privacy budget, not by a precondition
  std::optional<Spent> spent{};  // of a private run: none if it failed before its first release
};

inline Error usage_error(std::string message) { return {ErrorKind::usage, std::move(message)}; }
inline Error data_error(std::string message) { return {ErrorKind::data, std::move(message)}; }
inline Error refusal(std::string message) { return {ErrorKind::refused, std::move(message)}; }
// More than a privacy budget allows.
inline Error over_budget(std::string message) { return {ErrorKind::refused, std::move(message), true}; }
inline Error system_error(std::string message) { return {ErrorKind::system, std::move(message)}; }

// Says which error was not looked at, and ends the program.
[[noreturn]] void stop_at(const Error&);

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  T& value() {
    if (!ok()) stop_at(error());
    return *std::get_if<0>(&state_);
  }
  const T& value() const {
    if (!ok()) stop_at(error());
    return *std::get_if<0>(&state_);
  }

  std::variant<T, Error> state_;
};

// Success without a value.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const {
    assert(error_);
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace tailcoat

// Declares `name` as the value of a Result, or returns its error from the enclosing function.
#define TAILCOAT_TRY(name, expression)                             \
  auto name##_or_error = (expression);                             \
  if (!name##_or_error) return std::move(name##_or_error).error(); \
  auto& name = *name##_or_error

// The same for a Result<void>.
#define TAILCOAT_CHECK(expression) \
  if (auto checked = (expression); !checked) return checked.error()
