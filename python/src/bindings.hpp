// What the files of the extension module share: errors as exceptions, data sets, and the parts of the module.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <string>
#include <utility>

#include "tailcoat/base/result.hpp"

namespace tailcoat::python {

namespace nb = nanobind;

// An Error on its way to Python, where its kind decides the class of the exception (tailcoat/_errors.py).
class Failure : public std::exception {
 public:
  explicit Failure(Error error) : error_(std::move(error)) {}
  [[nodiscard]] const char* what() const noexcept override { return error_.message.c_str(); }
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  Error error_;
};

template <class T>
T value_of(Result<T> result) {
  if (!result) throw Failure(result.error());
  return std::move(*result);
}
inline void value_of(const Result<void>& result) {
  if (!result) throw Failure(result.error());
}

// JSON text as the Python object it stands for.
nb::object from_json(const std::string& text);

void bind_errors(nb::module_&);
void bind_data(nb::module_&);
void bind_model(nb::module_&);
void bind_fit(nb::module_&);
void bind_plan(nb::module_&);
void bind_account(nb::module_&);
void bind_minimize(nb::module_&);
void bind_nonprivate(nb::module_&);

}  // namespace tailcoat::python
